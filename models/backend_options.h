// Which backend evaluates a network, where and how exactly.
#pragma once

#include <string>

namespace qirkat {

struct BackendOptions {
  std::string backend = "auto";    // auto, onednn, torch, checker (models/backends/backends.h)
  std::string device = "auto";     // auto, cpu, cuda, cuda:N
  std::string precision = "auto";  // fp32, bf16, int8 … as the backend has them
  // The kind of CPU whose arithmetic it is (OnednnCpu::name), "any" where a GPU computes.
  std::string cpu = "auto";
};

}  // namespace qirkat
