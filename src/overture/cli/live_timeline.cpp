#include "overture/cli/live_timeline.h"

#include <fmt/format.h>

#include "overture/formats/recording/recorded_run.h"
#include "overture/recording/recording.h"

namespace overture::cli {
namespace {

constexpr std::size_t kSteps = 6;  // that are shown of a point

// By party: the measured stream above the predicted one. Parties are counted as in the predicted graph:
// trainers, servers, the oracle.
int stream_of(int rank, bool predicted) { return 1 + 2 * rank + (predicted ? 1 : 0); }

int rank_of(const recording::Head& head) {
  return head.is_oracle() ? head.trainers + head.servers : head.party - 1;
}
std::string party_at(const recording::Head& head, int rank) {
  if (rank < head.trainers) return fmt::format("trainer {}", rank);
  return rank < head.trainers + head.servers ? fmt::format("server {}", rank - head.trainers)
                                             : std::string("oracle");
}

void add_measured(report::Trace& trace, const recording::Recording& recording, std::int64_t from,
                  std::int64_t to) {
  for (const recording::PartyRecord& party : recording.parties) {
    for (const recording::Event& event : party.events) {
      const auto* piece = std::get_if<recording::Piece>(&event);
      if (piece == nullptr || piece->begin < from || piece->begin >= to) continue;
      trace.add(report::TraceSlice{.name = std::string(kind_of(piece->work).name),
                                   .stream = stream_of(rank_of(party.head), false),
                                   .start = Time{std::chrono::nanoseconds(piece->begin - from)},
                                   .length = std::chrono::nanoseconds(piece->length)});
    }
  }
}

void add_predicted(report::Trace& trace, const simulation::SimulationResult& result, Time from, Time to) {
  for (std::uint32_t i = 0; i < result.graph.size(); ++i) {
    const workload::TaskId id{i};
    if (result.graph.kind(id) != workload::TaskKind::compute || result.start[i] < from ||
        result.start[i] >= to)
      continue;
    trace.add(report::TraceSlice{.name = result.graph.name(id),
                                 .stream = stream_of(index(result.graph.compute(id).rank), true),
                                 .start = Time{result.start[i] - from},
                                 .length = result.end[i] - result.start[i]});
  }
}

// When trainer 0 ends its steps.
std::vector<Time> ends_of(const simulation::SimulationResult& result) {
  std::vector<Time> ends;
  for (std::uint32_t i = 0; i < result.graph.size(); ++i) {
    const workload::TaskId id{i};
    if (result.graph.kind(id) == workload::TaskKind::compute &&
        result.graph.name(id) == workload::end_label() && result.graph.compute(id).rank == Rank{0})
      ends.push_back(result.end[i]);
  }
  return ends;
}

}  // namespace

void LiveTimelines::add(const std::string& point, const std::filesystem::path& folder,
                        const simulation::SimulationResult& predicted) {
  const recording::Recording recording = recording::read_recording(folder);
  const formats::RecordedRun run = formats::recorded_run(recording, folder.string());
  const std::vector<Time> ends = ends_of(predicted);
  if (run.ended.size() <= kSteps || ends.size() <= kSteps) return;
  const auto number = static_cast<int>(traces_.size());
  report::Trace& trace = traces_.emplace_back(number, points_);
  trace.name_process(point);
  const recording::Head& head = recording.head();
  for (int rank = 0; rank < head.parties(); ++rank) {
    trace.name_stream(stream_of(rank, false), party_at(head, rank) + ", measured");
    trace.name_stream(stream_of(rank, true), party_at(head, rank) + ", predicted");
  }
  const std::size_t middle = run.ended.size() / 2;
  add_measured(trace, recording, run.ended[middle - kSteps / 2], run.ended[middle + kSteps / 2]);
  const std::size_t half = ends.size() / 2;
  add_predicted(trace, predicted, ends[half - kSteps / 2], ends[half + kSteps / 2]);
}

void LiveTimelines::write(const std::filesystem::path& folder) const {
  if (!traces_.empty()) report::write_trace_files(traces_, folder);
}

}  // namespace overture::cli
