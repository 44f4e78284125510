#include "overture/astra2/collectives.h"

#include <algorithm>

#include <fmt/format.h>

#include "overture/base/check.h"
#include "overture/system/shared_bus.h"

namespace overture::astra2 {
namespace {

constexpr std::int32_t kCollectiveTags = 500'000'000;  // collectives' tags begin here, and so many are theirs
constexpr std::int32_t kGroupStreams = 1'000'000;
constexpr Duration kGroupEndpoint =
    Nanoseconds{10};  // of a group that is not everybody, whatever the file says

Bytes bytes(std::uint64_t count) { return Bytes{static_cast<std::int64_t>(count)}; }

}  // namespace

Collectives::Collectives(Shared& shared, system::CycleClock& clock, int npu, Finished finished)
    : shared_(shared),
      config_(shared.config),
      clock_(clock),
      npu_(npu),
      finished_(std::move(finished)),
      planner_(shared.config, shared.logical, npu),
      most_running_(
          static_cast<std::size_t>((config_.system.active_chunks + config_.queues - 1) / config_.queues)),
      queues_(config_.network.dimensions.size() * static_cast<std::size_t>(config_.queues)) {
  if (config_.system.shared_bus)
    bus_ = std::make_unique<system::SharedBusEndpoint>(*config_.system.shared_bus, Nanoseconds{1}, clock);
}

// With one communication at a time the priority decides nothing, but it is what the original counts.
int Collectives::priority(int explicit_priority) {
  switch (config_.system.policy) {
    case system::SchedulingPolicy::lifo: return priorities_++;
    case system::SchedulingPolicy::fifo: return priorities_--;
    case system::SchedulingPolicy::highest: return explicit_priority;
  }
  return 0;
}

std::shared_ptr<const Program> Collectives::custom_program(const Request& request) {
  std::string prefix = config_.system.custom[static_cast<std::size_t>(request.collective)];
  const auto own = config_.system.custom_nodes.find(request.node_id);
  if (own != config_.system.custom_nodes.end()) prefix = own->second;
  if (request.group != 0) {
    const auto [plan, added] = group_plans_.try_emplace({request.group, request.collective}, prefix);
    prefix = plan->second;
    if (added) tell_ring(config_.groups.at(request.group));
  }
  if (prefix.empty()) return nullptr;
  int position = npu_;
  if (request.group != 0) {  // of the sorted group, although ranks are looked up in the order of the file
    std::vector<int> sorted = config_.groups.at(request.group);
    std::sort(sorted.begin(), sorted.end());
    position = static_cast<int>(std::find(sorted.begin(), sorted.end(), npu_) - sorted.begin());
  }
  return shared_.custom.get(prefix, position);
}

void Collectives::tell_ring(const std::vector<int>& ranks) const {
  if (!shared_.ring_made || static_cast<int>(ranks.size()) == config_.network.npus()) return;
  const auto mine = std::find(ranks.begin(), ranks.end(), npu_);
  shared_.ring_made(npu_, static_cast<int>(ranks.size()), static_cast<int>(mine - ranks.begin()));
}

std::int32_t Collectives::next_tag(const Request& request) {
  std::int32_t stream = next_stream_++;
  if (request.group != 0) {
    const auto start =
        static_cast<std::int32_t>(static_cast<std::int64_t>(request.group) * kGroupStreams % kCollectiveTags);
    stream = next_stream_of_group_.try_emplace(request.group, start).first->second++;
  }
  return stream % kCollectiveTags + kCollectiveTags;
}

void Collectives::start(const Request& request, std::uint32_t node, int explicit_priority) {
  const std::uint32_t collective = running_.keep({node, 0});
  const int priority = this->priority(explicit_priority);
  if (std::shared_ptr<const Program> program = custom_program(request)) {
    running_[collective].chunks = 1;
    const std::vector<int>* named = request.group == 0 ? nullptr : &config_.groups.at(request.group);
    std::vector<Phase> phases{{.members = {.named = named}, .custom = std::move(program)}};
    return start_stream(std::move(phases), next_tag(request), priority, collective);
  }
  const Chunks chunks = chunks_of(config_, request.collective, request.size);
  running_[collective].chunks = chunks.count;
  for (std::uint64_t c = 0; c < chunks.count; ++c) {
    std::vector<Phase> phases = planner_.phases(request, chunks.size);
    if (phases.empty()) {  // nobody has a peer: there is nothing to do, and ASTRA-sim would wait for ever
      running_[collective].chunks = 1;
      clock_.after(Duration::zero(), [this, collective] { chunk_finished(collective); });
      return;
    }
    start_stream(std::move(phases), next_tag(request), priority, collective);
  }
}

void Collectives::start_stream(std::vector<Phase> phases, std::int32_t tag, int priority,
                               std::uint32_t collective) {
  proceed(streams_.keep(std::make_unique<Stream>(
      Stream{.tag = tag, .priority = priority, .collective = collective, .phases = std::move(phases)})));
}

// Behind those under way and those of at least its priority.
void Collectives::enqueue(std::uint32_t id) {
  std::vector<std::uint32_t>& queue = queues_[static_cast<std::size_t>(at(id).now().queue)].streams;
  const auto goes_first = [&](std::uint32_t other) {
    return at(other).initialized || at(other).priority >= at(id).priority;
  };
  queue.insert(std::find_if_not(queue.begin(), queue.end(), goes_first), id);
}

// To its next phase, or out.
void Collectives::proceed(std::uint32_t id) {
  Stream& stream = at(id);
  const int previous = stream.phase < 0 ? -1 : stream.now().queue;
  const bool last = static_cast<std::size_t>(stream.phase + 1) == stream.phases.size();
  if (last) chunk_finished(stream.collective);  // may start other collectives, which queue behind this one
  if (previous >= 0) {
    std::vector<std::uint32_t>& queue = queues_[static_cast<std::size_t>(previous)].streams;
    queue.erase(std::find(queue.begin(), queue.end(), id));
  }
  if (last) {
    removed(previous);
    streams_.release(id).reset();
    return;
  }
  ++stream.phase;
  stream.initialized = false;
  enqueue(id);
  const int queue = stream.now().queue;
  if (previous >= 0) removed(previous);
  fill(queues_[static_cast<std::size_t>(queue)]);
}

void Collectives::chunk_finished(std::uint32_t collective) {
  check(running_[collective].chunks > 0, "a collective has chunks to finish");
  if (--running_[collective].chunks > 0) return;
  finished_(running_.release(collective).node);
}

void Collectives::removed(int queue) {
  Queue& left = queues_[static_cast<std::size_t>(queue)];
  --left.running;
  fill(left);
}

void Collectives::fill(Queue& queue) {
  while (queue.running < queue.streams.size() && queue.running < most_running_) {
    const std::uint32_t next = queue.streams[queue.running];
    begin(next);
    ++queue.running;
  }
}

void Collectives::begin(std::uint32_t id) {
  Stream& stream = at(id);
  const Phase& phase = stream.now();
  stream.initialized = true;
  stream.prepared = stream.sent = stream.credits = stream.received = 0;
  if (phase.custom) {
    stream.custom = std::make_unique<CustomRun>(phase.custom, npu_, phase.members.named, shared_.transport,
                                                clock_, [this, id] { proceed(id); });
    return stream.custom->start();
  }
  if (phase.algorithm.kind == system::kDoubleBinaryTree) {
    stream.tree = TreeState::begin;
    stream.reductions = 0;
    stream.relatives = system::tree_node(phase.members.mine, phase.members.size, phase.root);
    return tree_run(id, Event::passed);
  }
  stream.schedule.emplace(phase.kind, phase.algorithm, phase.members.size, bytes(phase.input),
                          phase.direction);
  if (named(stream)) stream.schedule->in_named_group();
  for (int i = 0; i < stream.schedule->window(); ++i) window_prepare(id);
}

Letter Collectives::letter_to(const Stream& stream, int to, Bytes size) const {
  return {static_cast<std::uint64_t>(size.count()), stream.tag, npu_, to};
}

Letter Collectives::letter_from(const Stream& stream, int from, Bytes size) const {
  return {static_cast<std::uint64_t>(size.count()), stream.tag, from, npu_};
}

// One write and two reads of the memory, each cut to whole nanoseconds.
Duration Collectives::reduction(Bytes size) const {
  const double ns = static_cast<double>(size.count()) / config_.system.memory_bytes_per_s * 1e9;
  check_transfer_ns(ns);
  return Nanoseconds{3 * static_cast<std::int64_t>(ns)};
}

// Between the NPU and its network interface, before every send and after every receive.
void Collectives::pass(std::uint32_t id, std::int32_t packet, Bytes size,
                       const system::Preparation& preparation) {
  const auto then = [this, id, packet] { passed(id, packet); };
  const bool tree = !at(id).schedule;
  if (!tree && named(at(id))) {
    clock_.after(kGroupEndpoint, then);
  } else if (bus_) {
    bus_->pass(size, preparation, then);
  } else {
    clock_.after(Nanoseconds{config_.system.endpoint_delay_ns}, then);
  }
}

// `packet`: of a tree 1 if it is to be reduced.
void Collectives::passed(std::uint32_t id, std::int32_t packet) {
  const Stream& stream = at(id);
  const bool tree = !stream.schedule;
  if (tree ? packet == 1 : stream.schedule->preparation(packet).reduce) {
    const Bytes size = tree ? bytes(stream.now().input) : stream.schedule->size(packet);
    clock_.after(reduction(size), [this, id] { processed(id); });
    return;
  }
  processed(id);
}

void Collectives::processed(std::uint32_t id) {
  if (at(id).schedule) return window_ready(id);
  tree_run(id, Event::passed);
}

void Collectives::received(std::uint32_t id) {
  Stream& stream = at(id);
  ++stream.received;
  if (stream.schedule) return window_prepare(id);
  tree_run(id, Event::received);
}

void Collectives::window_prepare(std::uint32_t id) {
  Stream& stream = at(id);
  const std::int32_t packet = stream.prepared++;
  pass(id, packet, stream.schedule->size(packet), stream.schedule->preparation(packet));
}

void Collectives::window_ready(std::uint32_t id) {
  Stream& stream = at(id);
  const system::Schedule& schedule = *stream.schedule;
  ++stream.credits;
  if (schedule.middle() > 0 && schedule.messages() - stream.sent <= schedule.middle()) {
    // The second half begins when all of the first has arrived, even if it is not yet reduced.
    if (stream.received < schedule.middle()) return;
    for (int i = 0; i < schedule.window(); ++i) window_send(id);
  } else {
    window_send(id);
  }
  if (stream.sent == schedule.messages() && stream.credits == schedule.window()) {
    stream.schedule.reset();
    proceed(id);
  }
}

void Collectives::window_send(std::uint32_t id) {
  Stream& stream = at(id);
  const system::Schedule& schedule = *stream.schedule;
  if (stream.sent == schedule.messages() || stream.credits == 0) return;
  const Members& members = stream.now().members;
  const system::Exchange exchange = schedule.exchange(stream.sent, members.mine);
  ++stream.sent;
  --stream.credits;
  const int to = members.neighbour(exchange.to);
  const int from = members.neighbour(exchange.from);
  if (shared_.mirrored) {
    const bool one_port = config_.network.congestion_aware &&
                          config_.network.dimensions.front().kind == topology::DimensionKind::switched;
    shared_.transport.send_mirrored(letter_to(stream, to, exchange.size), from, one_port ? 1 : to);
  } else {
    shared_.transport.send(letter_to(stream, to, exchange.size));
  }
  shared_.transport.receive(letter_from(stream, from, exchange.size), [this, id] { received(id); });
}

void Collectives::tree_pass(std::uint32_t id, bool own, bool reduce) {
  pass(id, reduce ? 1 : 0, bytes(at(id).now().input),
       {.own_data = own, .reduce = reduce, .send_back = reduce});
}

void Collectives::tree_send(std::uint32_t id, int coordinate) {
  const Stream& stream = at(id);
  shared_.transport.send(letter_to(stream, stream.now().members.rank(coordinate), bytes(stream.now().input)));
}

void Collectives::tree_receive(std::uint32_t id, int coordinate) {
  const Stream& stream = at(id);
  shared_.transport.receive(
      letter_from(stream, stream.now().members.rank(coordinate), bytes(stream.now().input)),
      [this, id] { received(id); });
}

// Everything goes up whole, is reduced at every node, and comes down again.
void Collectives::tree_run(std::uint32_t id, Event event) {
  const system::TreeNode& relatives = at(id).relatives;
  if (relatives.root()) return tree_root(id);
  if (relatives.leaf()) return tree_leaf(id);
  tree_inner(id, event);
}

void Collectives::tree_leaf(std::uint32_t id) {
  Stream& stream = at(id);
  switch (stream.tree) {
    case TreeState::begin: stream.tree = TreeState::to_parent; return tree_pass(id, true, false);
    case TreeState::to_parent:
      stream.tree = TreeState::from_parent;
      tree_send(id, stream.relatives.parent);
      return tree_receive(id, stream.relatives.parent);
    case TreeState::from_parent: stream.tree = TreeState::end; return tree_pass(id, false, false);
    default: return proceed(id);
  }
}

void Collectives::tree_inner(std::uint32_t id, Event event) {
  Stream& stream = at(id);
  const bool arrived = event == Event::received;
  if (stream.tree == TreeState::begin) {
    stream.tree = TreeState::two_children;
    tree_receive(id, stream.relatives.left);
    tree_receive(id, stream.relatives.right);
  } else if (stream.tree == TreeState::two_children && arrived) {
    stream.tree = TreeState::one_child;
    pass(id, 1, bytes(stream.now().input), {.own_data = false, .reduce = true, .send_back = false});
  } else if (stream.tree == TreeState::one_child && arrived) {
    stream.tree = TreeState::to_parent;
    tree_pass(id, false, true);
  } else if (stream.reductions < 1 && !arrived) {
    ++stream.reductions;
  } else if (stream.tree == TreeState::to_parent) {
    stream.tree = TreeState::from_parent;
    tree_send(id, stream.relatives.parent);
    tree_receive(id, stream.relatives.parent);
  } else if (stream.tree == TreeState::from_parent && arrived) {
    stream.tree = TreeState::to_children;
    tree_pass(id, false, true);
  } else if (stream.tree == TreeState::to_children) {
    tree_send(id, stream.relatives.left);
    tree_send(id, stream.relatives.right);
    proceed(id);
  }
}

void Collectives::tree_root(std::uint32_t id) {
  Stream& stream = at(id);
  switch (stream.tree) {
    case TreeState::begin: stream.tree = TreeState::one_child; return tree_receive(id, stream.relatives.left);
    case TreeState::one_child: stream.tree = TreeState::to_children; return tree_pass(id, false, true);
    default: tree_send(id, stream.relatives.left); return proceed(id);
  }
}

std::string Collectives::stuck() const {
  for (const auto& stream : streams_) {
    if (stream == nullptr || !stream->initialized) continue;
    if (!stream->schedule) return "its collective's algorithm waits for a message";
    return fmt::format("its {} has received {} of {} messages of a chunk", name(stream->now().kind),
                       stream->received, stream->schedule->messages());
  }
  return "";
}

}  // namespace overture::astra2
