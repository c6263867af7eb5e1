#include "envs/core/typed_line.h"

namespace qirkat {

std::string NormalizeActionText(std::string_view text) {
  std::string normalized(text);
  for (std::size_t i = 0; i + 1 < normalized.size(); ++i) {
    const bool before_rank = normalized[i + 1] >= '0' && normalized[i + 1] <= '9';
    if (before_rank && normalized[i] >= 'A' && normalized[i] <= 'J') normalized[i] += 'a' - 'A';
  }
  return normalized;
}

}  // namespace qirkat
