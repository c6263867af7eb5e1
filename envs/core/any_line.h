// A line of any game behind one interface, for code that is not fast and must not know the game:
// the commands, records and replays, players of a match, the rollout evaluator.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "envs/core/game_info.h"
#include "envs/core/random.h"
#include "envs/core/types.h"

namespace qirkat {

// How a random playout ended, and how many plies it took.
struct Playout {
  Outcome outcome;
  std::uint32_t plies = 0;
};

class AnyLine {
 public:
  virtual ~AnyLine() = default;
  virtual std::unique_ptr<AnyLine> Clone() const = 0;
  virtual const GameSpec& spec() const = 0;

  virtual Player to_move() const = 0;
  virtual const Outcome& outcome() const = 0;
  virtual std::uint32_t ply() const = 0;
  bool over() const { return outcome().over(); }

  virtual int legal_count() const = 0;
  virtual Action legal(int k) const = 0;
  virtual bool IsLegal(Action action) const = 0;
  // Plays an action; throws UserError that names it and lists what is legal if it is not.
  virtual void Play(Action action) = 0;

  virtual std::string ActionText(Action action) const = 0;
  // The legal action of this text (a file letter before a rank may be in upper case); throws
  // UserError that names the text and lists what is legal.
  virtual Action ParseAction(std::string_view text) const = 0;
  // Legal texts in byte order.
  virtual std::vector<std::string> LegalTexts() const = 0;

  virtual std::string PositionText() const = 0;
  virtual std::string StartText() const = 0;
  // What a player may know: the position text unless the game hides something.
  virtual std::string ViewText(Player player) const = 0;
  // What stands on a square, in a few ASCII characters; "" if it is empty.
  virtual std::string SquareText(int square) const = 0;
  // The same as a player may know it: what he does not know of an enemy piece is left out.
  virtual std::string ViewSquareText(Player player, int square) const = 0;
  virtual std::string Draw() const = 0;                   // DrawBoard (draw.h)
  virtual std::string DrawView(Player player) const = 0;  // only what the player may know

  virtual void Observe(ObservationRow row) const = 0;
  // [full_plane_bytes] planes that also show what is hidden from the mover, and the scalars.
  virtual void ObserveFull(ObservationRow row) const = 0;
  // [legal_bytes] bit-packed legal mask, mover's view, little-endian bits.
  virtual void LegalMask(std::uint8_t* mask) const = 0;
  virtual Action MoverView(Action action) const = 0;  // for the player to move; its own inverse
  virtual std::uint8_t SymmetryMask() const = 0;
  virtual Key128 StateKey() const = 0;
  virtual Key128 ObservationKey() const = 0;

  // Plays uniformly random actions to the end on a copy.
  virtual Playout RandomPlayout(RandomStream& random) const = 0;
  // The number of action sequences of exactly `depth` plies from here (perft.h).
  virtual std::uint64_t Perft(int depth) const = 0;
};

// A game with its rule options: makes lines. Immutable, shared by threads.
class AnyGame {
 public:
  virtual ~AnyGame() = default;
  virtual const GameInfo& info() const = 0;
  // A line at the start position; `setup` is read only by games whose start holds chance.
  virtual std::unique_ptr<AnyLine> NewLine(RandomStream& setup) const = 0;
  // A line at a position text ("start" is the default start without chance); throws UserError.
  virtual std::unique_ptr<AnyLine> NewLineAt(std::string_view position) const = 0;
};

}  // namespace qirkat
