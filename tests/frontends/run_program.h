// Runs the program `qirkat` as a user does and looks at what it prints, returns and leaves on disk.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace qirkat::test {

using Arguments = std::vector<std::string>;

struct ProgramOptions {
  std::string input = {};        // on standard input
  std::string output_file = {};  // where standard output goes instead of `out` ("/dev/full")
  std::filesystem::path directory = {};  // working directory; empty: this one
  // The permission bits of files hold for the program, even if the test runs as root.
  bool without_root_rights = false;
  std::size_t memory_bytes = 0;  // address space limit; 0: none
  std::size_t file_bytes = 0;    // largest file it may write, as on a full disk; 0: no limit
};

struct ProgramResult {
  int exit_code = -1;  // -1: ended by `signal`
  int signal = 0;
  std::string out, err;
};

// A program that runs until Wait returns.
class Program {
 public:
  explicit Program(const Arguments& arguments, const ProgramOptions& options = {});
  ~Program();  // kills it if it still runs
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void Signal(int signal) const;
  ProgramResult Wait();
  std::string ErrSoFar() const;

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  using File = std::unique_ptr<std::FILE, CloseFile>;
  File in_, out_, err_;
  pid_t pid_ = -1;
};

inline ProgramResult RunProgram(const Arguments& arguments, const ProgramOptions& options = {}) {
  return Program(arguments, options).Wait();
}

// Expects exit code 2, nothing on standard output and one line "error: …" on standard error that
// holds every text of `parts`.
void ExpectUserError(const Arguments& arguments, const std::vector<std::string>& parts,
                     const ProgramOptions& options = {});

// A folder that goes away with the test.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  // Writes a file below it; returns its path.
  std::string Write(const std::string& name, const std::string& bytes) const;

 private:
  std::filesystem::path path_;
};

std::string ReadFile(const std::filesystem::path& path);
// Every file below `folder`, by its path there, with its bytes: equal before and after means that
// nothing changed.
std::map<std::string, std::string> Snapshot(const std::filesystem::path& folder);

}  // namespace qirkat::test
