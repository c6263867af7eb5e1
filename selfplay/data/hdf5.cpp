#include "selfplay/data/hdf5.h"

#include <algorithm>
#include <cstring>

#include "envs/core/error.h"
#include "envs/core/text.h"

namespace qirkat::hdf5 {
namespace {

constexpr hsize_t kMatrixChunkRows = 128;  // read at random
constexpr hsize_t kListChunkRows = 4096;
constexpr unsigned kDeflateLevel = 1;
constexpr std::size_t kImageIncrement = 1 << 20;
// Deflate's best ratio is 1032 : 1; bounds what a forged shape can make us allocate.
constexpr std::size_t kMostInflation = 1100;

std::unique_lock<std::mutex> Lock() {
  static std::mutex mutex;
  std::unique_lock<std::mutex> lock(mutex);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // libraries never print; cheap, and per thread
  return lock;
}

Id Check(hid_t id, Id::Closer closer, const char* what) {
  QIRKAT_CHECK(id >= 0, what);
  return {id, closer};
}

void Check(herr_t status, const char* what) { QIRKAT_CHECK(status >= 0, what); }

[[noreturn]] void ThrowDamaged(std::string_view what, std::string_view name) {
  throw UserError(StrCat("not a Qirkat shard, or a damaged one: ", what, " '", name, '\''));
}

Id Require(hid_t id, Id::Closer closer, std::string_view what, std::string_view name) {
  if (id < 0) ThrowDamaged(what, name);
  return {id, closer};
}

void Require(bool condition, std::string_view what, std::string_view name) {
  if (!condition) ThrowDamaged(what, name);
}

// The type of h5py's str: UTF-8 of any length.
Id AnyText() {
  Id type = Check(H5Tcopy(H5T_C_S1), H5Tclose, "H5Tcopy");
  Check(H5Tset_size(type.get(), H5T_VARIABLE), "H5Tset_size");
  Check(H5Tset_cset(type.get(), H5T_CSET_UTF8), "H5Tset_cset");
  return type;
}

Id PaddedText(std::size_t size) {
  Id type = Check(H5Tcopy(H5T_C_S1), H5Tclose, "H5Tcopy");
  Check(H5Tset_size(type.get(), size), "H5Tset_size");
  Check(H5Tset_cset(type.get(), H5T_CSET_UTF8), "H5Tset_cset");
  Check(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), "H5Tset_strpad");
  return type;
}

void WriteAttribute(const Id& file, const char* name, hid_t type, const Id& space,
                    const void* value) {
  const Id attribute = Check(
      H5Acreate2(file.get(), name, type, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose, name);
  if (value != nullptr) Check(H5Awrite(attribute.get(), type, value), name);
}

// Times would make equal games differ.
void ForgetTimes(const Id& properties) {
  Check(H5Pset_obj_track_times(properties.get(), false), "H5Pset_obj_track_times");
}

Id MemoryFile() {
  Id access = Check(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "H5Pcreate");
  Check(H5Pset_fapl_core(access.get(), kImageIncrement, false), "H5Pset_fapl_core");
  return access;
}

// The texts of an attribute that holds `count` of them.
std::vector<std::string> ReadAnyTexts(const Id& attribute, const Id& space, std::size_t count,
                                      const char* name) {
  const Id type = AnyText();
  std::vector<char*> raw(count, nullptr);
  Require(H5Aread(attribute.get(), type.get(), raw.data()) >= 0, "cannot read attribute", name);
  std::vector<std::string> texts;
  for (const char* text : raw) texts.emplace_back(text == nullptr ? "" : text);
  Check(H5Dvlen_reclaim(type.get(), space.get(), H5P_DEFAULT, raw.data()), "H5Dvlen_reclaim");
  return texts;
}

Id OpenAttribute(const Id& file, const char* name, H5T_class_t type_class) {
  Id attribute = Require(H5Aopen(file.get(), name, H5P_DEFAULT), H5Aclose, "no attribute", name);
  const Id type = Require(H5Aget_type(attribute.get()), H5Tclose, "no attribute", name);
  Require(H5Tget_class(type.get()) == type_class &&
              (type_class != H5T_STRING || H5Tis_variable_str(type.get()) > 0),
          "attribute of another type:", name);
  return attribute;
}

}  // namespace

Id& Id::operator=(Id&& other) noexcept {
  std::swap(id_, other.id_);
  std::swap(closer_, other.closer_);
  return *this;
}

Id::~Id() {
  if (valid()) closer_(id_);
}

template <>
hid_t TypeOf<std::int8_t>() {
  return H5T_STD_I8LE;
}
template <>
hid_t TypeOf<std::uint8_t>() {
  return H5T_STD_U8LE;
}
template <>
hid_t TypeOf<std::uint16_t>() {
  return H5T_STD_U16LE;
}
template <>
hid_t TypeOf<std::int32_t>() {
  return H5T_STD_I32LE;
}
template <>
hid_t TypeOf<std::uint32_t>() {
  return H5T_STD_U32LE;
}
template <>
hid_t TypeOf<std::uint64_t>() {
  return H5T_STD_U64LE;
}
template <>
hid_t TypeOf<float>() {
  return H5T_IEEE_F32LE;
}

ImageWriter::ImageWriter() : lock_(Lock()) {
  const Id create = Check(H5Pcreate(H5P_FILE_CREATE), H5Pclose, "H5Pcreate");
  ForgetTimes(create);
  const Id access = MemoryFile();
  file_ =
      Check(H5Fcreate("shard", H5F_ACC_TRUNC, create.get(), access.get()), H5Fclose, "H5Fcreate");
}

void ImageWriter::AddGroup(const char* name) {
  const Id create = Check(H5Pcreate(H5P_GROUP_CREATE), H5Pclose, "H5Pcreate");
  ForgetTimes(create);
  Check(H5Gcreate2(file_.get(), name, H5P_DEFAULT, create.get(), H5P_DEFAULT), H5Gclose, name);
}

void ImageWriter::AddAttribute(const char* name, const std::string& text) {
  const Id space = Check(H5Screate(H5S_SCALAR), H5Sclose, "H5Screate");
  const char* raw = text.c_str();
  WriteAttribute(file_, name, AnyText().get(), space, &raw);
}

void ImageWriter::AddAttribute(const char* name, std::uint64_t value) {
  const Id space = Check(H5Screate(H5S_SCALAR), H5Sclose, "H5Screate");
  WriteAttribute(file_, name, TypeOf<std::uint64_t>(), space, &value);
}

void ImageWriter::AddAttribute(const char* name, const std::vector<std::string>& texts) {
  const hsize_t count = texts.size();
  const Id space = Check(H5Screate_simple(1, &count, nullptr), H5Sclose, "H5Screate_simple");
  std::vector<const char*> raw;
  for (const std::string& text : texts) raw.push_back(text.c_str());
  WriteAttribute(file_, name, AnyText().get(), space, texts.empty() ? nullptr : raw.data());
}

void ImageWriter::AddTexts(const char* name, const std::vector<char>& padded, std::size_t size) {
  AddDataset(name, PaddedText(size).get(), size, padded.data(), padded.size() / size, -1);
}

void ImageWriter::AddDataset(const char* name, hid_t type, std::size_t element_bytes,
                             const void* values, std::size_t count, int width) {
  const bool matrix = width >= 0;
  const hsize_t columns = matrix ? static_cast<hsize_t>(width) : 1;
  const hsize_t shape[2] = {columns == 0 ? 0 : count / columns, columns};
  const int rank = matrix ? 2 : 1;
  const Id space = Check(H5Screate_simple(rank, shape, nullptr), H5Sclose, name);
  const Id create = Check(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, name);
  ForgetTimes(create);
  if (count > 0) {  // the library has no chunks of nothing
    const hsize_t most_rows = matrix ? kMatrixChunkRows : kListChunkRows;
    const hsize_t chunk[2] = {std::min(most_rows, shape[0]), columns};
    Check(H5Pset_chunk(create.get(), rank, chunk), name);
    if (element_bytes > 1) Check(H5Pset_shuffle(create.get()), name);
    Check(H5Pset_deflate(create.get(), kDeflateLevel), name);
  }
  const Id dataset = Check(
      H5Dcreate2(file_.get(), name, type, space.get(), H5P_DEFAULT, create.get(), H5P_DEFAULT),
      H5Dclose, name);
  if (count > 0) {
    Check(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), name);
  }
}

std::vector<std::uint8_t> ImageWriter::Finish() {
  Check(H5Fflush(file_.get(), H5F_SCOPE_GLOBAL), "H5Fflush");
  const ssize_t size = H5Fget_file_image(file_.get(), nullptr, 0);
  QIRKAT_CHECK(size > 0, size);
  std::vector<std::uint8_t> image(static_cast<std::size_t>(size));
  QIRKAT_CHECK(H5Fget_file_image(file_.get(), image.data(), image.size()) == size, size);
  file_ = Id();
  lock_.unlock();
  return image;
}

ImageReader::ImageReader(std::span<const std::uint8_t> image)
    : lock_(Lock()), most_bytes_(image.size() * kMostInflation) {
  const Id access = MemoryFile();
  // The library copies the image; it does not write to this pointer.
  Check(H5Pset_file_image(access.get(), const_cast<std::uint8_t*>(image.data()), image.size()),
        "H5Pset_file_image");
  file_ = Require(H5Fopen("shard", H5F_ACC_RDONLY, access.get()), H5Fclose, "not an HDF5", "file");
}

std::string ImageReader::Text(const char* name) const {
  const Id attribute = OpenAttribute(file_, name, H5T_STRING);
  const Id space = Require(H5Aget_space(attribute.get()), H5Sclose, "no attribute", name);
  Require(H5Sget_simple_extent_npoints(space.get()) == 1, "attribute of another shape:", name);
  return ReadAnyTexts(attribute, space, 1, name)[0];
}

std::uint64_t ImageReader::Number(const char* name) const {
  const Id attribute = OpenAttribute(file_, name, H5T_INTEGER);
  const Id space = Require(H5Aget_space(attribute.get()), H5Sclose, "no attribute", name);
  Require(H5Sget_simple_extent_npoints(space.get()) == 1, "attribute of another shape:", name);
  std::uint64_t value = 0;
  Require(H5Aread(attribute.get(), H5T_STD_U64LE, &value) >= 0, "cannot read attribute", name);
  return value;
}

std::vector<std::string> ImageReader::Texts(const char* name) const {
  const Id attribute = OpenAttribute(file_, name, H5T_STRING);
  const Id space = Require(H5Aget_space(attribute.get()), H5Sclose, "no attribute", name);
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  Require(count >= 0 && static_cast<std::size_t>(count) <= most_bytes_,
          "attribute of another shape:", name);
  if (count == 0) return {};
  return ReadAnyTexts(attribute, space, static_cast<std::size_t>(count), name);
}

std::vector<char> ImageReader::ReadTexts(const char* name, std::size_t& size) const {
  const Id dataset = Open(name, -1);
  const Id type = Require(H5Dget_type(dataset.get()), H5Tclose, "no dataset", name);
  Require(H5Tget_class(type.get()) == H5T_STRING && H5Tis_variable_str(type.get()) == 0,
          "dataset of another type:", name);
  size = H5Tget_size(type.get());
  std::vector<char> padded(Count(name, dataset, -1, size) * size);
  Load(name, dataset, PaddedText(size).get(), padded.data());
  return padded;
}

Id ImageReader::Open(const char* name, hid_t type) const {
  Id dataset = Require(H5Dopen2(file_.get(), name, H5P_DEFAULT), H5Dclose, "no dataset", name);
  if (type >= 0) {
    const Id stored = Require(H5Dget_type(dataset.get()), H5Tclose, "no dataset", name);
    Require(H5Tequal(stored.get(), type) > 0, "dataset of another type:", name);
  }
  return dataset;
}

std::size_t ImageReader::Count(const char* name, const Id& dataset, int width,
                               std::size_t element_bytes) const {
  const Id space = Require(H5Dget_space(dataset.get()), H5Sclose, "no dataset", name);
  const int rank = width >= 0 ? 2 : 1;
  Require(H5Sget_simple_extent_ndims(space.get()) == rank, "dataset of another shape:", name);
  hsize_t shape[2] = {0, 1};
  Require(H5Sget_simple_extent_dims(space.get(), shape, nullptr) == rank, "no dataset", name);
  Require(width < 0 || shape[1] == static_cast<hsize_t>(width), "dataset of another shape:", name);
  const std::size_t row_bytes = std::max<std::size_t>(1, shape[1] * element_bytes);
  Require(shape[0] <= most_bytes_ / row_bytes, "dataset of another shape:", name);
  return shape[0] * shape[1];
}

void ImageReader::Load(const char* name, const Id& dataset, hid_t type, void* values) const {
  const Id space = Require(H5Dget_space(dataset.get()), H5Sclose, "no dataset", name);
  if (H5Sget_simple_extent_npoints(space.get()) == 0) return;
  Require(H5Dread(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0,
          "cannot read dataset", name);
}

}  // namespace qirkat::hdf5
