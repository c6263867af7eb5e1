#include "models/torch/cuda_graph.h"

#ifdef QIRKAT_CUDA_GRAPHS
// First, because the layout of LibTorch's class depends on CUDA_VERSION.
#include <cuda.h>

#include <ATen/cuda/CUDAGraph.h>
#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <mutex>
#endif

namespace qirkat {

#ifdef QIRKAT_CUDA_GRAPHS
namespace {

static_assert(CUDA_VERSION >= 12040, "CUDA's headers are older than LibTorch");

constexpr int kWarmUps = 3;

class RecordedGraph final : public CudaGraph {
 public:
  explicit RecordedGraph(const std::function<void()>& work) {
    // LibTorch allows one recording at a time in a process, and streams of its pool are handed out
    // again and again: what another thread queued on this one would be recorded too. Nobody else
    // takes those of high priority.
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    const c10::impl::VirtualGuardImpl cuda(c10::kCUDA);
    const c10::Stream before = cuda.getStream(cuda.getDevice());
    const c10::Stream side = cuda.getStreamFromGlobalPool(cuda.getDevice(), true);
    c10::Event queued(c10::kCUDA);
    queued.record(before);
    queued.block(side);
    const c10::StreamGuard guard(side);
    for (int run = 0; run < kWarmUps; ++run) work();
    side.synchronize();
    // Other threads go on calling CUDA meanwhile.
    graph_.capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal);
    work();
    graph_.capture_end();
  }
  void Replay() override { graph_.replay(); }

 private:
  at::cuda::CUDAGraph graph_;
};

}  // namespace

std::unique_ptr<CudaGraph> RecordCudaGraph(const std::function<void()>& work) {
  return std::make_unique<RecordedGraph>(work);
}
#else
std::unique_ptr<CudaGraph> RecordCudaGraph(const std::function<void()>&) { return nullptr; }
#endif

}  // namespace qirkat
