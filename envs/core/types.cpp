#include "envs/core/types.h"

#include <array>
#include <utility>

#include "envs/core/error.h"
#include "envs/core/text.h"

namespace qirkat {
namespace {

constexpr std::array<std::pair<EndReason, const char*>, 18> kReasonNames = {{
    {EndReason::kNone, "unfinished"},
    {EndReason::kDiscs, "discs"},
    {EndReason::kCaptureAll, "capture-all"},
    {EndReason::kBlocked, "blocked"},
    {EndReason::kLastSuper, "last-super"},
    {EndReason::kOnePiece, "one-piece"},
    {EndReason::kFlag, "flag"},
    {EndReason::kRepetition, "repetition"},
    {EndReason::kNoCapture, "no-capture"},
    {EndReason::kNoAttack, "no-attack"},
    {EndReason::kBothPass, "both-pass"},
    {EndReason::kMaxPlies, "max-plies"},
    {EndReason::kResign, "resign"},
    {EndReason::kAdjudicated, "adjudicated"},
    {EndReason::kTime, "time"},
    {EndReason::kIllegal, "illegal"},
    {EndReason::kCrash, "crash"},
    {EndReason::kAborted, "aborted"},
}};
constexpr std::uint8_t kByPointsBit = 0x80;

const char* NameOf(EndReason reason) {
  for (const auto& [value, name] : kReasonNames) {
    if (value == reason) return name;
  }
  return nullptr;
}

}  // namespace

std::string ReasonText(const Outcome& outcome) {
  const char* name = NameOf(outcome.reason);
  QIRKAT_CHECK(name != nullptr, static_cast<int>(outcome.reason));
  return outcome.by_points ? StrCat(name, "+points") : name;
}

std::uint8_t PackReason(const Outcome& outcome) {
  return static_cast<std::uint8_t>(outcome.reason) | (outcome.by_points ? kByPointsBit : 0);
}

Outcome UnpackReason(std::uint8_t packed) {
  Outcome outcome;
  outcome.reason = static_cast<EndReason>(packed & ~kByPointsBit);
  outcome.by_points = (packed & kByPointsBit) != 0;
  if (NameOf(outcome.reason) == nullptr) {
    throw UserError(StrCat("unknown end reason ", static_cast<int>(packed)));
  }
  return outcome;
}

std::string ResultText(const Outcome& outcome, std::uint32_t plies) {
  if (!outcome.over()) return StrCat("result * score 0 plies ", plies, " reason unfinished");
  return StrCat("result ", outcome.result > 0 ? "+" : "", static_cast<int>(outcome.result),
                " score ", outcome.score, " plies ", plies, " reason ", ReasonText(outcome));
}

}  // namespace qirkat
