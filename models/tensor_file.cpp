#include "models/tensor_file.h"

#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "envs/core/error.h"
#include "envs/core/file.h"
#include "envs/core/text.h"
#include "models/net_weights.h"

namespace qirkat {
namespace {

static_assert(std::endian::native == std::endian::little, "the file is little-endian");

using Json = nlohmann::ordered_json;
using Digest = std::array<std::uint8_t, SHA256_DIGEST_LENGTH>;

// As in PNG: a transfer that treats the file as text damages the magic.
constexpr std::array<std::uint8_t, 8> kMagic = {'Q', 'I', 'R', 'K', 'A', 'T', 0x1A, '\n'};
constexpr int kFormatVersion = 1;
constexpr std::size_t kPrefixBytes = kMagic.size() + sizeof(std::uint64_t);
constexpr std::size_t kMaxRank = 8;

Digest Sha256(std::span<const std::uint8_t> bytes) {
  Digest digest;
  SHA256(bytes.data(), bytes.size(), digest.data());
  return digest;
}

std::string Hex(std::span<const std::uint8_t> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

void Append(std::vector<std::uint8_t>& bytes, const void* data, std::size_t size) {
  const auto* first = static_cast<const std::uint8_t*>(data);
  bytes.insert(bytes.end(), first, first + size);
}

// The number of values of a tensor of this shape, or an error if it is above `limit`: whatever a
// header claims, no more is allocated than the file holds.
std::size_t CountValues(const std::vector<std::int64_t>& shape, std::size_t limit) {
  if (shape.size() > kMaxRank) throw UserError("a tensor has too many dimensions");
  std::size_t count = 1;
  for (const std::int64_t size : shape) {
    if (size < 0) throw UserError("a tensor has a negative size");
    if (size > 0 && count > limit / static_cast<std::uint64_t>(size)) {
      throw UserError("a tensor is larger than the file");
    }
    count *= static_cast<std::size_t>(size);
  }
  return count;
}

// Reads header and data of a file whose magic and digest are right.
TensorFile ParseBody(std::span<const std::uint8_t> bytes) {
  std::uint64_t header_bytes = 0;
  std::memcpy(&header_bytes, bytes.data() + kMagic.size(), sizeof header_bytes);
  std::span<const std::uint8_t> rest = bytes.subspan(kPrefixBytes);
  if (header_bytes > rest.size()) throw UserError("the header is larger than the file");
  const auto header = rest.first(header_bytes);
  rest = rest.subspan(header_bytes);
  try {
    const Json json = Json::parse(header.begin(), header.end());
    const auto version = json.at("format").get<std::int64_t>();
    if (version != kFormatVersion) {
      throw UserError(StrCat("format ", version, " is not known; accepted: ", kFormatVersion));
    }
    TensorFile file{.kind = json.at("kind").get<std::string>(),
                    .metadata = json.at("metadata").get<std::string>(),
                    .tensors = {}};
    for (const Json& item : json.at("tensors")) {
      NamedTensor tensor{.name = item.at("name").get<std::string>(),
                         .shape = item.at("shape").get<std::vector<std::int64_t>>(),
                         .values = {}};
      const std::size_t count = CountValues(tensor.shape, rest.size() / sizeof(float));
      tensor.values.resize(count);
      if (count > 0) std::memcpy(tensor.values.data(), rest.data(), count * sizeof(float));
      rest = rest.subspan(count * sizeof(float));
      file.tensors.push_back(std::move(tensor));
    }
    if (!rest.empty()) throw UserError("there is data that belongs to no tensor");
    return file;
  } catch (const Json::exception& error) {
    throw UserError(StrCat("the header is damaged: ", Quoted(error.what(), 200)));
  }
}

}  // namespace

std::vector<std::uint8_t> SerializeTensorFile(const TensorFile& file) {
  Json json;
  json["format"] = kFormatVersion;
  json["kind"] = file.kind;
  json["metadata"] = file.metadata;
  json["tensors"] = Json::array();
  std::size_t data_bytes = 0;
  for (const NamedTensor& tensor : file.tensors) {
    QIRKAT_CHECK(CountValues(tensor.shape, tensor.values.size()) == tensor.values.size(),
                 tensor.name, tensor.values.size());
    Json item;
    item["name"] = tensor.name;
    item["shape"] = tensor.shape;
    json["tensors"].push_back(std::move(item));
    data_bytes += tensor.values.size() * sizeof(float);
  }
  const std::string header = json.dump();
  const std::uint64_t header_bytes = header.size();
  std::vector<std::uint8_t> bytes;
  bytes.reserve(kPrefixBytes + header.size() + data_bytes + SHA256_DIGEST_LENGTH);
  Append(bytes, kMagic.data(), kMagic.size());
  Append(bytes, &header_bytes, sizeof header_bytes);
  Append(bytes, header.data(), header.size());
  for (const NamedTensor& tensor : file.tensors) {
    Append(bytes, tensor.values.data(), tensor.values.size() * sizeof(float));
  }
  const Digest digest = Sha256(bytes);
  Append(bytes, digest.data(), digest.size());
  return bytes;
}

TensorFile ParseTensorFile(std::span<const std::uint8_t> bytes, std::string_view kind) {
  if (bytes.size() < kMagic.size() || !std::equal(kMagic.begin(), kMagic.end(), bytes.begin())) {
    throw UserError(StrCat("not a Qirkat ", kind, " file"));
  }
  Digest stored;
  if (bytes.size() < kPrefixBytes + stored.size()) throw UserError("truncated");
  const auto body = bytes.first(bytes.size() - stored.size());
  std::memcpy(stored.data(), bytes.data() + body.size(), stored.size());
  if (Sha256(body) != stored) {
    throw UserError("damaged or truncated (its content does not match its SHA-256)");
  }
  TensorFile file = ParseBody(body);
  if (file.kind != kind) {
    throw UserError(StrCat("holds ", Quoted(file.kind), ", not ", Quoted(kind)));
  }
  return file;
}

void WriteTensorFile(const std::filesystem::path& path, const TensorFile& file) {
  WriteFileAtomically(path, SerializeTensorFile(file));
}

TensorFile ReadTensorFile(const std::filesystem::path& path, std::string_view kind) {
  const std::vector<std::uint8_t> bytes = ReadFileBytes(path);
  return InContext(path.string(), [&] { return ParseTensorFile(bytes, kind); });
}

std::string Sha256Hex(std::span<const std::uint8_t> bytes) { return Hex(Sha256(bytes)); }

TensorFile ToTensorFile(const Model& model) {
  return {.kind = "model", .metadata = NetSpecToJson(model.spec), .tensors = model.weights};
}

void WriteModel(const std::filesystem::path& path, const Model& model) {
  WriteTensorFile(path, ToTensorFile(model));
}

Model ReadModel(const std::filesystem::path& path) {
  TensorFile file = ReadTensorFile(path, "model");
  return InContext(path.string(), [&] {
    Model model{.spec = NetSpecFromJson(file.metadata), .weights = std::move(file.tensors)};
    CheckWeights(model.spec, model.weights);
    for (const NamedTensor& tensor : model.weights) {
      if (!std::ranges::all_of(tensor.values, [](float value) { return std::isfinite(value); })) {
        throw UserError(StrCat("the weights ", tensor.name, " hold a value that is no number"));
      }
      if (tensor.name.ends_with(".running_var") &&
          std::ranges::any_of(tensor.values, [](float value) { return value < 0; })) {
        throw UserError(StrCat("the weights ", tensor.name, " hold a negative variance"));
      }
    }
    return model;
  });
}

std::string ModelName(const Model& model) {
  return Sha256Hex(SerializeTensorFile(ToTensorFile(model))).substr(0, 16);
}

}  // namespace qirkat
