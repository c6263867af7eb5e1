// The flat file of named float tensors that models, optimizer state and checkpoints share. No
// pickle: magic, header length, JSON header, little-endian float32 data, SHA-256 of everything
// before it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/net_spec.h"

namespace qirkat {

struct NamedTensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<float> values;  // row-major
};

struct TensorFile {
  std::string kind;      // "model", "optimizer" …: a file of another kind is refused
  std::string metadata;  // JSON text of the owner
  std::vector<NamedTensor> tensors;
};

// Equal contents give equal bytes. Written to a temporary name, fsynced and renamed into place.
// Throws UserError if it cannot be written.
void WriteTensorFile(const std::filesystem::path& path, const TensorFile& file);
std::vector<std::uint8_t> SerializeTensorFile(const TensorFile& file);
// The inverse of SerializeTensorFile. Throws UserError (truncated, damaged, foreign, of another
// kind).
TensorFile ParseTensorFile(std::span<const std::uint8_t> bytes, std::string_view kind);
// Throws UserError as ParseTensorFile does, or if the file is missing; it names `path`.
TensorFile ReadTensorFile(const std::filesystem::path& path, std::string_view kind);

// SHA-256 as lower-case hex.
std::string Sha256Hex(std::span<const std::uint8_t> bytes);

// A model: spec and weights. Its name everywhere is the content hash (first 16 hex digits of the
// SHA-256 of its serialized form).
struct Model {
  NetSpec spec;
  std::vector<NamedTensor> weights;  // by parameter or buffer name, in the net's order
};
TensorFile ToTensorFile(const Model& model);
void WriteModel(const std::filesystem::path& path, const Model& model);
// Throws UserError as ReadTensorFile does, and if the spec is damaged or asks for other weights,
// or a weight is not finite.
Model ReadModel(const std::filesystem::path& path);
std::string ModelName(const Model& model);

}  // namespace qirkat
