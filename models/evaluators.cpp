#include "models/evaluators.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <tuple>
#include <utility>

#include "envs/core/error.h"
#include "envs/core/options.h"
#include "envs/core/random.h"
#include "envs/core/text.h"

namespace qirkat {
namespace {

// A factory that makes evaluators of one type from a shape and fixed arguments.
template <class E, class... Args>
class SimpleFactory final : public EvaluatorFactory {
 public:
  SimpleFactory(std::string name, const EvalShape& shape, Args... args)
      : name_(std::move(name)), shape_(shape), args_(args...) {}
  std::string model_name() const override { return name_; }
  std::unique_ptr<Evaluator> Make(int max_batch) const override {
    QIRKAT_CHECK(max_batch >= 1, max_batch);
    return std::apply([&](Args... args) { return std::make_unique<E>(shape_, max_batch, args...); },
                      args_);
  }

 private:
  std::string name_;
  EvalShape shape_;
  std::tuple<Args...> args_;
};

class SimpleEvaluator : public Evaluator {
 public:
  SimpleEvaluator(const EvalShape& shape, int max_batch) : shape_(shape), max_batch_(max_batch) {}
  const EvalShape& shape() const override { return shape_; }
  int max_batch() const override { return max_batch_; }

 protected:
  EvalShape shape_;
  int max_batch_;
};

class UniformEvaluator final : public SimpleEvaluator {
 public:
  using SimpleEvaluator::SimpleEvaluator;
  bool cacheable() const override { return false; }  // cheaper than a look-up
  void Evaluate(const EvalBatch& batch, const EvalResult& result) override {
    QIRKAT_CHECK(batch.size >= 1 && batch.size <= max_batch_, batch.size, max_batch_);
    std::fill_n(result.policy_logits.begin(), batch.size * shape_.policy_size, 0.0f);
    std::fill_n(result.wdl.begin(), batch.size * 3, 1.0f / 3);
    std::fill_n(result.score.begin(), batch.size, 0.0f);
    std::fill_n(result.moves_left.begin(), batch.size, 0.0f);
  }
};

class HashEvaluator final : public SimpleEvaluator {
 public:
  using SimpleEvaluator::SimpleEvaluator;
  bool cacheable() const override { return false; }  // cheaper than a look-up
  void Evaluate(const EvalBatch& batch, const EvalResult& result) override {
    QIRKAT_CHECK(batch.size >= 1 && batch.size <= max_batch_, batch.size, max_batch_);
    for (int i = 0; i < batch.size; ++i) {
      std::uint64_t hash = Absorb(0, batch.planes.data() + i * shape_.plane_bytes,
                                  static_cast<std::size_t>(shape_.plane_bytes));
      hash =
          Absorb(hash, batch.scalars.data() + i * shape_.scalars, shape_.scalars * sizeof(float));
      WriteLogits(hash, result.policy_logits.data() + i * shape_.policy_size);
      WriteValues(Mix64(hash), i, result);
    }
  }

 private:
  static std::uint64_t Absorb(std::uint64_t hash, const void* data, std::size_t bytes) {
    const auto* next = static_cast<const std::uint8_t*>(data);
    for (; bytes > 0;) {
      const std::size_t step = std::min<std::size_t>(bytes, 8);
      std::uint64_t word = 0;
      std::memcpy(&word, next, step);
      hash = Mix64(hash ^ word) + 0x9E3779B97F4A7C15ull;
      next += step;
      bytes -= step;
    }
    return hash;
  }

  // 24 bits a logit, which a float holds exactly. 32-bit lanes (the mixer "lowbias32" by C.
  // Wellons), so that the compiler vectorizes.
  void WriteLogits(std::uint64_t hash, float* logits) const {
    const auto low = static_cast<std::uint32_t>(hash);
    const auto high = static_cast<std::uint32_t>(hash >> 32);
    for (int a = 0; a < shape_.policy_size; ++a) {
      std::uint32_t x = low + static_cast<std::uint32_t>(a) * 0x9E3779B9u;
      x = (x ^ (x >> 16)) * 0x7FEB352Du + high;
      x = (x ^ (x >> 15)) * 0x846CA68Bu;
      x ^= x >> 16;
      logits[a] = static_cast<float>(static_cast<std::int32_t>(x >> 8) - (1 << 23)) * 0x1.0p-22f;
    }
  }

  // The three probabilities are multiples of 2^-24, so their sum is exactly 1.
  static void WriteValues(std::uint64_t hash, int row, const EvalResult& result) {
    constexpr std::uint64_t kOne = 1 << 24;
    const std::uint64_t draw = hash & (kOne / 4 - 1);
    const std::uint64_t win = ((kOne - draw) * (hash >> 32)) >> 32;
    float* wdl = result.wdl.data() + row * 3;
    wdl[0] = static_cast<float>(win) * 0x1.0p-24f;
    wdl[1] = static_cast<float>(draw) * 0x1.0p-24f;
    wdl[2] = static_cast<float>(kOne - draw - win) * 0x1.0p-24f;
    const std::uint64_t more = Mix64(hash);
    result.score[row] =
        static_cast<float>(static_cast<std::int32_t>(more & 0xFFFF) - 0x8000) * 0x1.0p-11f;
    result.moves_left[row] = static_cast<float>((more >> 16) & 0xFFFF) * 0x1.0p-10f;
  }
};

class RolloutEvaluator final : public SimpleEvaluator {
 public:
  RolloutEvaluator(const EvalShape& shape, int max_batch, int playouts)
      : SimpleEvaluator(shape, max_batch), playouts_(playouts) {}
  bool needs_lines() const override { return true; }
  // The seed comes from the position, which holds more than its observation.
  bool cacheable() const override { return false; }

  void Evaluate(const EvalBatch& batch, const EvalResult& result) override {
    QIRKAT_CHECK(batch.size >= 1 && batch.size <= max_batch_, batch.size, max_batch_);
    QIRKAT_CHECK(batch.lines.size() >= static_cast<std::size_t>(batch.size) &&
                     batch.seeds.size() >= static_cast<std::size_t>(batch.size),
                 batch.lines.size(), batch.seeds.size(), batch.size);
    std::fill_n(result.policy_logits.begin(), batch.size * shape_.policy_size, 0.0f);
    for (int i = 0; i < batch.size; ++i) EvaluateRow(*batch.lines[i], batch.seeds[i], i, result);
  }

 private:
  void EvaluateRow(const AnyLine& line, std::uint64_t seed, int row, const EvalResult& result) {
    RandomStream random(seed, 0, 0, StreamPurpose::kRollout);
    const int sign = line.to_move() == 0 ? 1 : -1;
    int counts[3] = {0, 0, 0};
    std::int64_t score = 0, plies = 0;
    for (int k = 0; k < playouts_; ++k) {
      const Playout playout = line.RandomPlayout(random);
      ++counts[1 - sign * playout.outcome.result];
      score += sign * playout.outcome.score;
      plies += playout.plies;
    }
    const double share = 1.0 / playouts_;
    for (int k = 0; k < 3; ++k) result.wdl[row * 3 + k] = static_cast<float>(counts[k] * share);
    result.score[row] = static_cast<float>(static_cast<double>(score) * share);
    result.moves_left[row] = static_cast<float>(static_cast<double>(plies) * share);
  }

  int playouts_;
};

struct RolloutOptions {
  std::int64_t playouts = 1;
  static const std::vector<Option<RolloutOptions>>& Table() {
    static const std::vector<Option<RolloutOptions>> table = {
        {"playouts",
         &RolloutOptions::playouts,
         {.min = 1, .max = 1e6, .unit = "games", .help = "Random games for each position."}}};
    return table;
  }
};

}  // namespace

std::shared_ptr<const EvaluatorFactory> MakeUniformEvaluator(const EvalShape& shape) {
  return std::make_shared<SimpleFactory<UniformEvaluator>>("uniform", shape);
}

std::shared_ptr<const EvaluatorFactory> MakeHashEvaluator(const EvalShape& shape) {
  return std::make_shared<SimpleFactory<HashEvaluator>>("hash", shape);
}

std::shared_ptr<const EvaluatorFactory> MakeRolloutEvaluator(const EvalShape& shape, int playouts) {
  QIRKAT_CHECK(playouts >= 1, playouts);
  return std::make_shared<SimpleFactory<RolloutEvaluator, int>>(
      StrCat("rollout:playouts=", playouts), shape, playouts);
}

std::shared_ptr<const EvaluatorFactory> MakeEvaluator(std::string_view spec, const EvalShape& shape,
                                                      std::string_view where) {
  const std::size_t colon = spec.find(':');
  const std::string_view name = spec.substr(0, colon);
  OptionTexts texts;
  if (colon != std::string_view::npos) {
    for (const std::string_view setting : Split(spec.substr(colon + 1), ',')) {
      const std::size_t equals = setting.find('=');
      if (equals == std::string_view::npos) {
        throw UserError(StrCat(where, ": ", Quoted(setting), " in evaluator ", Quoted(spec),
                               " must be option=value"));
      }
      texts.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
    }
  }
  const std::string place = StrCat(where, ": evaluator ", Quoted(spec));
  if (name == "rollout") {
    const auto options = ParseOptions<RolloutOptions>(texts, place);
    return MakeRolloutEvaluator(shape, static_cast<int>(options.playouts));
  }
  if (name != "hash" && name != "uniform") {
    throw UserError(StrCat(
        where, ": ",
        UnknownName("evaluator", name, std::vector<std::string>{"uniform", "hash", "rollout"})));
  }
  if (!texts.empty()) throw UserError(StrCat(place, ": '", name, "' takes no options"));
  return name == "hash" ? MakeHashEvaluator(shape) : MakeUniformEvaluator(shape);
}

EvalBuffers::EvalBuffers(const EvalShape& shape, int capacity)
    : planes(static_cast<std::size_t>(capacity) * shape.plane_bytes),
      scalars(static_cast<std::size_t>(capacity) * shape.scalars),
      lines(capacity),
      seeds(capacity),
      policy_logits(static_cast<std::size_t>(capacity) * shape.policy_size),
      wdl(static_cast<std::size_t>(capacity) * 3),
      score(capacity),
      moves_left(capacity),
      shape_(shape) {}

ObservationRow EvalBuffers::Row(int i) {
  return {planes.data() + static_cast<std::size_t>(i) * shape_.plane_bytes,
          scalars.data() + static_cast<std::size_t>(i) * shape_.scalars};
}

EvalBatch EvalBuffers::Batch(int size, bool with_lines) const {
  EvalBatch batch{.size = size, .planes = planes, .scalars = scalars, .lines = {}, .seeds = {}};
  if (with_lines) {
    batch.lines = lines;
    batch.seeds = seeds;
  }
  return batch;
}

EvalResult EvalBuffers::Result(int size) {
  const auto rows = static_cast<std::size_t>(size);
  return {.policy_logits = std::span(policy_logits).first(rows * shape_.policy_size),
          .wdl = std::span(wdl).first(rows * 3),
          .score = std::span(score).first(rows),
          .moves_left = std::span(moves_left).first(rows)};
}

std::span<const float> EvalBuffers::Logits(int i) const {
  return std::span(policy_logits)
      .subspan(static_cast<std::size_t>(i) * shape_.policy_size, shape_.policy_size);
}

}  // namespace qirkat
