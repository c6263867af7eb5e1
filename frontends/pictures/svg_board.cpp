#include "frontends/pictures/svg_board.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <vector>

#include "envs/core/draw.h"
#include "envs/core/text.h"
#include "frontends/pictures/svg.h"

namespace qirkat {
namespace {

constexpr double kSide = 52;     // of a square, pixels
constexpr double kMargin = 30;   // around the board, for coordinates
constexpr double kCaption = 24;  // below it, for the status

constexpr std::string_view kStyle =
    ".square { fill: #5d9f78; stroke: #3c7353 }\n"
    ".last { fill: #ffe14d; fill-opacity: 0.55 }\n"
    ".dark { fill: #1b1b1b; stroke: #000 }\n"
    ".light { fill: #fbfbf8; stroke: #555 }\n"
    ".tile { fill: #f6efdc; stroke: #8a7b55 }\n"
    ".piece { font-weight: bold; fill: #222 }\n"
    ".legal { fill: #12331f; fill-opacity: 0.55 }\n"
    ".legal-taken { fill: none; stroke: #12331f; stroke-width: 3; stroke-opacity: 0.55 }\n";

// The squares that an action's text names, in order: a file letter before a rank number.
std::vector<int> SquaresOf(std::string_view action, const GameSpec& spec) {
  std::vector<int> squares;
  for (std::size_t i = 0; i + 1 < action.size(); ++i) {
    const int file = action[i] - 'a';
    int rank = 0;
    std::from_chars(action.data() + i + 1, action.data() + action.size(), rank);
    if (file >= 0 && file < spec.columns && rank >= 1 && rank <= spec.rows) {
      squares.push_back((rank - 1) * spec.columns + file);
    }
  }
  return squares;
}

class BoardPicture {
 public:
  BoardPicture(const AnyLine& line, std::string_view last_action)
      : line_(line), spec_(line.spec()), last_action_(last_action) {}

  std::string Draw() {
    for (int square = 0; square < spec_.squares(); ++square) AddRect(square, "square", 0);
    for (const int square : SquaresOf(last_action_, spec_)) AddRect(square, "last", 0);
    for (int square = 0; square < spec_.squares(); ++square) AddPiece(square);
    AddLegalActions();
    AddCoordinates();
    const double bottom =
        kMargin + spec_.rows * kSide + (spec_.rank_1_on_top ? 0 : kMargin) + kCaption;
    body_ += SvgText(kMargin, bottom, "", StatusText(line_));
    return SvgDocument(2 * kMargin + spec_.columns * kSide, bottom + kMargin / 2,
                       StrCat(spec_.name, ": ", line_.PositionText()), kStyle, body_);
  }

 private:
  double Left(int square) const { return kMargin + square % spec_.columns * kSide; }
  double Top(int square) const {
    const int rank = square / spec_.columns;
    return kMargin + (spec_.rank_1_on_top ? rank : spec_.rows - 1 - rank) * kSide;
  }

  void AddRect(int square, std::string_view look, double inset) {
    body_ += StrCat("<rect class=\"", look, "\" x=\"", Pixels(Left(square) + inset), "\" y=\"",
                    Pixels(Top(square) + inset), "\" width=\"", Pixels(kSide - 2 * inset),
                    "\" height=\"", Pixels(kSide - 2 * inset), "\" rx=\"", Pixels(inset), "\"/>\n");
  }
  void AddCircle(int square, std::string_view look, double radius) {
    body_ +=
        StrCat("<circle class=\"", look, "\" cx=\"", Pixels(Left(square) + kSide / 2), "\" cy=\"",
               Pixels(Top(square) + kSide / 2), "\" r=\"", Pixels(radius), "\"/>\n");
  }

  void AddPiece(int square) {
    const std::string text = line_.SquareText(square);
    if (text.empty()) return;
    if (text == spec_.disc_texts[0] || text == spec_.disc_texts[1]) {
      AddCircle(square, text == spec_.disc_texts[0] ? "dark" : "light", kSide * 0.4);
      return;
    }
    AddRect(square, "tile", kSide * 0.1);
    const double size = kSide * std::min(0.42, 1.05 / static_cast<double>(text.size()));
    body_ += StrCat("<text class=\"piece middle\" x=\"", Pixels(Left(square) + kSide / 2),
                    "\" y=\"", Pixels(Top(square) + kSide / 2 + size * 0.36),
                    "\" style=\"font-size: ", Pixels(size), "px\">", XmlText(text), "</text>\n");
  }

  void AddLegalActions() {
    std::set<int> targets;
    for (int k = 0; k < line_.legal_count(); ++k) {
      const std::vector<int> squares = SquaresOf(line_.ActionText(line_.legal(k)), spec_);
      if (!squares.empty()) targets.insert(squares.back());
    }
    for (const int square : targets) {
      if (line_.SquareText(square).empty()) {
        AddCircle(square, "legal", kSide * 0.11);
      } else {
        AddCircle(square, "legal-taken", kSide * 0.45);
      }
    }
  }

  // Ranks at the left, files beside rank 1.
  void AddCoordinates() {
    for (int rank = 0; rank < spec_.rows; ++rank) {
      const double y = Top(rank * spec_.columns) + kSide / 2 + 5;
      body_ += SvgText(kMargin / 2, y, "middle", std::to_string(rank + 1));
    }
    for (int file = 0; file < spec_.columns; ++file) {
      const double y = spec_.rank_1_on_top ? kMargin - 9 : kMargin + spec_.rows * kSide + 19;
      const char letter = static_cast<char>('a' + file);
      body_ += SvgText(Left(file) + kSide / 2, y, "middle", std::string_view(&letter, 1));
    }
  }

  const AnyLine& line_;
  const GameSpec& spec_;
  std::string_view last_action_;
  std::string body_;
};

}  // namespace

std::string BoardSvg(const AnyLine& line, std::string_view last_action) {
  return BoardPicture(line, last_action).Draw();
}

}  // namespace qirkat
