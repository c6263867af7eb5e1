// Runs a fuzz target on the files of a folder: what compilers without libFuzzer build.
//   fuzz_position tests/fuzz/corpus/position
#include <algorithm>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <iostream>
#include <vector>

#include "envs/core/file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: " << argv[0] << " FOLDER\n";
    return 2;
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    files.push_back(entry.path());
  }
  std::ranges::sort(files);
  for (const auto& file : files) {
    try {
      const auto bytes = qirkat::ReadFileBytes(file);
      LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    } catch (const std::exception& error) {
      std::cerr << file.string() << ": " << error.what() << '\n';
      return 1;
    }
  }
  std::cout << files.size() << " inputs\n";
  return files.empty() ? 1 : 0;
}
