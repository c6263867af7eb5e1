#include "envs/core/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include "envs/core/error.h"
#include "envs/core/text.h"

namespace qirkat {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void ThrowSystem(std::string_view what, const fs::path& path, int error) {
  throw UserError(StrCat("cannot ", what, ' ', path.string(), ": ", std::strerror(error)));
}

// An open file that closes itself.
class File {
 public:
  File(const fs::path& path, int flags, std::string_view what)
      : path_(path), descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) ThrowSystem(what, path, errno);
  }
  ~File() { ::close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::size_t RegularSize() const {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) ThrowSystem("read", path_, errno);
    if (!S_ISREG(status.st_mode)) {
      throw UserError(StrCat("cannot read ", path_.string(), ": not a regular file"));
    }
    return static_cast<std::size_t>(status.st_size);
  }

  // The bytes read; fewer than asked for at the end of the file.
  std::size_t Read(std::span<std::uint8_t> bytes) const {
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t n = ::read(descriptor_, bytes.data() + done, bytes.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) ThrowSystem("read", path_, errno);
      if (n == 0) break;
      done += static_cast<std::size_t>(n);
    }
    return done;
  }

  void Write(std::span<const std::uint8_t> bytes) const {
    while (!bytes.empty()) {
      const ssize_t n = ::write(descriptor_, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) ThrowSystem("write", path_, errno);
      bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
  }

  void Sync() const {
    if (::fsync(descriptor_) != 0) ThrowSystem("write", path_, errno);
  }

 private:
  fs::path path_;
  int descriptor_;
};

fs::path DirectoryOf(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

}  // namespace

std::vector<std::uint8_t> ReadFileBytes(const fs::path& path) {
  const File file(path, O_RDONLY | O_NONBLOCK, "read");
  std::vector<std::uint8_t> bytes(file.RegularSize());
  bytes.resize(file.Read(bytes));
  return bytes;
}

void WriteFileAtomically(const fs::path& path, std::span<const std::uint8_t> bytes) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw UserError(StrCat("cannot write ", path.string(), ": not a regular file"));
  }
  fs::path partial = path;
  partial += kPartialExtension;
  try {
    {
      const File file(partial, O_WRONLY | O_CREAT | O_TRUNC, "write");
      file.Write(bytes);
      file.Sync();
    }
    RenameDurably(partial, path);
  } catch (const UserError&) {
    ::unlink(partial.c_str());
    throw;
  }
}

void WriteFileAtomically(const fs::path& path, std::string_view text) {
  WriteFileAtomically(path,
                      std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

void RenameDurably(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) ThrowSystem("write", to, errno);
  SyncPath(DirectoryOf(to));
}

void SyncPath(const fs::path& path) { File(path, O_RDONLY, "sync").Sync(); }

}  // namespace qirkat
