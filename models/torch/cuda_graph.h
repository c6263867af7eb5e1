// CUDA graphs: what was queued once starts again in a single launch.
#pragma once

#include <functional>
#include <memory>

namespace qirkat {

class CudaGraph {
 public:
  virtual ~CudaGraph() = default;
  // Queues the recorded work on the thread's current stream.
  virtual void Replay() = 0;
};

// Records what `work` queues on the current stream of the current CUDA device, after a few runs in
// which libraries choose kernels and allocate. The arrays that it reads and writes must outlive the
// graph and stay where they are; the graph keeps what `work` allocates. Null in a program that was
// built without CUDA's headers.
std::unique_ptr<CudaGraph> RecordCudaGraph(const std::function<void()>& work);

}  // namespace qirkat
