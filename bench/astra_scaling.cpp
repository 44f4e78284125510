// How the cost of ASTRA-sim's own runs grows with the number of NPUs: CPU time and peak memory of the sample
// DLRM and of ResNet-50 on 3-D tori, report writing included. Each run is a process of its own, so that its
// memory is its own. The original's column was measured once on a 2-core machine of the kind that this runs
// on (optimised build).
#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "overture/base/files.h"
#include "overture/base/table.h"
#include "overture/formats/astra/network_json.h"
#include "overture/formats/astra/system_text.h"
#include "overture/formats/astra/workload_text.h"
#include "overture/report/astra_csv.h"
#include "overture/simulation/simulation.h"

namespace {

using namespace overture;

struct Case {
  std::string name;
  std::string folder;
  std::array<int, 3> torus;
  bool all_npus;
  std::optional<double> original_cpu_s;
  std::optional<double> original_mb;
};

// The originals' numbers: ASTRA-sim 1.0, analytical backend, full run with its reports; 4096 without.
const std::array kCases{
    Case{"DLRM", "dlrm-torus3d-4x4x4", {4, 4, 4}, false, 0.45, 8.3},
    Case{"DLRM", "dlrm-torus3d-4x4x4", {8, 8, 8}, false, {}, {}},
    Case{"DLRM", "dlrm-torus3d-4x4x4", {8, 8, 16}, false, 23.2, 75},
    Case{"DLRM", "dlrm-torus3d-4x4x4", {16, 16, 16}, false, 236, 286},
    Case{"DLRM", "dlrm-torus3d-4x4x4", {32, 32, 32}, false, {}, {}},
    Case{"DLRM", "dlrm-torus3d-4x4x4", {64, 64, 64}, false, {}, {}},
    Case{"ResNet-50", "resnet50-torus3d-4x4x4", {4, 4, 4}, false, 9.8, 22},
    Case{"ResNet-50", "resnet50-torus3d-4x4x4", {8, 8, 8}, false, {}, {}},
    Case{"ResNet-50", "resnet50-torus3d-4x4x4", {16, 16, 16}, false, {}, {}},
    Case{"ResNet-50", "resnet50-torus3d-4x4x4", {32, 32, 32}, false, {}, {}},
    Case{"ResNet-50", "resnet50-torus3d-4x4x4", {64, 64, 64}, false, {}, {}},
    Case{"DLRM, every NPU", "dlrm-torus3d-4x4x4", {4, 4, 4}, true, 0.45, 8.3},
    Case{"DLRM, every NPU", "dlrm-torus3d-4x4x4", {8, 8, 16}, true, 23.2, 75},
    Case{"DLRM, every NPU", "dlrm-torus3d-4x4x4", {16, 16, 16}, true, 236, 286},
    Case{"ResNet-50, every NPU", "resnet50-torus3d-4x4x4", {4, 4, 4}, true, 9.8, 22},
    Case{"ResNet-50, every NPU", "resnet50-torus3d-4x4x4", {4, 8, 8}, true, 19.9, 75},
};

void run_case(const Case& c, const std::string& out) {
  const std::string folder = std::string(OVERTURE_GOLDEN) + "/astra-sim-1/" + c.folder + "/";
  simulation::SimulationConfig config;
  config.network =
      formats::parse_astra_network(read_file(folder + "network.json"), "network.json",
                                   {.units_count = std::vector<int>(c.torus.begin(), c.torus.end())});
  config.system = formats::parse_astra_system(read_file(folder + "system.txt"), "system.txt", {}, 3).config;
  config.workload = formats::parse_astra_workload(read_file(folder + "workload.txt"), "workload.txt");
  config.passes = 2;
  config.step = Nanoseconds{1};
  if (c.all_npus) config.scope = system::Scope::all;
  const auto result = simulation::simulate(config);
  report::write_astra_csv({.path = out + "/", .run_name = "bench"}, config.workload, result);
}

// CPU seconds and peak resident megabytes of a run in a child process.
std::pair<double, double> measure(const Case& c, const std::string& out) {
  const pid_t child = fork();
  if (child == 0) {
    try {
      run_case(c, out);
    } catch (const std::exception& error) {
      fmt::print(stderr, "error: {}\n", error.what());
      _exit(1);
    }
    _exit(0);
  }
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  if (status != 0) std::exit(1);  // a run that failed has no cost to report
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return {seconds(usage.ru_utime) + seconds(usage.ru_stime), static_cast<double>(usage.ru_maxrss) / 1024};
}

}  // namespace

int main() {
  const std::string out = std::filesystem::temp_directory_path() / fmt::format("overture-bench-{}", getpid());
  std::filesystem::create_directories(out);
  Table table({"run", "NPUs", "CPU s", "peak MB", "original CPU s", "original MB", "times less CPU"});
  for (const Case& c : kCases) {
    const auto [cpu, mb] = measure(c, out);
    const auto number = [](std::optional<double> n) { return n ? fmt::format("{}", *n) : std::string("-"); };
    table.add({c.name, fmt::format("{}", c.torus[0] * c.torus[1] * c.torus[2]), fmt::format("{:.3f}", cpu),
               fmt::format("{:.1f}", mb), number(c.original_cpu_s), number(c.original_mb),
               c.original_cpu_s ? fmt::format("{:.0f}", *c.original_cpu_s / std::max(cpu, 1e-4)) : "-"});
  }
  fmt::print("{}", table.text());
  std::filesystem::remove_all(out);
}
