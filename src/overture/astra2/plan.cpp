#include "overture/astra2/plan.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/text.h"
#include "overture/system/schedule.h"

namespace overture::astra2 {
namespace {

using system::AlgorithmKind;
using system::CollectiveKind;

void require_possible(const Config& config, Played collective, const LogicalDimension& dimension) {
  const AlgorithmKind kind = dimension.implementation.algorithm.kind;
  const Where where{.file = config.system.file, .key = implementation_key(collective)};
  const bool power = std::has_single_bit(static_cast<unsigned>(dimension.size));
  const bool needs_power = kind == system::kHalvingDoubling || kind == system::kDoubleBinaryTree;
  if (needs_power && !power) {
    throw UserError(where,
                    fmt::format("{} needs a power of two of NPUs, not {}",
                                kind == system::kHalvingDoubling ? "halvingDoubling" : "doubleBinaryTree",
                                dimension.size),
                    "ASTRA-sim ends such a run without a result; use ring or direct");
  }
  if (kind == system::kHalvingDoubling && collective == Played::all_to_all)
    throw UserError(where, "halvingDoubling cannot do an all-to-all", "use ring or direct");
}

}  // namespace

int NetworkFile::npus() const {
  int npus = 1;
  for (const Dimension& dimension : dimensions) npus *= dimension.npus;
  return npus;
}

std::string implementation_key(Played collective) {
  constexpr std::array kWords{"all-reduce", "all-gather", "reduce-scatter", "all-to-all"};
  static_assert(kWords.size() == kPlayed);
  return std::string(kWords[static_cast<std::size_t>(collective)]) + "-implementation";
}

CollectiveKind kind_of(Played collective) {
  switch (collective) {
    case Played::all_reduce: return CollectiveKind::all_reduce;
    case Played::all_gather: return CollectiveKind::all_gather;
    case Played::reduce_scatter: return CollectiveKind::reduce_scatter;
    case Played::all_to_all: return CollectiveKind::all_to_all;
  }
  return CollectiveKind::all_reduce;
}

std::vector<LogicalDimension> logical_dimensions(const Config& config, Played collective) {
  const auto& implementations = config.system.of(collective);
  if (implementations.size() > config.network.dimensions.size()) {
    throw UserError(
        {.file = config.system.file, .key = implementation_key(collective)},
        fmt::format("has {} for {}", counted(static_cast<std::int64_t>(implementations.size()), "algorithm"),
                    counted(static_cast<std::int64_t>(config.network.dimensions.size()), "dimension")),
        "one per dimension of the network, the inner one first");
  }
  std::vector<LogicalDimension> logical;
  int stride = 1;
  for (std::size_t d = 0; d < implementations.size(); ++d) {
    const bool everybody = implementations[d].everybody;
    const int size = everybody ? config.network.npus() : config.network.dimensions[d].npus;
    logical.push_back({implementations[d], size, everybody ? 1 : stride});
    require_possible(config, collective, logical.back());
    if (everybody) break;
    stride *= size;
  }
  return logical;
}

Chunks chunks_of(const Config& config, Played collective, std::uint64_t size) {
  const auto splits = static_cast<std::uint64_t>(config.system.splits);
  const auto npus = static_cast<std::uint64_t>(config.network.npus());
  std::uint64_t chunk = size / splits;
  if (collective != Played::all_gather && chunk < npus) {
    chunk = npus;
    size = splits * chunk;
  }
  return {chunk, chunk == 0 ? 0 : (size + chunk - 1) / chunk};
}

Planner::Planner(const Config& config, const std::array<std::vector<LogicalDimension>, kPlayed>& logical,
                 int npu)
    : config_(config), logical_(logical), npu_(npu) {
  queues_.assign(config.network.dimensions.size(), {.last = config.queues / 2});
  for (std::size_t k = 0; k < kPlayed; ++k) trees_[k].assign(logical[k].size(), 0);
}

// All queues in turn; the upper half goes the other way round.
Planner::Slot Planner::any_queue(int dimension) {
  int& next = queues_[static_cast<std::size_t>(dimension)].next;
  const bool back = config_.queues > 1 && next >= config_.queues / 2;
  const int queue = next;
  next = next + 1 >= config_.queues ? 0 : next + 1;
  return {dimension * config_.queues + queue, back ? -1 : 1};
}

// Phases on the way in and those on the way out have queues of their own, lest they wait for each other.
Planner::Slot Planner::first_half(int dimension) {
  int& next = queues_[static_cast<std::size_t>(dimension)].first;
  const int queue = next;
  next = next + 1 >= config_.queues / 2 ? 0 : next + 1;
  return {dimension * config_.queues + queue, 1};
}

Planner::Slot Planner::second_half(int dimension) {
  int& next = queues_[static_cast<std::size_t>(dimension)].last;
  const int queue = next;
  next = next + 1 >= config_.queues ? config_.queues / 2 : next + 1;
  return {dimension * config_.queues + queue, -1};
}

// A group that is not everybody is one ring in the order of its file; where the machine has several
// dimensions, its algorithm is a ring, too.
std::vector<LogicalDimension> Planner::dimensions_for(const Request& request) const {
  const auto& of_kind = logical_[static_cast<std::size_t>(request.collective)];
  if (request.group == 0) return of_kind;
  const std::vector<int>& named = config_.groups.at(request.group);
  if (static_cast<int>(named.size()) == config_.network.npus()) return of_kind;
  const auto& implementations = config_.system.of(request.collective);
  LogicalDimension ring{.size = static_cast<int>(named.size())};
  if (implementations.size() == 1) ring.implementation = implementations.front();
  if (ring.size > 1) {
    require_possible(config_, request.collective, ring);
    if (ring.implementation.algorithm.kind == system::kDoubleBinaryTree) {
      throw UserError(
          {.file = config_.system.file, .key = implementation_key(request.collective)},
          fmt::format("doubleBinaryTree cannot run in group {}, which has not all NPUs", request.group),
          "use ring, direct or halvingDoubling");
    }
  }
  return {ring};
}

Members Planner::members(const Request& request, const LogicalDimension& dimension) const {
  if (request.group != 0 &&
      static_cast<int>(config_.groups.at(request.group).size()) != config_.network.npus()) {
    const std::vector<int>& named = config_.groups.at(request.group);
    const auto mine = std::find(named.begin(), named.end(), npu_);
    return {.size = dimension.size, .mine = static_cast<int>(mine - named.begin()), .named = &named};
  }
  const int mine = npu_ / dimension.stride % dimension.size;
  return {.size = dimension.size,
          .mine = mine,
          .first = npu_ - mine * dimension.stride,
          .stride = dimension.stride};
}

Phase Planner::phase(CollectiveKind kind, const Request& request, const LogicalDimension& dimension,
                     int number, Slot slot, std::uint64_t input) {
  const system::Algorithm& algorithm = dimension.implementation.algorithm;
  Phase phase{.kind = kind,
              .algorithm = algorithm,
              .members = members(request, dimension),
              .queue = slot.queue,
              .direction = slot.direction,
              .input = input};
  if (algorithm.kind == system::kDoubleBinaryTree) {
    int& asked = trees_[static_cast<std::size_t>(request.collective)][static_cast<std::size_t>(number)];
    phase.root = asked++ % 2 == 0 ? system::TreeRoot::largest : system::TreeRoot::smallest;
  }
  const Bytes out =
      system::output_size(kind, algorithm.kind, dimension.size, Bytes{static_cast<std::int64_t>(input)});
  phase.output = static_cast<std::uint64_t>(out.count());
  return phase;
}

std::vector<Phase> Planner::phases(const Request& request, std::uint64_t chunk) {
  const std::vector<LogicalDimension> dimensions = dimensions_for(request);
  const int count = static_cast<int>(dimensions.size());
  const auto takes_part = [&](int d) {
    return dimensions[static_cast<std::size_t>(d)].size > 1 &&
           (d >= 32 || (request.dimensions >> d & 1U) != 0);
  };
  std::vector<Phase> phases;
  std::uint64_t left = chunk;
  const auto add = [&](CollectiveKind kind, int d, Slot slot) {
    phases.push_back(phase(kind, request, dimensions[static_cast<std::size_t>(d)], d, slot, left));
    left = phases.back().output;
  };
  const CollectiveKind kind = kind_of(request.collective);
  if (kind != CollectiveKind::all_reduce || config_.system.optimization == system::Optimization::baseline) {
    for (int i = 0; i < count; ++i) {
      const int d = kind == CollectiveKind::all_gather ? count - 1 - i : i;
      if (takes_part(d)) add(kind, d, any_queue(d));
    }
    return phases;
  }
  int last = count - 1;
  while (last > 0 && !takes_part(last)) --last;
  for (int d = 0; d < last; ++d) {
    if (takes_part(d)) add(CollectiveKind::reduce_scatter, d, first_half(d));
  }
  if (last >= 0 && takes_part(last)) add(kind, last, first_half(last));
  for (int d = last - 1; d >= 0; --d) {
    if (takes_part(d)) add(CollectiveKind::all_gather, d, second_half(d));
  }
  return phases;
}

}  // namespace overture::astra2
