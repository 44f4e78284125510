#include "overture/astra2/npu.h"

#include <algorithm>
#include <functional>

#include "overture/base/check.h"

namespace overture::astra2 {
namespace {

using chakra::Has;
using chakra::Node;
using chakra::NodeKind;

constexpr std::int32_t kTagsOfMessages = 500'000'000;

Use use_of(const Node& node) {
  switch (node.kind) {
    case NodeKind::memory_load:
    case NodeKind::memory_store: return Use::remote_memory;
    case NodeKind::compute: return node.on_cpu() ? Use::cpu : Use::gpu;
    case NodeKind::send:
    case NodeKind::receive:
    case NodeKind::collective: return Use::communication;
    default: return Use::invalid;
  }
}

// Recorded microseconds; a node without any still takes a cycle.
std::int64_t replayed_ns(const Node& node) {
  return node.duration_micros == 0 ? 1 : 1000 * static_cast<std::int64_t>(node.duration_micros);
}

}  // namespace

std::int64_t NpuResult::overlap() const {
  const std::int64_t gpu = used[static_cast<std::size_t>(Use::gpu)];
  const std::int64_t communication = used[static_cast<std::size_t>(Use::communication)];
  if (!has[static_cast<std::size_t>(Use::gpu)] || !has[static_cast<std::size_t>(Use::communication)])
    return 0;
  return gpu + communication - cycles;
}

Npu::Npu(Shared& shared, std::shared_ptr<const Program> program, int npu, sim::EventQueue& events,
         RemoteMemory& memory, const NodeObserver& observer)
    : shared_(shared),
      config_(shared.config),
      program_(std::move(program)),
      npu_(npu),
      clock_(events, Nanoseconds{1}),
      memory_(memory),
      observer_(observer),
      collectives_(shared, clock_, npu, [this](std::uint32_t node) { ended(node); }),
      missing_(program_->size()),
      running_(program_->size()) {
  for (std::uint32_t n = 0; n < program_->size(); ++n) {
    missing_[n] = program_->node(n).parents;
    if (missing_[n] == 0) make_ready(n);
  }
  if (observer_) started_.resize(program_->size());
}

void Npu::make_ready(std::uint32_t node) {
  if (scanning_) return freed_.push_back(node);
  std::vector<std::uint32_t>& heap = ready_[static_cast<std::size_t>(lane_of(program_->node(node)))];
  heap.push_back(node);
  std::push_heap(heap.begin(), heap.end(), std::greater<>());
}

void Npu::start() {
  scan();
  check_finished();
}

// Starts what is ready and has a free lane, in ascending id. What gets ready meanwhile waits for the next
// scan, which something that ends brings about.
void Npu::scan() {
  do {
    scanning_ = true;
    while (true) {
      std::vector<std::uint32_t>* best = nullptr;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        if (ready_[lane].empty() || !free(static_cast<Lane>(lane))) continue;
        if (best == nullptr || ready_[lane].front() < best->front()) best = &ready_[lane];
      }
      if (best == nullptr) break;
      std::pop_heap(best->begin(), best->end(), std::greater<>());
      const std::uint32_t node = best->back();
      best->pop_back();
      issue(node);
    }
    scanning_ = false;
    const std::vector<std::uint32_t> freed = std::exchange(freed_, {});
    for (const std::uint32_t node : freed) make_ready(node);
    // Nothing is under way that could bring about the next scan: ASTRA-sim would stand still here.
  } while (ongoing_ == 0 &&
           std::any_of(ready_.begin(), ready_.end(), [](const auto& heap) { return !heap.empty(); }));
}

void Npu::note_start(std::uint32_t node) {
  const auto use = static_cast<std::size_t>(use_of(program_->node(node)));
  result_.has[use] = true;
  result_.last_started = static_cast<Use>(use);
  if (using_[use]++ == 0) since_[use] = now_ns();
  if (observer_) started_[node] = now_ns();
  running_[node] = true;
}

void Npu::note_end(std::uint32_t node) {
  const auto use = static_cast<std::size_t>(use_of(program_->node(node)));
  if (--using_[use] == 0) result_.used[use] += now_ns() - since_[use];
  if (observer_) observer_(npu_, node, started_[node], now_ns());
  running_[node] = false;
}

void Npu::issue(std::uint32_t n) {
  const Node& node = program_->node(n);
  ++ongoing_;
  busy_[static_cast<std::size_t>(lane_of(node))] = true;
  note_start(n);
  if (config_.system.replay_only) return replay(n);
  switch (node.kind) {
    case NodeKind::memory_load:
    case NodeKind::memory_store: return memory_.access(npu_, n, node.tensor_size);
    case NodeKind::compute: return config_.system.roofline && !node.on_cpu() ? compute(n) : replay(n);
    case NodeKind::send:
    case NodeKind::receive: return point_to_point(n);
    case NodeKind::collective: return collective(n);
    default: return finish_node(n);  // takes no time
  }
}

void Npu::replay(std::uint32_t n) {
  const Node& node = program_->node(n);
  const std::int64_t ns = replayed_ns(node);
  if (!node.on_cpu()) result_.computed_cycles += static_cast<std::uint64_t>(ns);
  if (node.kind == NodeKind::compute) result_.compute_nodes_cycles += ns;
  clock_.after(Nanoseconds{ns}, [this, n] { ended(n); });
}

// Roofline (Williams, Waterman and Patterson, 2009).
void Npu::compute(std::uint32_t n) {
  const Node& node = program_->node(n);
  if (node.tensor_size == 0) return finish_node(n);
  const auto operations = static_cast<double>(node.num_ops);
  const double intensity = operations / static_cast<double>(node.tensor_size);
  const double peak = config_.system.peak_flops;
  const double reached = std::min(config_.system.memory_bytes_per_s * intensity, peak);
  const double ns = node.num_ops == 0 ? 0 : operations / reached * 1e9;
  check_transfer_ns(ns);
  const auto cycles = static_cast<std::int64_t>(ns);
  const auto weight = static_cast<double>(cycles);
  result_.computed_cycles += static_cast<std::uint64_t>(cycles);
  result_.compute_nodes_cycles += cycles;
  if (reached >= peak) result_.compute_bound += weight;
  result_.compute_use += reached / peak * weight;
  if (intensity > 0) result_.memory_use += reached / intensity / config_.system.memory_bytes_per_s * weight;
  result_.intensity += intensity * weight;
  clock_.after(Nanoseconds{cycles}, [this, n] { ended(n); });
}

void Npu::collective(std::uint32_t n) {
  const Node& node = program_->node(n);
  ++result_.collectives;
  Request request{.size = node.comm_size, .node_id = node.id};
  const std::string_view group = program_->trace.group(node);
  if (!group.empty()) request.group = std::stoi(std::string(group));
  if (request.group == 0 && node.is(Has::dimensions)) request.dimensions = node.dimensions;
  switch (node.collective()) {
    case chakra::Collective::all_reduce: request.collective = Played::all_reduce; break;
    case chakra::Collective::all_gather: request.collective = Played::all_gather; break;
    case chakra::Collective::reduce_scatter: request.collective = Played::reduce_scatter; break;
    case chakra::Collective::all_to_all: request.collective = Played::all_to_all; break;
    default:  // a broadcast is not simulated; the others were refused
      clock_.after(Nanoseconds{replayed_ns(node)}, [this, n] { ended(n); });
      return;
  }
  collectives_.start(request, n, static_cast<int>(node.priority));
}

void Npu::point_to_point(std::uint32_t n) {
  const Node& node = program_->node(n);
  const auto tag = static_cast<std::int32_t>(node.tag % kTagsOfMessages);
  if (node.kind == NodeKind::send) {
    shared_.transport.send({node.comm_size, tag, npu_, static_cast<std::int32_t>(node.destination)},
                           [this, n] { ended(n); });
  } else {
    shared_.transport.receive({node.comm_size, tag, static_cast<std::int32_t>(node.source), npu_},
                              [this, n] { ended(n); });
  }
}

void Npu::finish_node(std::uint32_t node) {
  --ongoing_;
  busy_[static_cast<std::size_t>(lane_of(program_->node(node)))] = false;
  note_end(node);
  for (const std::uint32_t child : program_->children_of(node)) {
    if (--missing_[child] == 0) make_ready(child);
  }
}

void Npu::ended(std::uint32_t node) {
  finish_node(node);
  scan();
  check_finished();
}

void Npu::check_finished() {
  if (ongoing_ > 0 || result_.finished) return;
  for (const auto& heap : ready_) {
    if (!heap.empty()) return;
  }
  result_.finished = true;
  result_.cycles = now_ns();
  if (finished_) finished_(npu_);
}

std::vector<std::uint32_t> Npu::under_way() const {
  std::vector<std::uint32_t> nodes;
  for (std::uint32_t n = 0; n < program_->size(); ++n) {
    if (running_[n]) nodes.push_back(n);
  }
  return nodes;
}

}  // namespace overture::astra2
