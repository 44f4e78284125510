#include "overture/system/system.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "overture/base/check.h"

namespace overture::system {
namespace {

constexpr std::int64_t kHighestPriority = 100'000'000;

std::vector<DimensionOrder::Dimension> order_dimensions(const System::Setup& setup) {
  std::vector<DimensionOrder::Dimension> dimensions;
  for (std::size_t d = 0; d < setup.gib_per_s.size(); ++d) {
    dimensions.push_back({setup.logical.dimensions[d].size, setup.gib_per_s[d]});
  }
  return dimensions;
}

void add(std::vector<double>& sums, const std::vector<double>& values) {
  sums.resize(std::max(sums.size(), values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) sums[i] += values[i];
}

}  // namespace

System::System(Setup setup, const topology::Hierarchy& machine, sim::EventQueue& events,
               network::Network& network)
    : setup_(std::move(setup)),
      machine_(machine),
      clock_(events, setup_.config.cycle),
      endpoints_(setup_.scope == Scope::rank_0 ? 1 : static_cast<std::size_t>(machine.ranks())),
      context_{.events = events,
               .clock = clock_,
               .network = network,
               .scope = setup_.scope,
               .rendezvous = setup_.config.rendezvous,
               .all_ranks = machine.ranks(),
               .uniform = setup_.uniform,
               .reduction = setup_.config.reduction,
               .endpoint_delay = setup_.config.shared_bus ? Duration{} : setup_.config.endpoint_delay,
               .rounds = setup_.config.rounds,
               .endpoint = [this](Rank rank) -> Endpoint& { return endpoint(rank); },
               .sent = [](Rank, Bytes) {},
               .groups_of = [this](const Phase& phase) -> const std::vector<network::GroupId>& {
                 return exchanging_groups(phase);
               }},
      order_(setup_.config.inter_order, order_dimensions(setup_)),
      flat_order_(InterOrder::ascending, {{.size = machine.ranks(), .gib_per_s = 1}}),
      resources_(setup_.logical.count(), setup_.config) {
  for (int d = 0; d < setup_.logical.count(); ++d) add_queues();
}

// For one dimension or named group more.
void System::add_queues() {
  // ASTRA-sim asks dimension 0 for the number of queues that share the chunks, whatever the others have.
  const int limit = (setup_.config.active_chunks - 1) / setup_.config.queues_of(0).count + 1;
  const int queues = setup_.config.queues_of(static_cast<int>(use_.size())).count;
  queues_.insert(queues_.end(), static_cast<std::size_t>(queues),
                 ChunkQueue(setup_.config.intra_order, limit));
  use_.emplace_back();
  occupancy_.push_back(0);
}

GroupNumber System::add_group(std::vector<Rank> ranks) {
  auto group = std::make_shared<NamedGroup>();
  for (std::size_t i = 0; i < ranks.size(); ++i) group->coordinate.emplace(ranks[i], static_cast<int>(i));
  check(group->coordinate.size() == ranks.size(), "the ranks of a group are different");
  group->ranks = std::move(ranks);
  groups_.push_back(std::move(group));
  resources_.add_dimension();
  add_queues();
  return static_cast<GroupNumber>(groups_.size() - 1);
}

const std::vector<network::GroupId>& System::exchanging_groups(const Phase& phase) {
  const std::tuple key(phase.dimension.size, phase.dimension.stride, phase.group.get());
  const auto [found, added] = exchanging_.try_emplace(key);
  if (added) {
    for (auto& ranks : groups_of_phase(phase, setup_.scope, machine_.ranks()))
      found->second.push_back(context_.network.add_group(std::move(ranks)));
  }
  return found->second;
}

void System::all_ranks_act() {
  if (setup_.scope != Scope::all) return;
  for (int rank = 0; rank < machine_.ranks(); ++rank) context_.network.rank_acts(Rank{rank});
}

Endpoint& System::endpoint(Rank rank) {
  auto& endpoint = endpoints_[static_cast<std::size_t>(index(rank))];
  if (!endpoint) endpoint = make_endpoint(setup_.config, clock_);
  return *endpoint;
}

std::int64_t System::next_priority(SchedulingPolicy policy) {
  switch (policy) {
    case SchedulingPolicy::lifo: return priority_counter_++;
    case SchedulingPolicy::fifo: return priority_counter_--;
    case SchedulingPolicy::highest: return kHighestPriority;
  }
  return 0;
}

// Chunks of size / splits until nothing is left: a size that does not divide gives one or more small ones
// extra. A barrier, and what has a size for every pair, is one chunk.
std::vector<std::vector<Phase>> System::cut(const CollectiveRequest& request) {
  const bool whole = request.kind == CollectiveKind::barrier || request.sizes != nullptr;
  const Bytes size = whole ? Bytes{1} : request.size;
  const Bytes nominal{std::max<std::int64_t>(1, size.count() / setup_.config.splits_of(request.kind))};
  order_.collective_created(clock().now());
  std::vector<std::vector<Phase>> chunks;
  for (Bytes left = size; left > Bytes{};) {
    auto phases = next_chunk(request, left, nominal);
    if (phases.empty()) return {};
    left -= phases.front().input;
    for (Phase& phase : phases) {
      phase.sizes = request.sizes;
      phase.name = {.task = request.name.task, .chunk = static_cast<std::int32_t>(chunks.size())};
    }
    chunks.push_back(std::move(phases));
  }
  return chunks;
}

std::vector<Phase> System::next_chunk(const CollectiveRequest& request, Bytes left, Bytes nominal) {
  if (request.group != GroupNumber::none) {
    const Phase phase = group_phase(request, std::min(left, nominal));
    return phase.dimension.size < 2 ? std::vector<Phase>{} : std::vector{phase};
  }
  if (setup_.config.implementation(request.kind).flat) {
    const DimensionMask mask{request.dimensions[0]};
    const ChunkOrder next = flat_order_.next(request.kind, left, nominal, mask);
    return plan_phases(request.kind, next, mask, setup_.config, {flat_dimension(machine_)}, resources_);
  }
  const ChunkOrder next = order_.next(request.kind, left, nominal, request.dimensions);
  return plan_phases(request.kind, next, request.dimensions, setup_.config, setup_.logical.dimensions,
                     resources_);
}

Phase System::group_phase(const CollectiveRequest& request, Bytes size) {
  const auto number = static_cast<int>(request.group);
  const auto& group = groups_[static_cast<std::size_t>(number)];
  const auto ranks = static_cast<int>(group->ranks.size());
  Phase phase{.kind = request.kind,
              .algorithm = setup_.config.implementation(request.kind).per_dimension.back(),
              .dimension = {.size = ranks},
              .dimension_index = setup_.logical.count() + number,
              .input = size,
              .group = group};
  phase.output = output_size(phase.kind, phase.algorithm.kind, ranks, size);
  resources_.assign(phase, request.kind);
  return phase;
}

std::optional<CollectiveId> System::issue(const CollectiveRequest& request) {
  check(request.size > Bytes{} || request.kind == CollectiveKind::barrier || request.sizes,
        "a collective has something to carry");
  const std::int64_t priority = next_priority(request.policy);
  auto plans = cut(request);
  if (plans.empty()) return std::nullopt;
  const CollectiveId id{next_collective_++};
  Collective& collective = collectives_[id];
  collective.id = id;
  collective.request = request;
  collective.chunks = static_cast<int>(plans.size());
  for (auto& phases : plans) {
    const std::int32_t number = next_chunk_++;
    Chunk& chunk = chunks_[number];
    chunk.id = number;
    chunk.collective = id;
    chunk.priority = priority;
    chunk.phases = std::move(phases);
    chunk.queueing_ns.push_back(0);  // nothing holds a chunk back before its first queue
    advance(number);
  }
  return id;
}

// On to the next phase, or out: the order of these steps decides ties, and is the original's.
void System::advance(std::int32_t number) {
  Chunk& chunk = chunks_.at(number);
  const bool was_queued = chunk.current >= 0;
  const bool last = chunk.current + 1 == static_cast<int>(chunk.phases.size());
  const Phase previous = was_queued ? chunk.phases[static_cast<std::size_t>(chunk.current)] : Phase{};
  if (last) report(chunk);
  if (was_queued) leave(chunk);
  if (last) {
    chunks_.erase(number);
  } else {
    ++chunk.current;
    enqueue(chunk);
  }
  if (was_queued) start_waiting(previous.dimension_index, previous.queue);
  if (!last) {
    const Phase& phase = chunk.phases[static_cast<std::size_t>(chunk.current)];
    start_waiting(phase.dimension_index, phase.queue);
  }
}

void System::enqueue(Chunk& chunk) {
  const Phase& phase = chunk.phases[static_cast<std::size_t>(chunk.current)];
  chunk.queued = clock().now();
  queue(phase.dimension_index, phase.queue)
      .insert({.id = chunk.id,
               .priority = chunk.priority,
               .kind = phase.kind,
               .largest = std::max(phase.input, phase.output),
               .phases_left = static_cast<int>(chunk.phases.size()) - chunk.current - 1});
  occupy(phase.dimension_index, 1);
}

void System::leave(Chunk& chunk) {
  const Phase& phase = chunk.phases[static_cast<std::size_t>(chunk.current)];
  queue(phase.dimension_index, phase.queue).remove(chunk.id);
  occupy(phase.dimension_index, -1);
  DimensionUse& use = use_[static_cast<std::size_t>(phase.dimension_index)];
  ++use.chunks;
  use.running += clock().now() - chunk.started;
  if (chunk_observer_) {
    const bool last = chunk.current + 1 == static_cast<int>(chunk.phases.size());
    chunk_observer_(
        {chunk.collective, chunk.id, chunk.current, last, phase, chunk.queued, chunk.started, clock().now()});
  }
  finished_runs_.push_back(std::move(chunk.run));
}

void System::start_waiting(int dimension, int queue_number) {
  // Looked up each time: starting a chunk may finish it at once and change the queue.
  for (;;) {
    const std::int32_t number = queue(dimension, queue_number).start_next();
    if (number < 0) return;
    start(chunks_.at(number));
  }
}

void System::start(Chunk& chunk) {
  chunk.started = clock().now();
  chunk.queueing_ns.push_back(to_ns(chunk.started - chunk.queued));
  Phase& phase = chunk.phases[static_cast<std::size_t>(chunk.current)];
  phase.chunk = chunk.id;
  phase.machines = machines_of(phase);
  chunk.run = PhaseRun::make(context_, phase, [this, number = chunk.id] { phase_finished(number); });
  chunk.run->start();
}

// Of those that do the same in this phase, the first one's group stands for so many.
int System::machines_of(const Phase& phase) const {
  const bool along = !phase.group && phase.dimension_index == 0 && phase.dimension.size < ranks();
  return setup_.first_machine && along ? ranks() / phase.dimension.size : 1;
}

void System::phase_finished(std::int32_t number) {
  finished_runs_.clear();  // those of earlier events; this one's is still on the stack
  Chunk& chunk = chunks_.at(number);
  const std::int64_t messages = chunk.run->messages();
  chunk.network_ns.push_back(messages > 0 ? to_ns(chunk.run->waited()) / static_cast<double>(messages) : 0);
  advance(number);
}

void System::report(Chunk& chunk) {
  Collective& collective = collectives_.at(chunk.collective);
  add(collective.queueing_ns, chunk.queueing_ns);
  add(collective.network_ns, chunk.network_ns);
  if (++collective.chunks_finished < collective.chunks) return;
  CollectiveStats stats{.chunks = collective.chunks,
                        .queueing_ns = std::move(collective.queueing_ns),
                        .network_ns = std::move(collective.network_ns)};
  for (double& ns : stats.queueing_ns) ns /= collective.chunks;
  for (double& ns : stats.network_ns) ns /= collective.chunks;
  const CollectiveId id = collective.id;
  collectives_.erase(id);
  if (finished_) finished_(id, stats);
}

ChunkQueue& System::queue(int dimension, int queue) {
  return queues_[static_cast<std::size_t>(resources_.first_queue(dimension) + queue)];
}

void System::occupy(int dimension, int change) {
  const auto d = static_cast<std::size_t>(dimension);
  const bool was_busy = occupancy_[d] > 0;
  occupancy_[d] += change;
  const bool busy = occupancy_[d] > 0;
  if (busy == was_busy) return;
  auto& intervals = use_[d].busy;
  const Time now = clock().now();
  if (!busy) {
    intervals.back().to = now;
  } else if (!intervals.empty() && intervals.back().to == now) {
    intervals.back().to = Time::max();  // it never stopped
  } else {
    intervals.push_back({now, Time::max()});
  }
}

std::string System::stuck() const {
  std::vector<std::string> lines;
  for (const auto& [id, collective] : collectives_) {
    lines.push_back(fmt::format("{} of {} has {} of {} chunks left", name(collective.request.kind),
                                to_string(collective.request.size),
                                collective.chunks - collective.chunks_finished, collective.chunks));
  }
  for (const auto& [number, chunk] : chunks_) {
    if (!chunk.run) continue;
    const Phase& phase = chunk.phases[static_cast<std::size_t>(chunk.current)];
    lines.push_back(fmt::format("chunk {} runs {} on dimension {}: {}", number, name(phase.kind),
                                phase.dimension_index, chunk.run->stuck()));
  }
  return fmt::format("{}", fmt::join(lines, "\n  "));
}

}  // namespace overture::system
