#include "overture/report/recorder.h"

#include <map>

#include <fmt/format.h>

namespace overture::report {
namespace {

using system::CollectiveKind;
using workload::TaskGraph;
using workload::TaskId;

constexpr int kFirstCommunicationStream = 10;
constexpr int kStreamsPerDimension = 100;

// The training loop schedules layers and chunks once for all NPUs: there is one timeline, whatever part of
// the machine had to be simulated to time it.
std::string stands_for_all(const simulation::SimulationResult& result) {
  const auto simulated = [&] {
    switch (result.scope) {
      case system::Scope::rank_0: return "one of them was simulated, for they are all alike";
      case system::Scope::group: return "one group of them was simulated, for groups are alike";
      case system::Scope::all: break;
    }
    return result.first_machine
               ? "messages between machines were simulated, and those inside of the first one, "
                 "for machines are alike"
               : "the messages of all of them were simulated";
  };
  return fmt::format(
      "rank 0 stands for all {} NPUs, which run the same layers and chunks at the same time; {}",
      result.ranks, simulated());
}

}  // namespace

std::string kernel_name(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::all_reduce: return "ncclKernel_AllReduce";
    case CollectiveKind::all_to_all: return "ncclKernel_AllToAll";
    case CollectiveKind::all_gather: return "ncclKernel_AllGather";
    case CollectiveKind::reduce_scatter: return "ncclKernel_ReduceScatter";
    case CollectiveKind::broadcast: return "ncclKernel_Broadcast";
    case CollectiveKind::barrier: return "ncclKernel_AllReduce barrier";
  }
  return "ncclKernel";
}

simulation::Observers Recorder::observers() {
  return {.chunk = [this](const system::ChunkEvent& event) { chunk(event); }};
}

void Recorder::chunk(const system::ChunkEvent& event) {
  digest_.add(event.chunk);
  digest_.add(event.phase_number);
  digest_.add(event.phase.input.count());
  for (const Time t : {event.queued, event.started, event.finished})
    digest_.add(t.time_since_epoch().count());
  if (phases_.size() < max_events_) {
    phases_.push_back({event.chunk, event.phase_number, event.last_phase, event.phase, event.queued,
                       event.started, event.finished});
  }
}

std::uint64_t Recorder::digest(const simulation::SimulationResult& result) const {
  Digest digest = digest_;
  for (const std::vector<Time>* times : {&result.start, &result.end})
    for (const Time time : *times) digest.add(time.time_since_epoch().count());
  return digest.value();
}

namespace {

bool computes(const TaskGraph& graph, TaskId id) { return graph.kind(id) == workload::TaskKind::compute; }

// In a run that was cut short some have not; they have no times either.
bool has_ended(const simulation::SimulationResult& result, std::uint32_t task) {
  return result.end[task] != Time::max();
}

void add_compute(Trace& trace, const simulation::SimulationResult& result) {
  const TaskGraph& graph = result.graph;
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    const TaskId id{i};
    if (!computes(graph, id) || !has_ended(result, i)) continue;
    const workload::Label& label = graph.labels()[static_cast<std::size_t>(graph.label(id))];
    trace.add(TraceSlice{
        .name = label.name,
        .stream = kComputeStream,
        .start = result.start[i],
        .length = result.end[i] - result.start[i],
        .args = {{"layer", label.layer}, {"iteration", fmt::format("{}", iteration_of(graph, id))}}});
  }
}

// An iteration lasts from its first computation to the next one's; the last to the end of the run.
void add_steps(Trace& trace, const simulation::SimulationResult& result) {
  std::vector<std::pair<int, Time>> starts;
  for (std::uint32_t i = 0; i < result.graph.size(); ++i) {
    if (!computes(result.graph, TaskId{i}) || !has_ended(result, i)) continue;
    const int iteration = iteration_of(result.graph, TaskId{i});
    if (starts.empty() || starts.back().first != iteration) starts.emplace_back(iteration, result.start[i]);
  }
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const Time end = i + 1 < starts.size() ? starts[i + 1].second : Time{result.finished};
    trace.add(TraceStep{starts[i].first, starts[i].second, end - starts[i].second});
  }
}

}  // namespace

Trace Recorder::trace(const simulation::SimulationResult& result) const {
  Trace trace(0, result.ranks, max_events_);
  if (result.ranks > 1) trace.set_note(stands_for_all(result));
  trace.name_stream(kComputeStream, "compute");
  add_steps(trace, result);
  add_compute(trace, result);
  add_phases(trace, result.graph);
  for (std::size_t d = 0; d < result.dimensions.size(); ++d) {
    const std::string name = fmt::format("dimension {} in use", d);
    for (const auto& interval : result.dimensions[d].busy) {
      trace.add(TraceCounter{name, interval.from, 1});
      trace.add(TraceCounter{name, interval.to, 0});
    }
  }
  return trace;
}

void Recorder::add_phases(Trace& trace, const TaskGraph& graph) const {
  std::map<int, StreamLanes> lanes;  // phases come in order of their end
  for (const PhaseRecord& record : phases_) {
    const int dimension = record.phase.dimension_index;
    const int first = kFirstCommunicationStream + dimension * kStreamsPerDimension;
    const int stream =
        lanes.try_emplace(dimension, first).first->second.take(record.started, record.finished);
    trace.name_stream(stream, fmt::format("dimension {}", dimension));
    TraceSlice slice{.name = kernel_name(record.phase.kind),
                     .stream = stream,
                     .start = record.started,
                     .length = record.finished - record.started};
    slice.collective = TraceCollective{.collective = std::string(system::name(record.phase.kind)),
                                       .in = record.phase.input,
                                       .out = record.phase.output,
                                       .group_size = record.phase.dimension.size,
                                       .group = fmt::format("dimension {}", dimension)};
    const TaskId task{record.phase.name.task};
    const workload::Label& label = graph.labels()[static_cast<std::size_t>(graph.label(task))];
    slice.args.emplace_back("layer", label.layer);
    slice.args.emplace_back("pass", std::string(workload::name(label.pass)));
    slice.args.emplace_back("iteration", fmt::format("{}", iteration_of(graph, task)));
    slice.args.emplace_back("chunk", fmt::format("{}", record.chunk));
    slice.args.emplace_back("queued for", to_string(record.started - record.queued));
    // Arrows follow a chunk from phase to phase.
    constexpr std::uint64_t kMaxPhases = 64;
    const std::uint64_t arrow =
        static_cast<std::uint64_t>(record.chunk) * kMaxPhases + static_cast<std::uint64_t>(record.number);
    if (record.number > 0) slice.flow_in = arrow;
    if (!record.last) slice.flow_out = arrow + 1;
    trace.add(std::move(slice));
  }
}

}  // namespace overture::report
