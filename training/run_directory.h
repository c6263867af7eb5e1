// The directory of a training run (run.h shows what is in it): names, lock, free disk, leftovers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "training/config.h"

namespace qirkat {

class RunDirectory {
 public:
  // Makes the directory if it is not there, and locks it for this process. Throws UserError if it
  // already has a run and `resume` is false, if it has none and `resume` is true, if another
  // process trains there, if it cannot be written.
  RunDirectory(std::filesystem::path root, bool resume);
  ~RunDirectory();
  RunDirectory(const RunDirectory&) = delete;
  RunDirectory& operator=(const RunDirectory&) = delete;

  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path config() const { return root_ / "config.toml"; }
  std::filesystem::path model() const { return root_ / "model.qkt"; }
  std::filesystem::path data(std::uint64_t generation) const;
  std::filesystem::path checkpoint(std::uint64_t generation) const;
  // Where an interrupted generation's learning is kept.
  std::filesystem::path unfinished() const { return checkpoints() / "unfinished"; }

  // Generations that have a checkpoint, ascending.
  std::vector<std::uint64_t> Checkpoints() const;
  // Removes all but the newest `keep` checkpoints and every 10th; keep 0: removes none.
  void ThinCheckpoints(std::int64_t keep) const;
  // Throws UserError if fewer than `min_mib` MiB are free there.
  void CheckFreeDisk(std::int64_t min_mib) const;

 private:
  std::filesystem::path checkpoints() const { return root_ / "checkpoints"; }
  std::filesystem::path root_;
  int lock_ = -1;
};

// The config that a resumed run goes on with: `given`, with the stored value where it says "auto".
// Throws UserError that names the first option that changes results and differs. `where` names the
// stored config.
RunConfig MergeResumedConfig(const RunConfig& stored, const RunConfig& given,
                             const std::string& where);

}  // namespace qirkat
