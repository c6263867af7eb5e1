// Counts this thread's calls of operator new. In a file of its own: where the compiler sees both
// the replaced operators and their callers, it takes malloc and delete for a mistake.
#pragma once

#include <cstdint>

namespace qirkat {

std::uint64_t Allocations();

}  // namespace qirkat
