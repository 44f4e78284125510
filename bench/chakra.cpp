// ASTRA-sim 2's files at scale: CPU time and peak memory of whole runs, files included, and how fast traces
// load. Each run is a process of its own, so that its memory is its own. The original's columns are those of
// the project's notes on it (master 518bd51, a 2-core machine).
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "overture/astra2/files.h"
#include "overture/astra2/machine.h"
#include "overture/base/files.h"
#include "overture/base/table.h"
#include "overture/formats/chakra/reader.h"
#include "overture/formats/chakra/writer.h"

namespace {

using namespace overture;
namespace fs = std::filesystem;

struct Cost {
  double cpu_s = 0;
  double mb = 0;
};

Cost measured(const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(0);
  }
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  if (status != 0) std::exit(1);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return {seconds(usage.ru_utime) + seconds(usage.ru_stime), static_cast<double>(usage.ru_maxrss) / 1024};
}

chakra::RankTrace one_collective(chakra::Collective kind, std::uint64_t size) {
  chakra::RankTrace trace;
  chakra::Node node{.id = 1,
                    .comm_size = size,
                    .kind = chakra::NodeKind::collective,
                    .comm_type = static_cast<std::uint8_t>(kind)};
  node.set(chakra::Has::comm_type);
  node.set(chakra::Has::comm_size);
  add_node(trace, node, "collective", {});
  return trace;
}

struct Case {
  std::string name;
  std::string topology;
  int npus;
  std::string algorithm;
  chakra::Collective kind;
  bool aware;
  std::string original;
};

void write_case(const Case& c, const fs::path& folder) {
  for (int npu = 0; npu < c.npus; ++npu)
    chakra::write_trace(one_collective(c.kind, 64 << 20), chakra::rank_file(folder / "w", npu));
  write_file(folder / "network.yml",
             fmt::format("topology: [ {} ]\nnpus_count: [ {} ]\nbandwidth: [ 50 ]\nlatency: [ 500 ]\n",
                         c.topology, c.npus));
  write_file(folder / "system.json", fmt::format("{{\"preferred-dataset-splits\": 4, \"local-mem-bw\": 1600, "
                                                 "\"all-reduce-implementation\": [\"{0}\"], "
                                                 "\"all-to-all-implementation\": [\"{0}\"]}}",
                                                 c.algorithm));
}

void run_case(const Case& c, const fs::path& folder) {
  const astra2::Config config = astra2::read_config(
      {.workload = folder / "w", .system = folder / "system.json", .network = folder / "network.yml"},
      c.aware);
  astra2::run(config, astra2::read_programs(folder / "w", c.npus));
}

// A training step over and over: compute, exchange, compute, reduce; every node waits for the one before.
chakra::RankTrace long_trace(int nodes) {
  chakra::RankTrace trace;
  for (int n = 0; n < nodes; ++n) {
    chakra::Node node{
        .id = static_cast<std::uint64_t>(n) + 1, .duration_micros = 12, .kind = chakra::NodeKind::compute};
    if (n % 2 == 1) {
      node = one_collective(n % 4 == 1 ? chakra::Collective::all_to_all : chakra::Collective::all_reduce,
                            1 << 20)
                 .nodes.front();
      node.id = static_cast<std::uint64_t>(n) + 1;
    }
    node.set(chakra::Has::cpu_said);
    const std::uint32_t before = static_cast<std::uint32_t>(n - 1);
    add_node(trace, node, fmt::format("layer_{}", n), std::span(&before, n == 0 ? 0U : 1U));
  }
  return trace;
}

}  // namespace

int main() {
  std::string name = (fs::temp_directory_path() / "bench-chakraXXXXXX").string();
  const fs::path folder = mkdtemp(name.data());
  Table table({"case (64 MiB, 4 chunks)", "CPU s", "MB", "original"});
  for (const Case& c : {Case{"all-reduce, ring, unaware, 1024", "Ring", 1024, "ring",
                             chakra::Collective::all_reduce, false, "13-28 s, 365 MB"},
                        Case{"all-reduce, ring, unaware, 4096", "Ring", 4096, "ring",
                             chakra::Collective::all_reduce, false, "> 94 s, 5.6 GB"},
                        Case{"all-to-all, switch, aware, 1024", "Switch", 1024, "direct",
                             chakra::Collective::all_to_all, true, "127 s, 1.2 GB"}}) {
    write_case(c, folder);
    const Cost cost = measured([&] { run_case(c, folder); });
    table.add({c.name, fmt::format("{:.3f}", cost.cpu_s), fmt::format("{:.0f}", cost.mb), c.original});
  }
  fmt::print("{}\n", table.text());

  constexpr int kRanks = 64;
  constexpr int kNodes = 100'000;
  const chakra::RankTrace trace = long_trace(kNodes);
  for (int rank = 0; rank < kRanks; ++rank)
    chakra::write_trace(trace, chakra::rank_file(folder / "long", rank));
  std::size_t memory = 0;
  const Cost load = measured([&] {
    for (int rank = 0; rank < kRanks; ++rank)
      memory = chakra::read_trace(chakra::rank_file(folder / "long", rank)).memory();
  });
  memory = chakra::read_trace(chakra::rank_file(folder / "long", 0)).memory();
  fmt::print("{} ranks x {} nodes: {:.2f} CPU s, {:.1f} million nodes/s, {} bytes per node in memory\n",
             kRanks, kNodes, load.cpu_s, 1e-6 * kRanks * kNodes / load.cpu_s, memory / kNodes);
  fs::remove_all(folder);
}
