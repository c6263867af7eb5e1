#include "selfplay/data/journal.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "envs/core/error.h"
#include "envs/core/text.h"
#include "selfplay/data/bytes.h"
#include "selfplay/data/crc32c.h"
#include "selfplay/data/header.h"

namespace qirkat {
namespace {

constexpr char kMagic[8] = {'Q', 'I', 'R', 'K', 'J', 'R', 'N', 'L'};

// Before each game.
struct Frame {
  std::uint32_t length;      // of the game record
  std::uint32_t record_crc;  // of the game record
  std::uint32_t frame_crc;   // of the two fields above: a damaged length is no torn end
};
static_assert(sizeof(Frame) == 12);

std::uint32_t FrameCrc(const Frame& frame) { return Crc32c(&frame, 8); }

// One entry at the start of `rest`: adds the game and returns the bytes used, or returns 0 with
// either `torn_bytes` or `damage` set.
std::size_t TakeEntry(std::span<const std::uint8_t> rest, JournalContents& contents) {
  Frame frame;
  if (rest.size() < sizeof(frame)) {
    contents.torn_bytes = rest.size();
    return 0;
  }
  std::memcpy(&frame, rest.data(), sizeof(frame));
  if (FrameCrc(frame) != frame.frame_crc) {
    // A loss of power can leave a longer file whose last blocks were never written.
    if (std::all_of(rest.begin(), rest.end(), [](std::uint8_t byte) { return byte == 0; })) {
      contents.torn_bytes = rest.size();
    } else {
      contents.damage = "the frame of a game does not match its checksum";
    }
    return 0;
  }
  const std::size_t whole = sizeof(frame) + frame.length;
  if (rest.size() < whole) {
    contents.torn_bytes = rest.size();
    return 0;
  }
  const std::uint8_t* record = rest.data() + sizeof(frame);
  if (Crc32c(record, frame.length) != frame.record_crc) {
    if (rest.size() == whole) {
      contents.torn_bytes = rest.size();
    } else {
      contents.damage = "a game does not match its checksum";
    }
    return 0;
  }
  try {
    GameRecord game = ParseGame(record, frame.length);
    if (!FitsHeader(game, contents.header)) throw UserError("a game's rows have another size");
    contents.games.push_back(std::move(game));
  } catch (const UserError& error) {
    contents.damage = error.what();
    return 0;
  }
  return whole;
}

}  // namespace

bool IsJournal(std::span<const std::uint8_t> bytes) {
  return bytes.size() >= sizeof(kMagic) && std::memcmp(bytes.data(), kMagic, sizeof(kMagic)) == 0;
}

std::vector<std::uint8_t> JournalStart(const ShardHeader& header) {
  ByteWriter body;
  PutHeader(body, header);
  const std::vector<std::uint8_t> bytes = body.Take();
  ByteWriter out;
  out.PutArray(kMagic, sizeof(kMagic));
  out.Put(static_cast<std::uint32_t>(kSchemaVersion));
  out.Put(static_cast<std::uint32_t>(bytes.size()));
  out.Put(Crc32c(bytes.data(), bytes.size()));
  out.PutArray(bytes.data(), bytes.size());
  return out.Take();
}

std::vector<std::uint8_t> JournalEntry(const GameRecord& game) {
  const std::vector<std::uint8_t> record = SerializeGame(game);
  Frame frame{static_cast<std::uint32_t>(record.size()), Crc32c(record.data(), record.size()), 0};
  frame.frame_crc = FrameCrc(frame);
  ByteWriter out;
  out.PutArray(&frame, 1);
  out.PutArray(record.data(), record.size());
  return out.Take();
}

JournalContents ParseJournal(std::span<const std::uint8_t> bytes) {
  if (!IsJournal(bytes)) throw UserError("not a journal");
  ByteReader in(bytes.subspan(sizeof(kMagic)), "journal");
  const auto version = in.Get<std::uint32_t>();
  if (version != kSchemaVersion) {
    throw UserError(StrCat("journal of schema version ", version, "; this program reads version ",
                           kSchemaVersion));
  }
  const std::uint32_t header_size = in.GetCount(1);
  const auto header_crc = in.Get<std::uint32_t>();
  const std::vector<std::uint8_t> header_bytes = in.GetArray<std::uint8_t>(header_size);
  if (Crc32c(header_bytes.data(), header_bytes.size()) != header_crc) {
    throw UserError("damaged journal: the header does not match its checksum");
  }
  JournalContents contents;
  ByteReader header_in(header_bytes, "journal header");
  contents.header = GetHeader(header_in);
  header_in.ExpectEnd();
  contents.valid_bytes = bytes.size() - in.remaining();
  while (contents.valid_bytes < bytes.size()) {
    const std::size_t used = TakeEntry(bytes.subspan(contents.valid_bytes), contents);
    if (used == 0) break;
    contents.valid_bytes += used;
  }
  return contents;
}

void RequireUndamaged(const JournalContents& contents) {
  if (contents.damage.empty()) return;
  throw UserError(StrCat("damaged at byte ", contents.valid_bytes, ", behind ",
                         contents.games.size(), " good games: ", contents.damage,
                         "; `qirkat data verify` checks the rest"));
}

JournalFile::JournalFile(std::filesystem::path path, std::size_t size)
    : path_(std::move(path)),
      size_(size),
      descriptor_(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC)) {
  if (descriptor_ < 0) {
    throw UserError(StrCat("cannot write ", path_.string(), ": ", std::strerror(errno)));
  }
  CutBack();
}

JournalFile::~JournalFile() { ::close(descriptor_); }

void JournalFile::Append(std::span<const std::uint8_t> entry) {
  std::size_t done = 0;
  while (done < entry.size()) {
    const ssize_t written = ::write(descriptor_, entry.data() + done, entry.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int error = errno;
      CutBack();
      throw UserError(StrCat("cannot write ", path_.string(), ": ", std::strerror(error)));
    }
    done += static_cast<std::size_t>(written);
  }
  size_ += entry.size();
}

void JournalFile::CutBack() {
  if (::ftruncate(descriptor_, static_cast<off_t>(size_)) != 0) {
    throw UserError(StrCat("cannot write ", path_.string(), ": ", std::strerror(errno)));
  }
}

}  // namespace qirkat
