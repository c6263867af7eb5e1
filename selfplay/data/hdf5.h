// HDF5 files built and read in memory (the C API's core driver): what reaches the disk is written
// by our own file functions, so that a full disk never meets the library, and what comes from the
// disk was checked by its seal (sealed_file.h) before the library sees it.
//
// HDF5 is not thread-safe: a reader or writer holds the one process-wide lock for as long as it
// lives.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qirkat::hdf5 {

// An identifier of the library, closed by the function of its kind.
class Id {
 public:
  using Closer = herr_t (*)(hid_t);
  Id() = default;
  Id(hid_t id, Closer closer) : id_(id), closer_(closer) {}
  Id(Id&& other) noexcept : id_(other.id_), closer_(other.closer_) { other.id_ = H5I_INVALID_HID; }
  Id& operator=(Id&& other) noexcept;
  ~Id();
  hid_t get() const { return id_; }
  bool valid() const { return id_ >= 0; }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Closer closer_ = nullptr;
};

// The element types of datasets, as the file holds them (little-endian).
template <class Element>
hid_t TypeOf();

// A file being made. Any failure of the library is a bug.
class ImageWriter {
 public:
  ImageWriter();
  void AddGroup(const char* name);
  void AddAttribute(const char* name, const std::string& text);
  void AddAttribute(const char* name, std::uint64_t value);
  void AddAttribute(const char* name, const std::vector<std::string>& texts);
  // A list, or a matrix if `width` >= 0 elements stand in a row. Chunked, shuffled, deflated.
  template <class Element>
  void AddDataset(const char* name, const std::vector<Element>& values, int width) {
    AddDataset(name, TypeOf<Element>(), sizeof(Element), values.data(), values.size(), width);
  }
  // A list of texts of at most `size` bytes, each padded with zeros to `size`.
  void AddTexts(const char* name, const std::vector<char>& padded, std::size_t size);
  // The bytes of the whole file. The writer is of no more use and holds no lock after it.
  std::vector<std::uint8_t> Finish();

 private:
  void AddDataset(const char* name, hid_t type, std::size_t element_bytes, const void* values,
                  std::size_t count, int width);

  std::unique_lock<std::mutex> lock_;
  Id file_;
};

// A file read from its bytes. Whatever is not there, or of another type or shape, throws UserError.
class ImageReader {
 public:
  // Copies nothing that outlives the call: `image` may go after it.
  explicit ImageReader(std::span<const std::uint8_t> image);
  std::string Text(const char* name) const;
  std::uint64_t Number(const char* name) const;
  std::vector<std::string> Texts(const char* name) const;
  template <class Element>
  void Read(const char* name, int width, std::vector<Element>& values) const {
    const Id dataset = Open(name, TypeOf<Element>());
    values.resize(Count(name, dataset, width, sizeof(Element)));
    Load(name, dataset, TypeOf<Element>(), values.data());
  }
  // Texts padded with zeros to `size` bytes each.
  std::vector<char> ReadTexts(const char* name, std::size_t& size) const;

 private:
  // type < 0: any.
  Id Open(const char* name, hid_t type) const;
  std::size_t Count(const char* name, const Id& dataset, int width,
                    std::size_t element_bytes) const;
  void Load(const char* name, const Id& dataset, hid_t type, void* values) const;

  std::unique_lock<std::mutex> lock_;
  std::size_t most_bytes_;  // that a dataset of this file can hold
  Id file_;
};

}  // namespace qirkat::hdf5
