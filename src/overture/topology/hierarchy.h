// A machine built from nested dimensions, each a ring, a full mesh or a switch: rank ids are mixed-radix
// numbers, dimension 0 fastest. Says who is where and how far apart; knows no traffic and no time.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "overture/base/ids.h"
#include "overture/base/units.h"
#include "overture/base/words.h"

namespace overture::topology {

enum class DimensionKind : std::uint8_t { ring, fully_connected, switched };
constexpr auto vocabulary(DimensionKind) {
  return std::to_array<Word<DimensionKind>>({
      {DimensionKind::ring, "ring"},
      {DimensionKind::fully_connected, "fully_connected"},
      {DimensionKind::switched, "switch"},
  });
}

// As the user types it; "switch" is a keyword of C++, so the enumerator is not.
constexpr std::string_view name(DimensionKind kind) { return word_of(kind); }

class Hierarchy {
 public:
  struct Dimension {
    DimensionKind kind;
    int size;
  };

  // Needs at least one dimension, every size at least 1 and at most 2^31 - 1 ranks in all.
  explicit Hierarchy(std::vector<Dimension> dimensions);

  int ranks() const { return ranks_; }
  int dimensions() const { return static_cast<int>(dimensions_.size()); }
  const Dimension& dimension(int d) const { return dimensions_[static_cast<std::size_t>(d)]; }

  // How many ids apart two neighbours of dimension `d` are.
  int stride(int d) const { return strides_[static_cast<std::size_t>(d)]; }
  int coordinate(Rank rank, int d) const { return index(rank) / stride(d) % dimension(d).size; }

  // The highest dimension in which the two differ; -1 when they are the same rank.
  int dimension_between(Rank a, Rank b) const;
  // Links crossed inside dimension `d` on the shortest way; a switch is two.
  int hops(Rank a, Rank b, int d) const;

 private:
  std::vector<Dimension> dimensions_;
  std::vector<int> strides_;
  int ranks_ = 1;
};

}  // namespace overture::topology
