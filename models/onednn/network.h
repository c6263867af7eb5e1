// A network in one precision, and the program that evaluates it. Includes oneDNN: include it only
// from models/onednn.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "models/onednn/layers.h"
#include "models/onednn/quantize.h"

namespace qirkat {

// Weights and primitives. Immutable to its users, shared by threads.
class Network {
 public:
  struct Block {
    Layer conv1, conv2;
    std::optional<Layer> pool;
  };
  // The layers for one number of rows.
  struct Layers {
    Layer stem, heads, policy_pool, value_hidden, values;
    std::optional<Layer> scalars_in, policy, extras;
    std::vector<Block> blocks;
    std::size_t scratchpad_bytes = 0;  // the largest of all
  };

  // The tower and the heads' convolution take `tower` (f32, bf16, or u8 for a net of QuantizeNet);
  // the stem and the policy's last convolution take `edges` (f32 or bf16), and so does what comes
  // out of a convolution for other work than a convolution's. Linear layers are float32.
  Network(FoldedNet net, ElementType tower, ElementType edges);

  const FoldedNet& net() const { return net_; }
  ElementType tower() const { return tower_; }
  ElementType edges() const { return edges_; }
  BoardShape Board(int rows) const { return {rows, net_.spec.rows, net_.spec.columns}; }
  // Whether the stem's convolution writes the tower's input itself: no scalars are to be added, and
  // oneDNN writes such a type.
  bool stem_feeds_tower() const { return !net_.scalars_in && tower_ == edges_; }
  std::shared_ptr<const Layers> For(int rows) const;

 private:
  std::shared_ptr<const Layers> Make(int rows) const;

  const FoldedNet net_;
  const ElementType tower_, edges_;
  mutable std::mutex mutex_;  // of what follows
  mutable PackedWeights weights_;
  mutable std::map<int, std::shared_ptr<const Layers>> layers_;  // by rows
};

// An array that its user may read and write, aligned to cache lines.
class Buffer {
 public:
  explicit Buffer(std::size_t bytes);
  void* data() const { return data_.get(); }
  template <class T>
  T* as() const {
    return static_cast<T*>(data_.get());
  }

 private:
  std::unique_ptr<void, void (*)(void*)> data_;
};

// Where a network computes up to `rows` rows.
struct Activations {
  Activations(const Network& network, int rows);
  Buffer input;          // [rows, squares, planes] of the edges' type, 0 and 1
  Buffer scalars;        // [rows, scalars]
  Buffer stream, inner;  // [rows, squares, channels]
  Buffer wide;           // [rows, squares, the most channels] of the edges' type
  Buffer pooled, bias, hidden;
  Buffer no_bias;       // [rows, channels] zeros
  Buffer policy_input;  // [rows, squares, head channels] of the edges' type
  Buffer policy;        // [rows, squares, policy planes]
  Buffer extras;        // [rows, policy extras]
  Buffer values;        // [rows, 5]

 private:
  Activations(const NetSpec& spec, ElementType tower, ElementType edges, std::size_t rows);
};

// The evaluation of exactly `rows` rows in some Activations, which must outlive it.
class Program {
 public:
  // With `ranges` a program of fp32 also raises the ranges to what it computes.
  Program(const Network& network, int rows, Activations& activations,
          ActivationRanges* ranges = nullptr);
  void Run();

 private:
  using Arguments = Layer::Arguments;
  void Add(const Layer& layer, const Buffer& source, const Buffer& destination);
  // destination = relu(wide[0 .. channels) + bias) in its type; squares are `stride` channels apart
  // in `wide`, `to_stride` in the destination.
  void AddBias(int stride, int channels, const Buffer& bias, const Buffer& destination,
               int to_stride, ElementType type);
  // pooled = mean and maximum of relu(wide[first .. first + channels)).
  void Pool(int stride, int first, int channels);
  void AddStem();
  void AddBlock(const Network::Block& block, const FoldedBlock& shape);
  void AddHeads();
  void Record(const Buffer& activations, std::vector<float>& largest);

  const Network& network_;
  const int rows_, squares_;
  Activations& at_;
  ActivationRanges* ranges_;
  std::shared_ptr<const Network::Layers> layers_;
  Buffer scratchpad_;
  dnnl::stream stream_;
  std::vector<std::function<void()>> steps_;
};

}  // namespace qirkat
