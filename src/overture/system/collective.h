// What a collective is, apart from how it is carried out: the operation and what it moves. Pure data; no
// clock, no network.
#pragma once

#include <cstdint>
#include <string_view>

#include "overture/base/units.h"
#include "overture/base/words.h"

namespace overture::system {

enum class CollectiveKind : std::uint8_t {
  all_reduce,
  all_to_all,
  all_gather,
  reduce_scatter,
  broadcast,  // from the first rank of the group
  barrier,    // nobody goes on before everybody has come
};
constexpr auto vocabulary(CollectiveKind) {
  return std::to_array<Word<CollectiveKind>>({
      {CollectiveKind::all_reduce, "all_reduce"},
      {CollectiveKind::all_to_all, "all_to_all"},
      {CollectiveKind::all_gather, "all_gather"},
      {CollectiveKind::reduce_scatter, "reduce_scatter"},
      {CollectiveKind::broadcast, "broadcast"},
      {CollectiveKind::barrier, "barrier"},
  });
}
constexpr std::size_t kCollectiveKinds = 6;

constexpr std::string_view name(CollectiveKind kind) { return word_of(kind); }

}  // namespace overture::system
