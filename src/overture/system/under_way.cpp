#include "overture/system/under_way.h"

#include <algorithm>

#include "overture/system/algorithms.h"
#include "overture/system/rounds.h"
#include "overture/system/schedule.h"

namespace overture::system {
namespace {

// Trees and steps from a file: a few, whatever the group's size.
constexpr std::int64_t kFew = 2;

// What all ranks of one group send at once.
std::int64_t within_group(CollectiveKind kind, const Algorithm& algorithm, int ranks, bool whole_exchanges) {
  if (algorithm.kind->rounds) {
    if (whole_exchanges) return 1;
    const Rounds rounds = make_rounds(algorithm.kind, Bytes{ranks}, ranks, {});
    const auto size = static_cast<std::size_t>(ranks);
    return std::max(network::messages(rounds.first, size), network::messages(rounds.second, size));
  }
  if (!algorithm.kind->window) return std::int64_t{ranks} * kFew;
  const Schedule schedule(kind, algorithm, ranks, Bytes{ranks}, +1);
  return std::int64_t{ranks} * std::min<std::int64_t>(schedule.window(), schedule.messages());
}

std::int64_t simulated(std::int64_t of_group, int group, int all, Scope scope) {
  switch (scope) {
    case Scope::rank_0: return of_group / group;
    case Scope::group: return of_group;
    case Scope::all: return of_group * (all / group);
  }
  return of_group;
}

}  // namespace

UnderWay most_under_way(const SystemConfig& config, std::span<const CollectiveKind> used,
                        const LogicalDimensions& logical, const topology::Hierarchy& machine, Scope scope,
                        bool whole_exchanges) {
  UnderWay most;
  const auto phase = [&](CollectiveKind kind, const Algorithm& algorithm, int ranks) {
    if (ranks < 2) return;
    const std::int64_t of_group = within_group(kind, algorithm, ranks, whole_exchanges);
    const std::int64_t messages = simulated(of_group, ranks, machine.ranks(), scope);
    if (messages > most.messages) most = {messages, kind, algorithm.kind, ranks};
  };
  for (const CollectiveKind kind : used) {
    const Implementation& implementation = config.implementation(kind);
    if (implementation.flat) {
      phase(kind, implementation.per_dimension.front(), machine.ranks());
      continue;
    }
    for (std::size_t d = 0; d < logical.dimensions.size(); ++d)
      phase(kind, implementation.per_dimension[d], logical.dimensions[d].size);
  }
  return most;
}

}  // namespace overture::system
