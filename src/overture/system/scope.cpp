#include "overture/system/scope.h"

#include <algorithm>

#include "overture/system/algorithms.h"

namespace overture::system {
namespace {

using topology::DimensionKind;

Scope larger(Scope a, Scope b) { return std::max(a, b); }

// Ranks of the group do different things, or meet as a whole.
bool needs_its_group(const Algorithm& algorithm) {
  if (algorithm.kind == kRing) return algorithm.window > 1;
  // The tree: as the dimension's kind says.
  return algorithm.kind != kDirect && algorithm.kind != kHalvingDoubling &&
         algorithm.kind != kDoubleBinaryTree;
}

// What can meet on the links of one dimension.
struct Traffic {
  bool contention;     // do messages share links at all?
  bool one_chunk;      // at most one chunk runs there at a time
  bool one_neighbour;  // everything goes round a ring, the same way
  bool one_symmetry;   // all peers are told by their distance, or all by halving-doubling's pairs
};

// A phase along (a part of) one dimension of the machine.
Scope scope_of_phase(const Algorithm& algorithm, const LogicalDimension& logical,
                     const topology::Hierarchy& machine, const Traffic& traffic) {
  if (logical.size < 2) return Scope::rank_0;
  if (needs_its_group(algorithm)) return traffic.contention ? Scope::all : Scope::group;
  const auto& physical = machine.dimension(logical.physical);
  const bool part = logical.size != physical.size;
  const bool tree = algorithm.kind == kDoubleBinaryTree;
  if (physical.kind == DimensionKind::fully_connected) {
    // Every pair has its own link: rank 0 sees all that its own carry, and others' carry the like unless the
    // chunks on them have different symmetries.
    const bool alike = traffic.one_chunk || traffic.one_symmetry || logical.size == 2;
    return tree || (traffic.contention && !alike) ? Scope::group : Scope::rank_0;
  }
  // Both parts of a broken dimension use the same ports, and on a ring messages cross other parts' links.
  if (part && traffic.contention) return Scope::all;
  if (tree) return Scope::group;
  if (physical.kind == DimensionKind::switched) {
    // Messages from different peers queue at rank 0's port in the order in which their senders let them go.
    // With several chunks that order depends on what else the senders send, to others.
    const bool in_order = traffic.one_chunk || traffic.one_neighbour || logical.size == 2;
    return traffic.contention && !in_order ? Scope::group : Scope::rank_0;
  }
  // Round the end of a part, the way back is longer than a step. Halving-doubling never goes round.
  if (part && algorithm.kind != kHalvingDoubling) return Scope::group;
  // Messages that go further than a neighbour cross links that others use.
  const bool only_neighbours =
      algorithm.kind == kRing || logical.size == 2 || (algorithm.kind == kDirect && logical.size == 3);
  return traffic.contention && !only_neighbours ? Scope::group : Scope::rank_0;
}

// Along dimension `d`. A flat phase counts everywhere, and waits in the queue of dimension 0 whatever it
// uses.
Traffic traffic_along(std::size_t d, const SystemConfig& config, std::span<const CollectiveKind> used,
                      bool contention) {
  Traffic traffic{.contention = contention,
                  .one_chunk = config.active_chunks == 1 && config.queues_per_dimension == 1,
                  .one_neighbour = config.queues_per_dimension == 1,
                  .one_symmetry = true};
  bool by_distance = false;
  bool by_pairs = false;
  for (const CollectiveKind kind : used) {
    const Implementation& implementation = config.implementation(kind);
    if (implementation.flat) traffic.one_chunk = false;
    const AlgorithmKind algorithm = implementation.per_dimension[implementation.flat ? 0 : d].kind;
    if (algorithm != kRing) traffic.one_neighbour = false;
    (algorithm == kHalvingDoubling ? by_pairs : by_distance) = true;
  }
  traffic.one_symmetry = !(by_distance && by_pairs);
  return traffic;
}

// Does everybody send all that there is at the start, and nothing because of what arrives?
bool all_at_once(const Algorithm& algorithm, CollectiveKind kind, int ranks) {
  const bool direct = algorithm.kind == kDirect || algorithm.kind == kNaiveDirect;
  return direct && kind != CollectiveKind::all_reduce &&
         (algorithm.window == 0 || algorithm.window >= ranks - 1);
}

// One phase over all ranks: the way from one rank to the next is not the same everywhere.
Scope scope_of_flat(CollectiveKind kind, const SystemConfig& config, std::span<const CollectiveKind> used,
                    const LogicalDimensions& logical, const topology::Hierarchy& machine, bool contention) {
  const Algorithm& algorithm = config.implementation(kind).per_dimension.front();
  if (needs_its_group(algorithm)) return contention ? Scope::all : Scope::group;
  int real_dimensions = 0;
  LogicalDimension last;
  for (int d = 0; d < machine.dimensions(); ++d) {
    if (machine.dimension(d).size < 2) continue;
    ++real_dimensions;
    last = {.size = machine.dimension(d).size, .stride = machine.stride(d), .physical = d};
  }
  // Its messages meet those of phases along one dimension or a part of it, in every group of that dimension.
  const bool meets_groups = real_dimensions > 1 || logical.broken >= 0;
  if (contention && meets_groups) return Scope::all;
  if (real_dimensions <= 1) {
    const auto d = static_cast<std::size_t>(last.physical);
    return scope_of_phase(algorithm, last, machine, traffic_along(d, config, used, contention));
  }
  // Everybody has the same peers at the same distances, if not in the same order. Halving-doubling meets them
  // one by one, at the same distance everywhere; direct all at once, so that their order does not matter
  // unless the endpoint takes one at a time or, in an all-reduce, the first answers go out while others still
  // arrive.
  const bool same_everywhere =
      (algorithm.kind == kDirect && all_at_once(algorithm, kind, machine.ranks()) && !config.shared_bus) ||
      algorithm.kind == kHalvingDoubling;
  return same_everywhere ? Scope::rank_0 : Scope::group;
}

}  // namespace

Scope exact_scope(const SystemConfig& config, std::span<const CollectiveKind> used,
                  const LogicalDimensions& logical, const topology::Hierarchy& machine, bool contention) {
  Scope scope = Scope::rank_0;
  for (const CollectiveKind kind : used) {
    const Implementation& implementation = config.implementation(kind);
    if (implementation.flat) {
      scope = larger(scope, scope_of_flat(kind, config, used, logical, machine, contention));
      continue;
    }
    for (std::size_t d = 0; d < logical.dimensions.size(); ++d) {
      scope = larger(scope, scope_of_phase(implementation.per_dimension[d], logical.dimensions[d], machine,
                                           traffic_along(d, config, used, contention)));
    }
  }
  // Handshakes go the other way than the data, so rank 0 alone would not see them meet its peers' data.
  if (contention && config.rendezvous) scope = larger(scope, Scope::group);
  // A rank outside rank 0's group of one dimension would find its bus less busy than rank 0 does.
  if (scope == Scope::group && config.shared_bus) return Scope::all;
  return scope;
}

// A phase begins everywhere at once, so machines do the same along dimension 0. What is sent over all ranks
// is sent in every machine, too, beside only such phases as the first one stands for; it may end earlier
// there than in the first one, but not later than what comes from other machines, and nobody waits for it
// alone.
bool machines_alike(const SystemConfig& config, std::span<const CollectiveKind> used, int ranks) {
  if (config.shared_bus || config.rendezvous) return false;
  return std::ranges::all_of(used, [&](CollectiveKind kind) {
    const Implementation& implementation = config.implementation(kind);
    const Algorithm& inside = implementation.per_dimension.front();
    if (implementation.flat) return all_at_once(inside, kind, ranks);
    return inside.kind->window != nullptr || inside.kind->tree;
  });
}

}  // namespace overture::system
