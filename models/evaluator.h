// What maps observations to policy and value: the one contract that search knows.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "envs/core/any_line.h"
#include "envs/core/game_info.h"

namespace qirkat {

// Sizes that a batch's rows have; taken from a GameInfo.
struct EvalShape {
  int plane_bytes = 0;  // packed observation planes of one row
  int scalars = 0;
  int policy_size = 0;

  friend bool operator==(const EvalShape&, const EvalShape&) = default;
};
inline EvalShape ShapeOf(const GameInfo& info) {
  return {info.plane_bytes, info.scalars(), info.policy_size};
}

// Rows to evaluate, all in the mover's view. Row i starts at i * plane_bytes and i * scalars.
struct EvalBatch {
  int size = 0;                           // rows, 1 .. max_batch
  std::span<const std::uint8_t> planes;   // [size, plane_bytes] bit-packed (ObservationRow)
  std::span<const float> scalars;         // [size, scalars]
  std::span<const AnyLine* const> lines;  // [size] if the evaluator needs_lines, else empty
  std::span<const std::uint64_t> seeds;   // [size] derived from the position; as `lines`
};

// Where the results go, all for the player to move.
struct EvalResult {
  std::span<float> policy_logits;  // [size, policy_size] over mover's-view actions, legal or not
  std::span<float> wdl;            // [size, 3] probabilities of win, draw, loss
  std::span<float> score;          // [size] expected final score, mover's sign, the game's unit
  std::span<float> moves_left;     // [size] expected plies to the end, >= 0
};

// Rows that an evaluator need not compute because it remembers them.
class RowCache {
 public:
  virtual ~RowCache() = default;
  // Writes the results of one row of the batch and returns true if they are known; at once, with no
  // batch under way.
  virtual bool Answer(const EvalBatch& batch, int row, const EvalResult& result) = 0;
  // Rows that were not computed, in Answer or as a part of a batch.
  virtual std::uint64_t hits() const = 0;
};

// An evaluator is used by one thread at a time; what one call leaves for the next shows in no
// result: a row's results are the same bits whatever else is in the batch, in whatever order.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  virtual const EvalShape& shape() const = 0;
  virtual int max_batch() const = 0;
  // True if EvalBatch::lines and seeds must be given (rollout).
  virtual bool needs_lines() const { return false; }
  // True if a cache should answer in its place: rows with equal observations always get equal
  // results, and computing one takes longer than looking it up (some hundred nanoseconds).
  virtual bool cacheable() const { return true; }
  // Null if it has none.
  virtual RowCache* cache() { return nullptr; }
  virtual void Evaluate(const EvalBatch& batch, const EvalResult& result) = 0;

  // For evaluators that compute on a device beside the CPU (EvaluatorFactory::asynchronous), so
  // that tree work and inference overlap: Begin hands a batch over and returns at once, Wait
  // returns when its results are there. At most one batch is under way; its arrays must live, and
  // not change, until Wait. On a CPU Begin computes and Wait has nothing to wait for.
  virtual void Begin(const EvalBatch& batch, const EvalResult& result) { Evaluate(batch, result); }
  virtual void Wait() {}
};

// Makes one evaluator for each thread that asks. Immutable, shared by threads.
class EvaluatorFactory {
 public:
  virtual ~EvaluatorFactory() = default;
  // The model's name everywhere: the content hash of a model file, else the evaluator's spec
  // ("hash", "uniform", "rollout:playouts=1").
  virtual std::string model_name() const = 0;
  // How it computes, for people: "onednn int8 …".
  virtual std::string description() const { return model_name(); }
  // True if its evaluators' Begin returns before the results are there.
  virtual bool asynchronous() const { return false; }
  virtual std::unique_ptr<Evaluator> Make(int max_batch) const = 0;
};

}  // namespace qirkat
