#include <array>
#include <filesystem>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "overture/base/table.h"
#include "overture/base/text.h"
#include "overture/cli/commands.h"
#include "overture/cli/demo_training.h"
#include "overture/cli/output.h"
#include "overture/examples.h"
#include "overture/report/html.h"
#include "overture/report/results_folder.h"
#include "overture/report/run_folder.h"
#include "overture/setup/setup.h"

namespace overture::cli {
namespace {

struct Machine {
  std::string name;
  std::string folder;
  std::string dimensions;  // of the network; empty keeps the example's
};

// 64 NPUs that can each send 128 GiB/s, on four networks.
const std::array kMachines{
    Machine{"3-D torus 4x4x4", "torus-3d", ""},
    Machine{"2-D torus 8x8", "torus-2d",
            "[{kind: ring, size: 8, links: 2, bandwidth: 32 GiB/s, latency: 10 ns},"
            " {kind: ring, size: 8, links: 2, bandwidth: 32 GiB/s, latency: 100 ns}]"},
    Machine{
        "meshes of 8 + switch of 8", "mesh-switch",
        "[{kind: fully_connected, size: 8, links: 7, bandwidth: 16 GiB/s, latency: 10 ns},"
        " {kind: switch, size: 8, links: 1, bandwidth: 16 GiB/s, latency: 500 ns, router_latency: 50 ns}]"},
    Machine{
        "one switch of 64", "switch",
        "[{kind: switch, size: 64, links: 8, bandwidth: 16 GiB/s, latency: 500 ns, router_latency: 50 ns}]"}};

setup::Setup demo_setup(const Machine& machine, network::Contention contention) {
  std::vector<std::string> overrides{"name=DLRM, " + machine.name};
  if (!machine.dimensions.empty()) overrides.push_back("network.dimensions=" + machine.dimensions);
  setup::Setup setup = setup::parse_setup(examples::dlrm_torus(), "dlrm-torus.yaml", overrides);
  simulation::analytical(setup.simulation).contention = contention;
  return setup;
}

simulation::SimulationResult simulate_into(const setup::Setup& setup, const std::filesystem::path& folder) {
  report::ObservedRun observed = report::observe(setup.simulation, true);
  report::write_run_folder({.name = setup.name,
                            .setup_yaml = setup::write_setup(setup),
                            .config = setup.simulation,
                            .observed = observed,
                            .why = report::why(setup.simulation, observed.result),
                            .cost_dollars = setup::network_cost(setup).amount()},
                           folder);
  report::write_html(folder);
  return std::move(observed.result);
}

int run(const Output& output) {
  const std::filesystem::path folder = output.folder_or("results/demo");
  report::claim_results_folder(folder, {.kind = "demo", .setup_yaml = {}, .overwrite = output.overwrite});
  fmt::print("The DLRM of the ASTRA-sim tutorial on 64 NPUs of 128 GiB/s, on four networks\n\n");
  Table table({"network", "iteration", "exposed", "optimistic", "cost"});
  std::vector<std::filesystem::path> folders;
  for (const Machine& machine : kMachines) {
    folders.push_back(folder / machine.folder);
    const setup::Setup setup = demo_setup(machine, network::Contention::links);
    const auto result = simulate_into(setup, folders.back());
    const auto optimistic = simulation::simulate(demo_setup(machine, network::Contention::none).simulation);
    const int passes = setup.simulation.passes;
    table.add({machine.name, to_string(result.finished / passes), to_string(result.exposed() / passes),
               to_string(optimistic.finished / passes), to_string(setup::network_cost(setup))});
  }
  fmt::print("{}\n", table.text());
  fmt::print("{}\n\n",
             wrap("exposed: communication that compute does not hide. optimistic: the same as ASTRA-sim's "
                  "analytical network tells it, where messages never share a link and a ring sends one way "
                  "with both directions' links.",
                  80, 0));
  if (!demo_training(folder / "training")) return kInterrupted;
  fmt::print("results: {} (summary.json, CSVs, trace.json.gz for ui.perfetto.dev)\n", (folder / "").string());
  report::write_page(folders, folder / "report.html");
  fmt::print("report: {}\n", (folder / "report.html").string());
  return 0;
}

}  // namespace

void add_demo(Command& root) {
  auto output = std::make_shared<Output>();
  Command command =
      root.add("demo", "Simulate a DLRM on four networks, then train one with and without a cache");
  command
      .option("-o,--results,--out FOLDER", output->folder, "Folder for the results (default: results/demo)")
      .flag("--overwrite", output->overwrite, "Replace another run in the folder")
      .examples("  overture demo\n  overture demo -o /tmp/demo")
      .runs([output] { return run(*output); });
}

}  // namespace overture::cli
