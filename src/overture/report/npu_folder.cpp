#include "overture/report/npu_folder.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/append.h"
#include "overture/base/files.h"
#include "overture/report/csv_grid.h"
#include "overture/report/html.h"
#include "overture/report/links_record.h"
#include "overture/report/results_folder.h"
#include "overture/report/trace.h"

namespace overture::report {
namespace {

using astra2::Lane;
using astra2::lane_of;
using astra2::Use;
using chakra::NodeKind;

constexpr std::size_t kMostOperations = 100'000;
constexpr int kTracedRanks = 16;

double npu_us(std::int64_t ns) { return static_cast<double>(ns) / 1000; }
std::int64_t used(const astra2::NpuResult& npu, Use use) { return npu.used[static_cast<std::size_t>(use)]; }

std::string npu_ranks_csv(const astra2::MachineResult& result) {
  std::string text =
      "rank,busy_us,waiting_us,finished_us,exposed_us,gpu_us,communication_us,cpu_us,remote_memory_us,"
      "collectives\n";
  for (std::size_t rank = 0; rank < result.npus.size(); ++rank) {
    const astra2::NpuResult& npu = result.npus[rank];
    append_format(text, "{},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{}\n", rank,
                  npu_us(used(npu, Use::gpu)), npu_us(npu.cycles - used(npu, Use::gpu)), npu_us(npu.cycles),
                  npu_us(static_cast<std::int64_t>(npu.exposed())), npu_us(used(npu, Use::gpu)),
                  npu_us(used(npu, Use::communication)), npu_us(used(npu, Use::cpu)),
                  npu_us(used(npu, Use::remote_memory)), npu.collectives);
  }
  return text;
}

struct NameTime {
  std::int64_t compute_ns = 0;
  std::int64_t communication_ns = 0;
  std::int64_t exposed_ns = 0;
};

// Parts of [start, end) in which the rank's GPU did not compute.
std::int64_t not_computing(const std::vector<std::pair<std::int64_t, std::int64_t>>& computing,
                           std::int64_t start, std::int64_t end) {
  std::int64_t covered = 0;
  auto next = std::upper_bound(computing.begin(), computing.end(), std::pair(start, start),
                               [](const auto& a, const auto& b) { return a.first < b.second; });
  for (; next != computing.end() && next->first < end; ++next)
    covered += std::max<std::int64_t>(0, std::min(end, next->second) - std::max(start, next->first));
  return end - start - covered;
}

// Of rank 0, by the name of a node: what of its communication the GPU did not hide.
std::vector<std::pair<std::string, NameTime>> name_times(const NpuRecorder& recorder) {
  std::vector<std::pair<std::int64_t, std::int64_t>> computing;
  for (const auto& i : recorder.intervals()) {
    if (i.npu == 0 && lane_of(recorder.programs()[0]->node(i.node)) == Lane::compute)
      computing.emplace_back(i.start_ns, i.end_ns);
  }
  std::sort(computing.begin(), computing.end());
  std::vector<std::pair<std::string, NameTime>> times;
  std::map<std::string, std::size_t> place;
  for (const auto& i : recorder.intervals()) {
    if (i.npu != 0) continue;
    const astra2::Program& program = *recorder.programs()[0];
    const std::string name(program.trace.name(program.node(i.node)));
    const auto [at, added] = place.try_emplace(name, times.size());
    if (added) times.emplace_back(name, NameTime{});
    NameTime& time = times[at->second].second;
    if (program.node(i.node).kind == NodeKind::compute) {
      time.compute_ns += i.end_ns - i.start_ns;
    } else {
      time.communication_ns += i.end_ns - i.start_ns;
      time.exposed_ns += not_computing(computing, i.start_ns, i.end_ns);
    }
  }
  return times;
}

std::string npu_layers_csv(const NpuRecorder& recorder) {
  std::string text = "layer,compute_us,communication_us,exposed_us\n";
  for (const auto& [name, time] : name_times(recorder))
    append_format(text, "{},{:.6f},{:.6f},{:.6f}\n", csv_cell(name), npu_us(time.compute_ns),
                  npu_us(time.communication_ns), npu_us(time.exposed_ns));
  return text;
}

std::string_view what(const chakra::Node& node) {
  return node.kind == NodeKind::collective ? chakra::name(node.collective()) : chakra::name(node.kind);
}

std::string operations_csv(const NpuRecorder& recorder) {
  std::string text = "rank,node,name,what,bytes,start_us,end_us\n";
  for (const auto& i : recorder.intervals()) {
    const astra2::Program& program = *recorder.programs()[static_cast<std::size_t>(i.npu)];
    const chakra::Node& node = program.node(i.node);
    append_format(text, "{},{},{},{},{},{:.3f},{:.3f}\n", i.npu, node.id,
                  csv_cell(std::string(program.trace.name(node))), what(node),
                  std::max(node.comm_size, node.tensor_size), npu_us(i.start_ns), npu_us(i.end_ns));
  }
  return text;
}

TraceSlice slice_of(const NpuRecorder::Interval& interval, const astra2::Program& program, int world) {
  const chakra::Node& node = program.node(interval.node);
  const bool communicates = lane_of(node) == Lane::communication || lane_of(node) == Lane::none;
  TraceSlice slice{.name = std::string(program.trace.name(node)),
                   .stream = kComputeStream + static_cast<int>(lane_of(node)),
                   .start = Time{Nanoseconds{interval.start_ns}},
                   .length = Nanoseconds{interval.end_ns - interval.start_ns},
                   .args = {{"node", std::to_string(node.id)}, {"what", std::string(what(node))}}};
  if (node.kind != NodeKind::collective) return slice;
  const Bytes size{static_cast<std::int64_t>(node.comm_size)};
  slice.collective = TraceCollective{std::string(what(node)), size, size, world};
  if (communicates) slice.name = "nccl: " + slice.name;
  return slice;
}

void write_npu_trace(const NpuRun& run, const std::filesystem::path& folder) {
  const int world = static_cast<int>(run.result.npus.size());
  std::vector<Trace> traces;
  std::map<int, std::size_t> place;
  for (const int rank : sampled_ranks(run.result.mirrored ? 1 : world, kTracedRanks)) {
    place[rank] = traces.size();
    traces.emplace_back(rank, world, kMostTraceEvents / kTracedRanks);
    for (const auto& [lane, title] :
         {std::pair(Lane::cpu, "CPU"), std::pair(Lane::compute, "GPU"),
          std::pair(Lane::communication, "communication"), std::pair(Lane::none, "receive")})
      traces.back().name_stream(kComputeStream + static_cast<int>(lane), title);
    if (run.result.mirrored) traces.back().set_note("every rank does the same; rank 0 stands for all");
  }
  for (const auto& i : run.recorder.intervals()) {
    const auto at = place.find(i.npu);
    if (at == place.end()) continue;
    TraceSlice slice = slice_of(i, *run.recorder.programs()[static_cast<std::size_t>(i.npu)], world);
    traces[at->second].add(std::move(slice));
  }
  write_trace_files(traces, folder);
}

Json npu_summary(const NpuRun& run) {
  Json summary = summary_head({.kind = "astra2", .name = run.name, .why = npu_why(run)});
  summary.update({{"ranks", run.result.npus.size()},
                  {"finished_us", npu_us(run.result.cycles())},
                  {"congestion_aware", run.config.network.congestion_aware},
                  {"one_rank_stands_for_all", run.result.mirrored},
                  {"complete", run.result.complete},
                  {"simulated_messages", run.result.messages},
                  {"delivered_bytes", run.result.network.delivered.count()}});
  return summary;
}

}  // namespace

astra2::NodeObserver NpuRecorder::observer() {
  return [this](int npu, std::uint32_t node, std::int64_t start, std::int64_t end) {
    intervals_.push_back({npu, node, start, end});
  };
}

std::string npu_why(const NpuRun& run) {
  const auto slowest = std::max_element(run.result.npus.begin(), run.result.npus.end(),
                                        [](const auto& a, const auto& b) { return a.cycles < b.cycles; });
  const auto rank = slowest - run.result.npus.begin();
  const double whole = static_cast<double>(std::max<std::int64_t>(1, slowest->cycles));
  const auto percent = [whole](std::int64_t ns) { return 100 * static_cast<double>(ns) / whole; };
  const double gpu = percent(used(*slowest, Use::gpu));
  std::string text =
      fmt::format("rank {} is last; it computes {:.0f} % of the time and communicates {:.0f} %", rank, gpu,
                  percent(used(*slowest, Use::communication)));
  if (const std::int64_t remote = used(*slowest, Use::remote_memory); remote > 0)
    text += fmt::format("; its remote memory is in use {:.0f} %", percent(remote));
  return text + fmt::format(" (exposed: {:.0f} %)", percent(slowest->exposed()));
}

std::string npu_summary_json(const NpuRun& run) { return summary_text(npu_summary(run)); }

void write_npu_folder(const NpuRun& run, const std::filesystem::path& folder, bool with_report) {
  make_results_folder(folder);
  write_file(folder / "ranks.csv", npu_ranks_csv(run.result));
  write_file(folder / "layers.csv", npu_layers_csv(run.recorder));
  if (run.recorder.intervals().size() <= kMostOperations)
    write_file(folder / "operations.csv", operations_csv(run.recorder));
  const LinksRecord links = links_record(run.result.network, Nanoseconds{run.result.cycles()});
  write_links(links, folder);
  write_npu_trace(run, folder);
  Digest digest;
  for (const astra2::NpuResult& npu : run.result.npus) {
    digest.add(npu.cycles);
    digest.add(static_cast<std::int64_t>(npu.exposed()));
  }
  write_summary(npu_summary(run), digest, run.setup_yaml, folder);
  if (with_report) write_html(folder);
}

}  // namespace overture::report
