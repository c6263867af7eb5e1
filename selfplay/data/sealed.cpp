#include "selfplay/data/sealed.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "envs/core/error.h"
#include "envs/core/text.h"
#include "selfplay/data/bytes.h"
#include "selfplay/data/crc32c.h"
#include "selfplay/data/hdf5.h"
#include "selfplay/data/header.h"
#include "selfplay/data/schema.h"

namespace qirkat {
namespace {

constexpr std::uint8_t kHdf5Signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1A, '\n'};
constexpr char kSealMagic[8] = {'Q', 'I', 'R', 'K', 'S', 'E', 'A', 'L'};
constexpr std::size_t kSealBytes = sizeof(kSealMagic) + sizeof(std::uint32_t);

using Texts = std::vector<std::string>;

// The texts one after the other, each padded with zeros to the length of the longest.
std::vector<char> PadTexts(const Texts& texts, std::size_t& size) {
  size = 1;
  for (const std::string& text : texts) size = std::max(size, text.size());
  std::vector<char> padded(texts.size() * size, 0);
  for (std::size_t k = 0; k < texts.size(); ++k) {
    std::copy(texts[k].begin(), texts[k].end(), padded.begin() + static_cast<long>(k * size));
  }
  return padded;
}

Texts UnpadTexts(const std::vector<char>& padded, std::size_t size) {
  Texts texts(padded.size() / size);
  for (std::size_t k = 0; k < texts.size(); ++k) {
    const char* text = padded.data() + k * size;
    texts[k].assign(text, strnlen(text, size));
  }
  return texts;
}

// CRC32C of all datasets' little-endian bytes in name order.
std::uint32_t DatasetChecksum(const ShardColumns& columns) {
  std::uint32_t crc = 0;
  VisitDatasets(columns, [&](const char*, const auto& column, int) {
    if constexpr (std::is_same_v<std::decay_t<decltype(column)>, Texts>) {
      std::size_t size = 0;
      const std::vector<char> padded = PadTexts(column, size);
      crc = Crc32c(padded.data(), padded.size(), crc);
    } else {
      crc = Crc32c(column.data(), column.size() * sizeof(column[0]), crc);
    }
  });
  return crc;
}

void AddHeader(hdf5::ImageWriter& out, const ShardHeader& header) {
  out.AddAttribute("schema_version", kSchemaVersion);
  out.AddAttribute("game", header.game);
  out.AddAttribute("game_version", static_cast<std::uint64_t>(header.game_version));
  out.AddAttribute("options", OptionsToJson(header.game_options));
  out.AddAttribute("columns", static_cast<std::uint64_t>(header.columns));
  out.AddAttribute("rows", static_cast<std::uint64_t>(header.rows));
  out.AddAttribute("plane_names", header.plane_names);
  out.AddAttribute("scalar_names", header.scalar_names);
  out.AddAttribute("plane_bytes", static_cast<std::uint64_t>(header.plane_bytes));
  out.AddAttribute("legal_bytes", static_cast<std::uint64_t>(header.legal_bytes));
  out.AddAttribute("policy_size", static_cast<std::uint64_t>(header.policy_size));
  out.AddAttribute("config", header.config);
  out.AddAttribute("model", header.model);
  out.AddAttribute("seed", header.seed);
  out.AddAttribute("generation", header.generation);
}

// An attribute that a program's int holds.
int SmallNumber(const hdf5::ImageReader& in, const char* name) {
  const std::uint64_t value = in.Number(name);
  if (value > 1u << 30) throw UserError(StrCat("attribute '", name, "' is ", value));
  return static_cast<int>(value);
}

ShardHeader ReadHeader(const hdf5::ImageReader& in) {
  const std::uint64_t version = in.Number("schema_version");
  if (version != kSchemaVersion) {
    throw UserError(StrCat("shard of schema version ", version, "; this program reads version ",
                           kSchemaVersion));
  }
  ShardHeader header;
  header.game = in.Text("game");
  header.game_version = SmallNumber(in, "game_version");
  header.game_options = OptionsFromJson(in.Text("options"));
  header.columns = SmallNumber(in, "columns");
  header.rows = SmallNumber(in, "rows");
  header.plane_names = in.Texts("plane_names");
  header.scalar_names = in.Texts("scalar_names");
  header.plane_bytes = SmallNumber(in, "plane_bytes");
  header.legal_bytes = SmallNumber(in, "legal_bytes");
  header.policy_size = SmallNumber(in, "policy_size");
  header.config = in.Text("config");
  header.model = in.Text("model");
  header.seed = in.Number("seed");
  header.generation = in.Number("generation");
  return header;
}

// The HDF5 image within a sealed file.
std::span<const std::uint8_t> CheckSeal(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < kSealBytes) throw UserError("not a whole shard: cut short");
  const auto image = bytes.first(bytes.size() - kSealBytes);
  const std::uint8_t* seal = image.data() + image.size();
  if (std::memcmp(seal, kSealMagic, sizeof(kSealMagic)) != 0) {
    throw UserError(
        "not a whole shard: it does not end with a seal (cut short, or an HDF5 file of another "
        "program)");
  }
  std::uint32_t crc;
  std::memcpy(&crc, seal + sizeof(kSealMagic), sizeof(crc));
  if (Crc32c(image.data(), image.size()) != crc) {
    throw UserError("damaged shard: its bytes do not match its seal");
  }
  return image;
}

}  // namespace

bool IsHdf5(std::span<const std::uint8_t> bytes) {
  return bytes.size() >= sizeof(kHdf5Signature) &&
         std::memcmp(bytes.data(), kHdf5Signature, sizeof(kHdf5Signature)) == 0;
}

std::vector<std::uint8_t> EncodeShard(const PackedShard& shard) {
  hdf5::ImageWriter out;
  AddHeader(out, shard.header);
  out.AddAttribute("games", shard.columns.games.size());
  out.AddAttribute("positions", shard.columns.positions.size());
  out.AddAttribute("checksum", DatasetChecksum(shard.columns));
  out.AddGroup("games");
  out.AddGroup("positions");
  VisitDatasets(shard.columns, [&](const char* name, const auto& column, int width) {
    if constexpr (std::is_same_v<std::decay_t<decltype(column)>, Texts>) {
      std::size_t size = 0;
      const std::vector<char> padded = PadTexts(column, size);
      out.AddTexts(name, padded, size);
    } else {
      out.AddDataset(name, column, width);
    }
  });
  std::vector<std::uint8_t> bytes = out.Finish();
  const std::uint32_t crc = Crc32c(bytes.data(), bytes.size());
  ByteWriter seal;
  seal.PutArray(kSealMagic, sizeof(kSealMagic));
  seal.Put(crc);
  const std::vector<std::uint8_t> seal_bytes = seal.Take();
  bytes.insert(bytes.end(), seal_bytes.begin(), seal_bytes.end());
  return bytes;
}

PackedShard DecodeShard(std::span<const std::uint8_t> bytes) {
  const hdf5::ImageReader in(CheckSeal(bytes));
  PackedShard shard;
  shard.header = ReadHeader(in);
  shard.columns = MakeShardColumns(shard.header);
  VisitDatasets(shard.columns, [&](const char* name, auto& column, int width) {
    if constexpr (std::is_same_v<std::decay_t<decltype(column)>, Texts>) {
      std::size_t size = 0;
      const std::vector<char> padded = in.ReadTexts(name, size);
      column = UnpadTexts(padded, size);
    } else {
      in.Read(name, width, column);
    }
  });
  if (in.Number("checksum") != DatasetChecksum(shard.columns)) {
    throw UserError("damaged shard: its datasets do not match the attribute 'checksum'");
  }
  if (in.Number("games") != shard.columns.games.size() ||
      in.Number("positions") != shard.columns.positions.size()) {
    throw UserError("damaged shard: the attributes 'games' and 'positions' are no sizes of it");
  }
  shard.columns.CheckAndIndex(shard.header.policy_size);
  return shard;
}

ShardSummary DecodeSummary(std::span<const std::uint8_t> bytes) {
  const hdf5::ImageReader in(CheckSeal(bytes));
  ShardSummary summary;
  summary.header = ReadHeader(in);
  summary.games = in.Number("games");
  summary.positions = in.Number("positions");
  summary.file_bytes = bytes.size();
  summary.sealed = true;
  return summary;
}

}  // namespace qirkat
