#include "overture/system/scope.h"

#include <algorithm>

namespace overture::system {
namespace {

using topology::DimensionKind;

Scope larger(Scope a, Scope b) { return std::max(a, b); }

// A phase along (a part of) one dimension of the machine.
Scope scope_of_phase(const Algorithm& algorithm, const LogicalDimension& logical, const topology::Hierarchy& machine,
                     bool contention) {
  if (logical.size < 2) return Scope::rank_0;
  if (algorithm.kind == AlgorithmKind::double_binary_tree) return Scope::group;
  const auto& physical = machine.dimension(logical.physical);
  if (physical.kind != DimensionKind::ring) return Scope::rank_0;
  const bool part = logical.size != physical.size;
  // Messages between the parts of a broken ring cross each other's links.
  if (part && contention) return Scope::all;
  // Round the end of a part, the way back is longer than a step. Halving-doubling never goes round.
  if (part && algorithm.kind != AlgorithmKind::halving_doubling) return Scope::group;
  // Messages that go further than a neighbour cross links that others use.
  const bool only_neighbours = algorithm.kind == AlgorithmKind::ring || logical.size == 2 ||
                               (algorithm.kind == AlgorithmKind::direct && logical.size == 3);
  return contention && !only_neighbours ? Scope::group : Scope::rank_0;
}

// One phase over all ranks: the way from one rank to the next is not the same everywhere.
Scope scope_of_flat(const Algorithm& algorithm, const topology::Hierarchy& machine, bool contention) {
  int real_dimensions = 0;
  for (int d = 0; d < machine.dimensions(); ++d) real_dimensions += machine.dimension(d).size > 1 ? 1 : 0;
  if (real_dimensions <= 1) {
    return scope_of_phase(algorithm, {.size = machine.ranks(), .stride = 1, .physical = 0}, machine, contention);
  }
  const bool all_at_once = algorithm.kind == AlgorithmKind::direct &&
                           (algorithm.window == 0 || algorithm.window >= machine.ranks() - 1);
  const bool same_everywhere = all_at_once || algorithm.kind == AlgorithmKind::halving_doubling;
  return same_everywhere && !contention ? Scope::rank_0 : Scope::group;
}

}  // namespace

Scope exact_scope(const SystemConfig& config, std::span<const CollectiveKind> used, const LogicalDimensions& logical,
                  const topology::Hierarchy& machine, bool contention) {
  Scope scope = Scope::rank_0;
  for (const CollectiveKind kind : used) {
    const Implementation& implementation = config.implementation(kind);
    if (implementation.flat) {
      scope = larger(scope, scope_of_flat(implementation.per_dimension.front(), machine, contention));
      continue;
    }
    for (std::size_t d = 0; d < logical.dimensions.size(); ++d) {
      scope = larger(scope, scope_of_phase(implementation.per_dimension[d], logical.dimensions[d], machine, contention));
    }
  }
  // A rank outside rank 0's group of one dimension would find its bus less busy than rank 0 does.
  if (scope == Scope::group && config.shared_bus) return Scope::all;
  return scope;
}

}  // namespace overture::system
