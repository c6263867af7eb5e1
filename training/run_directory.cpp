#include "training/run_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "envs/core/error.h"
#include "envs/core/text.h"

namespace qirkat {
namespace {

namespace fs = std::filesystem;

std::string FourDigits(std::uint64_t number) {
  std::string digits = std::to_string(number);
  return std::string(digits.size() < 4 ? 4 - digits.size() : 0, '0') + digits;
}

}  // namespace

RunDirectory::RunDirectory(fs::path root, bool resume) : root_(std::move(root)) {
  if (resume && !fs::exists(config())) {
    throw UserError(StrCat(root_.string(),
                           ": has no run to resume (no config.toml); leave out "
                           "--resume to start one"));
  }
  std::error_code error;
  fs::create_directories(checkpoints(), error);
  if (error) throw UserError(StrCat(root_.string(), ": cannot be made: ", error.message()));
  const fs::path lock = root_ / "lock";
  lock_ = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock_ < 0) throw UserError(StrCat(lock.string(), ": ", std::strerror(errno)));
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    const int reason = errno;
    ::close(lock_);
    if (reason != EWOULDBLOCK) {
      throw UserError(StrCat(lock.string(), ": cannot be locked: ", std::strerror(reason)));
    }
    throw UserError(StrCat(root_.string(),
                           ": another process is training here; wait for it or "
                           "choose another --run directory"));
  }
  if (!resume && fs::exists(config())) {
    ::close(lock_);
    throw UserError(StrCat(root_.string(),
                           ": already has a run; --resume continues it, or choose "
                           "another --run directory"));
  }
}

RunDirectory::~RunDirectory() { ::close(lock_); }

fs::path RunDirectory::data(std::uint64_t generation) const {
  return root_ / "data" / ("gen-" + FourDigits(generation));
}

fs::path RunDirectory::checkpoint(std::uint64_t generation) const {
  return checkpoints() / FourDigits(generation);
}

std::vector<std::uint64_t> RunDirectory::Checkpoints() const {
  std::vector<std::uint64_t> generations;
  for (const fs::directory_entry& entry : fs::directory_iterator(checkpoints())) {
    const std::string name = entry.path().filename().string();
    const auto generation = ParseNumber<std::uint64_t>(name);
    if (generation && name == FourDigits(*generation)) generations.push_back(*generation);
  }
  std::ranges::sort(generations);
  return generations;
}

void RunDirectory::ThinCheckpoints(std::int64_t keep) const {
  if (keep == 0) return;
  std::vector<std::uint64_t> generations = Checkpoints();
  while (generations.size() > static_cast<std::size_t>(keep)) {
    const std::uint64_t oldest = generations.front();
    generations.erase(generations.begin());
    if (oldest % 10 == 0) continue;
    // Renamed first: a process killed here leaves no half checkpoint that looks like a whole one.
    const fs::path doomed = checkpoints() / "removed.partial";
    fs::remove_all(doomed);
    fs::rename(checkpoint(oldest), doomed);
    fs::remove_all(doomed);
  }
}

void RunDirectory::CheckFreeDisk(std::int64_t min_mib) const {
  const std::uint64_t free_mib = fs::space(root_).available >> 20;
  if (free_mib < static_cast<std::uint64_t>(min_mib)) {
    throw UserError(StrCat(root_.string(), ": only ", free_mib, " MiB of disk are free, run.",
                           "min_free_disk asks for ", min_mib,
                           "; free some and continue with --resume"));
  }
}

RunConfig MergeResumedConfig(const RunConfig& stored, const RunConfig& given,
                             const std::string& where) {
  RunConfig merged = given;
  const auto take_stored = [](std::string& value, const std::string& resolved) {
    if (value == "auto") value = resolved;
  };
  take_stored(merged.run.backend, stored.run.backend);
  take_stored(merged.run.device, stored.run.device);
  take_stored(merged.run.precision, stored.run.precision);
  take_stored(merged.run.cpu, stored.run.cpu);
  take_stored(merged.learner.device, stored.learner.device);
  take_stored(merged.learner.precision, stored.learner.precision);
  const std::vector<OptionInfo> before = DescribeConfig(stored), now = DescribeConfig(merged);
  for (std::size_t i = 0; i < before.size() && i < now.size(); ++i) {
    if (!before[i].facts.changes_results) continue;
    if (before[i].name != now[i].name || before[i].value != now[i].value) {
      throw UserError(StrCat("--resume: ", now[i].name, " is ", now[i].value, ", but the run was ",
                             "started with ", before[i].name, " = ", before[i].value, " (", where,
                             "); a run goes on only with the options that it was started with"));
    }
  }
  return merged;
}

}  // namespace qirkat
