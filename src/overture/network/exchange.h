// Many messages of one size at once, told by their pattern instead of one by one: a round of a collective. A
// backend that sees the pattern as a whole can carry a million messages for the price of a few.
#pragma once

#include <cstdint>
#include <vector>

#include "overture/base/ids.h"

namespace overture::network {

enum class Pattern : std::uint8_t {
  ring,        // each rank of the group to the next, the last to the first
  all_pairs,   // each rank to every other
  to_first,    // every other rank to the first of the group
  from_first,  // the first to every other
};

// Calls `visit(from, to)` for every message of a pattern, always in the same order.
template <class Visit>
void for_each_pair(Pattern pattern, const std::vector<Rank>& group, Visit visit) {
  const std::size_t size = group.size();
  for (std::size_t i = 0; i < size; ++i) {
    if (pattern == Pattern::ring && size > 1) visit(group[i], group[(i + 1) % size]);
    if (pattern == Pattern::to_first && i > 0) visit(group[i], group[0]);
    if (pattern == Pattern::from_first && i > 0) visit(group[0], group[i]);
    // Rotated, so that no rank is everybody's first.
    for (std::size_t j = 1; pattern == Pattern::all_pairs && j < size; ++j)
      visit(group[i], group[(i + j) % size]);
  }
}
std::int64_t messages(Pattern pattern, std::size_t group_size);

// A group of ranks that a network knows.
enum class GroupId : std::int32_t {};

}  // namespace overture::network
