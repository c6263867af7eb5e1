#include "tests/frontends/run_program.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace qirkat::test {
namespace {

constexpr int kCouldNotStart = 127;

std::string ReadAll(std::FILE* file) {
  std::string text;
  char buffer[4096];
  ssize_t size;
  off_t offset = 0;
  while ((size = pread(fileno(file), buffer, sizeof buffer, offset)) > 0) {
    text.append(buffer, static_cast<std::size_t>(size));
    offset += size;
  }
  return text;
}

void Limit(decltype(RLIMIT_AS) resource, std::size_t bytes) {
  const rlimit limit = {bytes, bytes};
  if (bytes > 0) setrlimit(resource, &limit);
}

// In the child, between fork and exec: only calls that are safe there.
[[noreturn]] void Execute(const std::vector<char*>& argv, const ProgramOptions& options, int in,
                          int out, int err) {
  if (!options.output_file.empty()) out = open(options.output_file.c_str(), O_WRONLY);
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  if (options.without_root_rights && geteuid() == 0) {
    // The rights to pass over permission bits, gone from the exec on.
    if (prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE) != 0) _exit(kCouldNotStart);
    if (prctl(PR_CAPBSET_DROP, CAP_DAC_READ_SEARCH) != 0) _exit(kCouldNotStart);
  }
  Limit(RLIMIT_AS, options.memory_bytes);
  Limit(RLIMIT_FSIZE, options.file_bytes);
  // A write past the limit then fails with EFBIG, as a full disk fails with ENOSPC.
  signal(SIGXFSZ, options.file_bytes > 0 ? SIG_IGN : SIG_DFL);
  if (!options.directory.empty() && chdir(options.directory.c_str()) != 0) _exit(kCouldNotStart);
  execv(argv[0], argv.data());
  _exit(kCouldNotStart);
}

}  // namespace

Program::Program(const Arguments& arguments, const ProgramOptions& options)
    : in_(std::tmpfile()), out_(std::tmpfile()), err_(std::tmpfile()) {
  if (!in_ || !out_ || !err_) throw std::runtime_error("no temporary file");
  std::fwrite(options.input.data(), 1, options.input.size(), in_.get());
  std::rewind(in_.get());
  std::vector<std::string> words = {QIRKAT_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) Execute(argv, options, fileno(in_.get()), fileno(out_.get()), fileno(err_.get()));
  if (pid_ < 0) throw std::runtime_error("cannot fork");
}

Program::~Program() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void Program::Signal(int signal) const { kill(pid_, signal); }

ProgramResult Program::Wait() {
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  ProgramResult result;
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  result.out = ReadAll(out_.get());
  result.err = ReadAll(err_.get());
  return result;
}

std::string Program::ErrSoFar() const { return ReadAll(err_.get()); }

void ExpectUserError(const Arguments& arguments, const std::vector<std::string>& parts,
                     const ProgramOptions& options) {
  SCOPED_TRACE("qirkat " + ::testing::PrintToString(arguments));
  const ProgramResult result = RunProgram(arguments, options);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, ::testing::StartsWith("error: "));
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  for (const std::string& part : parts) EXPECT_THAT(result.err, ::testing::HasSubstr(part));
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "qirkat_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::Write(const std::string& name, const std::string& bytes) const {
  const std::filesystem::path path = path_ / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
  return path.string();
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::map<std::string, std::string> Snapshot(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    files[entry.path().lexically_relative(folder).string()] =
        entry.is_regular_file() ? ReadFile(entry.path()) : "";
  }
  return files;
}

}  // namespace qirkat::test
