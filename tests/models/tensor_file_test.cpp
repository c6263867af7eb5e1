#include "models/tensor_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <string>

#include "envs/core/file.h"
#include "envs/registry.h"
#include "tests/models/expect_user_error.h"
#include "tests/models/reference_net.h"

namespace qirkat {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::uint8_t>;

class TensorFileTest : public testing::Test {
 protected:
  TensorFileTest() {
    std::string pattern = (fs::temp_directory_path() / "qirkat_tensor_file_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    path_ = folder_ / "x.qnet";
  }
  ~TensorFileTest() override { fs::remove_all(folder_); }

  fs::path folder_, path_;
};

TensorFile Small() {
  return {.kind = "test",
          .metadata = "{\"a\": \"ü\"}",
          .tensors = {{"weight", {2, 3}, {1, 2, 3, -4.5f, 0, 1e-30f}},
                      {"scalar", {}, {7}},
                      {"none", {0, 5}, {}}}};
}

void ExpectRefused(const Bytes& bytes, const std::string& part = "") {
  ExpectUserError([&] { ParseTensorFile(bytes, "test"); }, {part});
}

// A file with a header of our choice and a right digest.
Bytes Forge(const std::string& header, std::uint64_t header_bytes, std::size_t data_bytes) {
  Bytes bytes = SerializeTensorFile(Small());
  bytes.resize(8);
  for (int k = 0; k < 8; ++k) bytes.push_back(static_cast<std::uint8_t>(header_bytes >> (8 * k)));
  bytes.insert(bytes.end(), header.begin(), header.end());
  bytes.resize(bytes.size() + data_bytes);
  const std::string digest = Sha256Hex(bytes);
  for (std::size_t k = 0; k < digest.size(); k += 2) {
    bytes.push_back(static_cast<std::uint8_t>(std::stoi(digest.substr(k, 2), nullptr, 16)));
  }
  return bytes;
}
Bytes Forge(const std::string& header, std::size_t data_bytes = 0) {
  return Forge(header, header.size(), data_bytes);
}

TEST_F(TensorFileTest, RoundTrip) {
  const TensorFile file = Small();
  WriteTensorFile(path_, file);
  const TensorFile read = ReadTensorFile(path_, "test");
  EXPECT_EQ(read.kind, file.kind);
  EXPECT_EQ(read.metadata, file.metadata);
  ASSERT_EQ(read.tensors.size(), file.tensors.size());
  for (std::size_t i = 0; i < read.tensors.size(); ++i) {
    EXPECT_EQ(read.tensors[i].name, file.tensors[i].name);
    EXPECT_EQ(read.tensors[i].shape, file.tensors[i].shape);
    EXPECT_EQ(read.tensors[i].values, file.tensors[i].values);
  }
  EXPECT_EQ(SerializeTensorFile(read), ReadFileBytes(path_));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST(TensorFile, EveryTruncationIsRefused) {
  const Bytes whole = SerializeTensorFile(Small());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    ExpectRefused({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
  }
  Bytes longer = whole;
  longer.push_back(0);
  ExpectRefused(longer, "damaged");
}

TEST(TensorFile, EveryFlippedBitIsRefused) {
  const Bytes whole = SerializeTensorFile(Small());
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    Bytes flipped = whole;
    flipped[bit / 8] ^= static_cast<std::uint8_t>(1 << (bit % 8));
    ExpectRefused(flipped);
  }
}

TEST(TensorFile, ForgedHeadersAreRefused) {
  const std::string good = R"({"format":1,"kind":"test","metadata":"","tensors":[]})";
  EXPECT_TRUE(ParseTensorFile(Forge(good), "test").tensors.empty());
  ExpectRefused(Forge(good, ~0ull, 0), "header");
  ExpectRefused(Forge(good, good.size() + 1, 0), "header");
  ExpectRefused(Forge(good, 4), "no tensor");
  const auto with_shape = [](const std::string& shape) {
    return R"({"format":1,"kind":"test","metadata":"","tensors":[{"name":"w","shape":)" + shape +
           "}]}";
  };
  ExpectRefused(Forge(with_shape("[-1]")), "negative");
  ExpectRefused(Forge(with_shape("[1099511627776]"), 8), "larger");
  ExpectRefused(Forge(with_shape("[4611686018427387904,4]"), 8), "larger");
  ExpectRefused(Forge(with_shape("[4294967296,4294967296]"), 8), "larger");
  ExpectRefused(Forge(with_shape("[1,1,1,1,1,1,1,1,1]"), 4), "dimensions");
  ExpectRefused(Forge(with_shape("[3]"), 8), "larger");
  ExpectRefused(Forge(with_shape("\"3\""), 8), "header");
  ExpectRefused(Forge(with_shape("[1.5e300]"), 8));
  ExpectRefused(Forge(std::string(100000, '[')), "header");
  ExpectRefused(Forge(R"({"format":2,"kind":"test","metadata":"","tensors":[]})"), "format 2");
  ExpectRefused(Forge(R"({"format":1,"metadata":"","tensors":[]})"), "header");
}

TEST_F(TensorFileTest, MissingForeignAndOfAnotherKind) {
  ExpectUserError([&] { ReadTensorFile(path_, "test"); }, {path_.string(), "No such file"});
  ExpectUserError([&] { ReadTensorFile(folder_, "test"); }, {folder_.string(), "regular file"});
  WriteFileAtomically(path_, Bytes{'P', 'K', 3, 4});
  ExpectUserError([&] { ReadTensorFile(path_, "test"); }, {path_.string(), "not a Qirkat"});
  WriteTensorFile(path_, Small());
  ExpectUserError([&] { ReadTensorFile(path_, "model"); }, {path_.string(), "'test'", "'model'"});
  TensorFile no_spec = Small();
  no_spec.kind = "model";
  WriteTensorFile(path_, no_spec);
  ExpectUserError([&] { ReadModel(path_); }, {path_.string(), "network spec"});
}

TEST_F(TensorFileTest, FailedWritesLeaveTheOldFile) {
  WriteTensorFile(path_, Small());
  const Bytes before = ReadFileBytes(path_);
  // A limit on the size of files fails a write in its middle, as a full disk does.
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const rlimit low{.rlim_cur = 64, .rlim_max = old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &low), 0);
  ExpectUserError([&] { WriteTensorFile(path_, Small()); }, {"cannot write", path_.string()});
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
  EXPECT_EQ(ReadFileBytes(path_), before);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
  ExpectUserError([&] { WriteTensorFile(folder_ / "no" / "x.qnet", Small()); },
                  {"cannot write", "No such file"});
}

TEST_F(TensorFileTest, Sha256OfAKnownText) {
  const std::string text = "abc";
  EXPECT_EQ(Sha256Hex({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_F(TensorFileTest, ModelRoundTripAndName) {
  const auto game = MakeGame("reversi");
  const NetSpec spec = MakeNetSpec(game->info(), {.blocks = 1, .channels = 8});
  const Model model = RandomModel(spec, 5);
  WriteModel(path_, model);
  const Model read = ReadModel(path_);
  EXPECT_EQ(read.spec, spec);
  EXPECT_EQ(ModelName(read), ModelName(model));
  EXPECT_EQ(ModelName(model), Sha256Hex(ReadFileBytes(path_)).substr(0, 16));
  EXPECT_NE(ModelName(RandomModel(spec, 6)), ModelName(model));

  Model huge = model;
  huge.spec.net = {.blocks = 256, .channels = 2048};
  WriteModel(path_, huge);
  ExpectUserError([&] { ReadModel(path_); }, {path_.string(), "the network has"});
}

}  // namespace
}  // namespace qirkat
