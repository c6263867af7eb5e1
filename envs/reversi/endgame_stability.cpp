#include "envs/reversi/endgame_stability.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace qirkat::reversi {
namespace {

constexpr Bitboard kInner = 0x007E7E7E7E7E7E00;

// What `own` holds after putting a disc on `place` of an edge.
struct Edge {
  unsigned own, enemy;
};

Edge Put(Edge edge, int place) {
  unsigned flips = 0;
  for (const int step : {-1, 1}) {
    unsigned run = 0;
    int end = place + step;
    for (; end >= 0 && end < 8 && (edge.enemy >> end & 1); end += step) run |= 1u << end;
    if (end >= 0 && end < 8 && (edge.own >> end & 1)) flips |= run;
  }
  return {edge.own | flips | 1u << place, edge.enemy & ~flips};
}

class EdgeTable {
 public:
  EdgeTable() : stable_(1 << 16), known_(1 << 16) {
    for (unsigned own = 0; own < 256; ++own) {
      for (unsigned enemy = 0; enemy < 256; ++enemy) {
        if ((own & enemy) == 0) Find({own, enemy});
      }
    }
  }

  unsigned operator()(unsigned own, unsigned enemy) const { return stable_[own << 8 | enemy]; }

 private:
  // A disc is stable if it stays own whatever is put on any empty square.
  std::uint8_t Find(Edge edge) {
    const std::size_t index = edge.own << 8 | edge.enemy;
    if (known_[index]) return stable_[index];
    unsigned stable = edge.own;
    for (int place = 0; place < 8; ++place) {
      if ((edge.own | edge.enemy) >> place & 1) continue;
      stable &= Find(Put(edge, place));
      const Edge other = Put({edge.enemy, edge.own}, place);
      stable &= Find({other.enemy, other.own});
    }
    known_[index] = true;
    return stable_[index] = static_cast<std::uint8_t>(stable);
  }

  std::vector<std::uint8_t> stable_;  // [own << 8 | enemy]
  std::vector<bool> known_;
};

const EdgeTable& Edges() {
  static const EdgeTable table;
  return table;
}

// A byte as discs of file a; the inverse of FileByte. The top bit goes alone: its product would
// carry into another one's place.
Bitboard FileOfByte(unsigned byte) {
  const Bitboard low = (byte & 0x7F) * Bitboard{0x0002040810204081} & kFileA;
  return low | Bitboard{byte & 0x80} << 49;
}

// The diagonals of one kind that have at least three squares; discs on the others cannot be turned
// along them.
template <int kFileStep>
constexpr std::array<Bitboard, 11> LongDiagonals() {
  std::array<Bitboard, 11> diagonals{};
  int count = 0;
  for (int start = 0; start < 64; ++start) {
    const int file = start % 8;
    const bool first = start < 8 || file == (kFileStep > 0 ? 0 : 7);
    const Bitboard line = Bitboard{1} << start | internal::Ray(start, kFileStep, 1);
    if (first && std::popcount(line) >= 3) diagonals[count++] = line;
  }
  return diagonals;
}
constexpr auto kRising = LongDiagonals<1>();
constexpr auto kFalling = LongDiagonals<-1>();

// All squares but those of lines that have an empty square.
Bitboard Full(const std::array<Bitboard, 11>& lines, Bitboard empties) {
  Bitboard open = 0;
  for (const Bitboard line : lines) open |= (line & empties) != 0 ? line : 0;
  return ~open;
}

Bitboard FullRows(Bitboard board) {
  board &= board >> 1;
  board &= board >> 2;
  board &= board >> 4;
  return (board & kFileA) * 0xFF;
}

Bitboard FullFiles(Bitboard board) {
  board &= std::rotl(board, 8);
  board &= std::rotl(board, 16);
  return board & std::rotl(board, 32);
}

}  // namespace

Bitboard StableEdgeDiscs(Bitboard own, Bitboard enemy) {
  const EdgeTable& edges = Edges();
  const auto byte = [](Bitboard board, int shift) {
    return static_cast<unsigned>(board >> shift & 0xFF);
  };
  return Bitboard{edges(byte(own, 0), byte(enemy, 0))} |
         Bitboard{edges(byte(own, 56), byte(enemy, 56))} << 56 |
         FileOfByte(edges(FileByte(own), FileByte(enemy))) |
         FileOfByte(edges(FileByte(own >> 7), FileByte(enemy >> 7))) << 7;
}

Bitboard StableDiscs(Bitboard own, Bitboard enemy) {
  const Bitboard discs = own | enemy;
  const Bitboard rows = FullRows(discs);
  const Bitboard files = FullFiles(discs);
  const Bitboard rising = Full(kRising, ~discs);
  const Bitboard falling = Full(kFalling, ~discs);
  Bitboard stable = StableEdgeDiscs(own, enemy) | (own & rows & files & rising & falling);
  for (Bitboard before = ~stable; stable != before;) {
    before = stable;
    // On a line of which one end holds for ever.
    const auto held = [stable](Bitboard full, int step) {
      return full | stable << step | stable >> step;
    };
    stable |= own & kInner & held(rows, 1) & held(files, 8) & held(rising, 9) & held(falling, 7);
  }
  return stable;
}

}  // namespace qirkat::reversi
