#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>

#include "envs/core/error.h"
#include "envs/core/text.h"
#include "envs/registry.h"
#include "selfplay/data/crc32c.h"
#include "selfplay/data/header.h"
#include "selfplay/data/journal.h"
#include "selfplay/data/sealed.h"
#include "selfplay/data/shard.h"
#include "selfplay/data/shard_file.h"

namespace qirkat {
namespace {

void Require(bool condition, std::string_view what) {
  if (!condition) throw UserError(std::string(what));
}

bool HasBit(const std::vector<std::uint8_t>& mask, Action action) {
  return action / 8u < mask.size() && (mask[action / 8] >> (action % 8) & 1) != 0;
}

// Plays recorded games again and compares what the records say with what the rules say.
class Replayer {
 public:
  // Throws UserError if this program cannot play the game that the header names.
  explicit Replayer(const ShardHeader& header)
      : game_(MakeGame(header.game, header.game_options, "attribute 'options'")) {
    const ShardHeader mine = MakeShardHeader(game_->info());
    ShardHeader rules = header;
    rules.config.clear();
    rules.model.clear();
    rules.seed = rules.generation = 0;
    const std::string difference = HeaderDifference(rules, mine);
    Require(difference.empty(), StrCat("not of this program's rules: ", difference));
    planes_.resize(mine.plane_bytes);
    scalars_.resize(mine.scalar_names.size());
    legal_.resize(mine.legal_bytes);
  }

  // Throws UserError with the first thing that does not hold.
  void Replay(const GameRecord& game) {
    const std::unique_ptr<AnyLine> line = game_->NewLineAt(game.start);
    auto position = game.positions.begin();
    for (const Action action : game.actions) {
      if (position != game.positions.end() && position->ply == line->ply()) {
        ComparePosition(*line, *position, action);
        ++position;
      }
      try {
        line->Play(action);
      } catch (const UserError& error) {
        throw UserError(StrCat("ply ", line->ply(), ": ", error.what()));
      }
    }
    Require(position == game.positions.end(), "a position's ply is out of order or behind the end");
    CompareOutcome(*line, game.outcome);
  }

 private:
  void ComparePosition(const AnyLine& line, const PositionRecord& position, Action action) {
    const auto require = [&](bool condition, const char* what) {
      if (!condition) throw UserError(StrCat("ply ", line.ply(), ": ", what));
    };
    line.Observe({planes_.data(), scalars_.data()});
    line.LegalMask(legal_.data());
    require(position.planes == planes_, "other planes");
    // Bits, not values: the record must hold what the network saw.
    require(std::equal(scalars_.begin(), scalars_.end(), position.scalars.begin(),
                       [](float a, float b) {
                         return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
                       }),
            "other scalars");
    require(position.legal == legal_, "another legal mask");
    require(position.player == line.to_move(), "another player to move");
    require(position.symmetries == line.SymmetryMask(), "other symmetries");
    require(position.action == action, "another action than the game's");
    std::uint32_t shares = 0;
    for (const PolicyShare& entry : position.policy) {
      require(HasBit(legal_, entry.action), "a policy share of an illegal action");
      shares += entry.share;
    }
    require(shares == 65535, "the policy shares do not sum to 65535");
  }

  static void CompareOutcome(const AnyLine& line, const Outcome& recorded) {
    // What only a match decides (a resignation, say) the rules cannot check.
    const bool by_rules = recorded.over() && recorded.reason < EndReason::kResign;
    if (by_rules ? line.outcome() == recorded : !line.over()) return;
    throw UserError(StrCat("recorded as '", ResultText(recorded, line.ply()), "', replays to '",
                           ResultText(line.outcome(), line.ply()), '\''));
  }

  std::shared_ptr<const AnyGame> game_;
  std::vector<std::uint8_t> planes_;
  std::vector<float> scalars_;
  std::vector<std::uint8_t> legal_;
};

// What a file holds as far as it can be read; `problems` has the rest.
PackedShard ReadWhatHolds(const ShardBytes& file, std::vector<std::string>& problems) {
  if (file.sealed) return DecodeShard(file.bytes);
  JournalContents contents = ParseJournal(file.bytes);
  if (contents.torn_bytes > 0) {
    problems.push_back(StrCat("the last game is torn: ", contents.torn_bytes, " bytes behind ",
                              contents.games.size(),
                              " good games (a writer drops and plays it again)"));
  }
  if (!contents.damage.empty()) {
    problems.push_back(StrCat("damaged at byte ", contents.valid_bytes, ", behind ",
                              contents.games.size(), " good games: ", contents.damage));
  }
  return PackShard({std::move(contents.header), std::move(contents.games)});
}

void VerifyGame(const ShardColumns& columns, std::size_t row, Replayer& replayer) {
  const GameRecord game = columns.Game(row);
  const std::vector<std::uint8_t> bytes = SerializeGame(game);
  Require(Crc32c(bytes.data(), bytes.size()) == columns.games.crc[row],
          "its rows do not match its crc");
  Require(columns.games.plies[row] == game.actions.size(), "'plies' is not its number of actions");
  Require(row == 0 || columns.games.number[row - 1] < game.game, "not in order of game numbers");
  replayer.Replay(game);
}

}  // namespace

VerifyReport VerifyShard(const std::filesystem::path& path) {
  const ShardBytes file = LoadShardBytes(path);
  VerifyReport report;
  try {
    const PackedShard shard = ReadWhatHolds(file, report.problems);
    report.games = shard.columns.games.size();
    report.positions = shard.columns.positions.size();
    Replayer replayer(shard.header);
    for (std::size_t row = 0; row < shard.columns.games.size(); ++row) {
      try {
        VerifyGame(shard.columns, row, replayer);
      } catch (const UserError& error) {
        report.problems.push_back(
            StrCat("game ", shard.columns.games.number[row], ": ", error.what()));
      }
    }
  } catch (const UserError& error) {
    report.problems.push_back(error.what());
  }
  for (std::string& problem : report.problems) problem = StrCat(path.string(), ": ", problem);
  return report;
}

}  // namespace qirkat
