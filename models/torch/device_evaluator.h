// A network on a device beside the CPU. Includes LibTorch: for models/torch only.
#pragma once

#include <torch/torch.h>

#include <memory>

#include "models/evaluator.h"
#include "models/net_spec.h"
#include "models/torch/inference_net.h"

namespace qirkat {

// Packed rows travel to the device through page-locked arrays, allocated once, and are unpacked
// there. Begin queues copies and layers on a stream of the evaluator's own and returns; Wait waits
// for that stream alone. Every batch is padded to `rows` >= max_batch rows, because the libraries
// of GPUs choose their algorithms by its size. With `graphs` the layers are one launch on CUDA, if
// the program has CUDA graphs. `net` must be on `device` and made for that many rows. On the device
// "cpu", which has no streams, Begin computes: for tests.
std::unique_ptr<Evaluator> MakeDeviceEvaluator(const NetSpec& spec, torch::Device device,
                                               std::shared_ptr<const InferenceNet> net,
                                               int max_batch, int rows, bool graphs);

}  // namespace qirkat
