// What a collective is, apart from how it is carried out: the operation and what it moves. Pure data; no
// clock, no network.
#pragma once

#include <cstdint>
#include <string_view>

#include "overture/base/units.h"

namespace overture::system {

enum class CollectiveKind : std::uint8_t {
  all_reduce,
  all_to_all,
  all_gather,
  reduce_scatter,
  broadcast,  // from the first rank of the group
  barrier,    // nobody goes on before everybody has come
};
constexpr std::size_t kCollectiveKinds = 6;

constexpr std::string_view name(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::all_reduce: return "all_reduce";
    case CollectiveKind::all_to_all: return "all_to_all";
    case CollectiveKind::all_gather: return "all_gather";
    case CollectiveKind::reduce_scatter: return "reduce_scatter";
    case CollectiveKind::broadcast: return "broadcast";
    case CollectiveKind::barrier: return "barrier";
  }
  return "?";
}

}  // namespace overture::system
