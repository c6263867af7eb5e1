// The games as slowly and plainly as the rules page tells them: plain arrays and simple loops, to
// be read beside it line by line. They share no code with the games of envs/, which are compared
// with them.
#pragma once

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace qirkat::reference {

// A wrong option, position text or action.
class Refused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct SlowAction {
  std::string text;
  int index = 0;                // absolute action index
  int from = -1, to = -1;       // squares; -1: the action moves nothing
  std::vector<int> taken = {};  // squares of the pieces that it takes (Stratego: attacks)
};

// A game being played, from a position without a past.
class SlowGame {
 public:
  explicit SlowGame(int columns) : columns_(columns) {}
  virtual ~SlowGame() = default;

  virtual std::unique_ptr<SlowGame> Copy() const = 0;
  virtual std::string PositionText() const = 0;
  // What a player may know; the position text unless the game hides something.
  virtual std::string ViewText(int /*player*/) const { return PositionText(); }

  // Sorted by the bytes of their texts; none if the game is over.
  std::vector<SlowAction> Legal() const;
  // Throws Refused unless the text is that of a legal action; a file letter before a rank may be a
  // capital.
  void Play(const std::string& text);

  bool over() const { return !reason_.empty(); }
  int plies() const { return plies_; }
  // "result R score S plies N reason X"; R is * and X is unfinished if the game is not over.
  std::string ResultText() const;

 protected:
  // The actions that the rules allow here, in any order, whether or not the game is over.
  virtual std::vector<SlowAction> Actions() const = 0;
  // Plays one of them and checks the end. plies() counts it already.
  virtual void Do(const SlowAction& action) = 0;
  // For player 0; asked for when the game is over.
  virtual int Score() const = 0;

  // result: +1, 0, -1 for player 0. Returns true for convenience.
  bool End(const std::string& reason, int result);
  int result() const { return result_; }
  // "a1"
  std::string Name(int square) const;

 private:
  int columns_;
  int plies_ = 0;
  std::string reason_;
  int result_ = 0;
};

using SlowOptions = std::map<std::string, std::string>;

// `position` is a position text or "start". Throw Refused for a wrong option or text.
std::unique_ptr<SlowGame> MakeSlowReversi(SlowOptions options, const std::string& position);
std::unique_ptr<SlowGame> MakeSlowAlquerque(SlowOptions options, const std::string& position);
std::unique_ptr<SlowGame> MakeSlowSuperlogo(SlowOptions options, const std::string& position);
std::unique_ptr<SlowGame> MakeSlowSuper1al5(SlowOptions options, const std::string& position);
// Knows the setups `place` and RED,BLUE; the others are chance.
std::unique_ptr<SlowGame> MakeSlowStratego(SlowOptions options, const std::string& position);
std::unique_ptr<SlowGame> MakeSlowGame(const std::string& game, const SlowOptions& options,
                                       const std::string& position);

}  // namespace qirkat::reference
