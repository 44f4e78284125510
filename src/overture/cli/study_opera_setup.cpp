#include <fmt/format.h>

#include "overture/cli/study_opera.h"
#include "overture/setup/setup.h"
#include "overture/study/opera_dlrm/networks.h"

namespace overture::cli {
namespace {

namespace opera_dlrm = study::opera_dlrm;
using opera_dlrm::StudyNetwork;

void set_network(const opera_dlrm::Cell& cell, setup::NetworkSetup& network) {
  const bool flow = cell.backend == opera_dlrm::StudyBackend::flow;
  if (cell.network == StudyNetwork::opera) {
    network.backend =
        flow ? setup::kBackend<network::FlowNetworkConfig> : setup::kBackend<network::RotorNetworkConfig>;
    setup::OperaChoice opera;
    static_cast<topology::OperaConfig&>(opera) = opera_dlrm::opera_config(cell);
    network.topology.opera = opera;
    if (!flow) network.of<network::rotor::RotorConfig>() = opera_dlrm::rotor_of(cell);
    return;
  }
  network.backend =
      flow ? setup::kBackend<network::FlowNetworkConfig> : setup::kBackend<network::PacketNetworkConfig>;
  if (cell.network == StudyNetwork::topoopt) {
    network.topology.shapes.choose(opera_dlrm::fibres_of(cell));
  } else {
    network.topology.shapes.choose(opera_dlrm::fat_tree_of(cell));
  }
  if (flow) {
    network.of<network::FluidSettings>().efficiency = opera_dlrm::fluid_of(cell).efficiency;
  } else {
    network.of<network::packet::PacketConfig>() = opera_dlrm::transport_of(cell);
  }
}

std::string head_lines(const opera_dlrm::Cell& cell) {
  const std::string name = opera_dlrm::name(cell);
  const model::PublishedVariant variant = opera_dlrm::variant_of(cell);
  return fmt::format(
      "# The network of cell {}.\n"
      "# The whole cell:  overture study opera-dlrm --cell {}\n"
      "# Other flows:     overture flows this.yaml\n"
      "# A step on it:    overture generate tasks examples/model-{}.yaml --nodes {}{} \\\n"
      "#                      -s workload.dlrm.batch={} -s workload.dlrm.tables.columns={} \\\n"
      "#                      -s workload.dlrm.tables.count={} -o step.tg\n"
      "#                  overture replay step.tg this.yaml --all-reduce {}\n",
      name, name, cell.model == "A" ? "a" : "i", cell.nodes,
      cell.setting == opera_dlrm::Setting::sound() ? "" : " --as-published", variant.batch, variant.columns,
      opera_dlrm::tables_of(cell), opera_dlrm::all_reduce_name(cell.all_reduce));
}

}  // namespace

std::string cell_setup(const opera_dlrm::Cell& cell) {
  setup::Setup setup{.name = opera_dlrm::name(cell)};
  setup.seed = static_cast<std::uint64_t>(cell.seed);
  set_network(cell, setup.network);
  setup.traffic.kind = "all_to_all";
  return head_lines(cell) + setup::write_setup(setup);
}

void add_cell_setups(const std::vector<opera_dlrm::FinishedCell>& cells, study::StudyReport& report) {
  for (std::size_t i = 0; i < cells.size() && i < report.cells.size(); ++i)
    report.cells[i].setup = cell_setup(cells[i].cell);
}

}  // namespace overture::cli
