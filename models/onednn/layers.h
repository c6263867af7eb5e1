// The layers of a network as oneDNN primitives for one number of rows. Includes oneDNN: include it
// only from models/onednn, whose files must not see LibTorch's headers.
#pragma once

#include <cstdint>
#include <dnnl.hpp>
#include <span>
#include <unordered_map>
#include <vector>

#include "models/folded_net.h"

namespace qirkat {

using ElementType = dnnl::memory::data_type;  // f32, bf16, u8

// The CPU that all primitives are made for.
const dnnl::engine& CpuEngine();

// Activations [rows, squares, channels] (channels last) of a board. Linear layers take the rows of
// a batch for the squares of one board.
struct BoardShape {
  int rows = 0, board_rows = 0, board_columns = 0;
  dnnl::memory::desc Activations(int channels, ElementType type) const {
    return {{rows, channels, board_rows, board_columns}, type, dnnl::memory::format_tag::nhwc};
  }
};

// Weights in the layouts that primitives want, each once: layers for other numbers of rows mostly
// want the same. Found by where the plain values lie, which must stay there.
class PackedWeights {
 public:
  // `values`, float32 laid out as `plain` says, in the layout and type of `wanted`.
  dnnl::memory Get(std::span<const float> values, const dnnl::memory::desc& plain,
                   const dnnl::memory::desc& wanted);
  // As they are, [values.size()].
  dnnl::memory Get(std::span<const float> values);

 private:
  std::unordered_map<const float*, std::vector<dnnl::memory>> packed_;
};

// A primitive with its weights, immutable once made. Equal shapes share one compiled kernel through
// oneDNN's own cache, so that other weights compile nothing.
class Layer {
 public:
  // What follows a convolution: nothing, or the sum of what stands in its destination, or a ReLU.
  struct Epilogue {
    bool add = false, relu = false;
  };
  Layer() = default;
  // u8 activations if the convolution has scales, else `source`.
  Layer(const BoardShape& board, const Convolution& conv, ElementType source,
        ElementType destination, Epilogue epilogue, PackedWeights& weights);

  std::size_t scratchpad_bytes() const { return scratchpad_.get_size(); }
  using Arguments = std::unordered_map<int, dnnl::memory>;
  // The layer's arguments with these arrays, which must live as long as they are used.
  Arguments Bind(const void* source, void* destination, void* scratchpad) const;
  void Run(const dnnl::stream& stream, const Arguments& arguments) const {
    primitive_.execute(stream, arguments);
  }

 private:
  dnnl::primitive primitive_;
  dnnl::memory::desc source_, destination_, scratchpad_;
  Arguments constants_;  // weights, bias, scales
};

}  // namespace qirkat
