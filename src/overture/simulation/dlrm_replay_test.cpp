// The small DLRM of the golden data (tests/golden/htsim/dlrm_S16.csv) as a fluid, beside what htsim took.
// Packets and rotors are compared in study/validate.
#include <string>

#include <gtest/gtest.h>

#include "overture/base/csv.h"
#include "overture/base/files.h"
#include "overture/network/flow/flow_network.h"
#include "overture/simulation/play.h"
#include "overture/topology/fat_tree.h"
#include "overture/workload/dlrm_tasks.h"

namespace overture::simulation {
namespace {

using namespace literals;
using namespace workload;
using system::AlgorithmKind;

double reference_ms(const std::string& network) {
  const std::string file = OVERTURE_GOLDEN "/htsim/dlrm_S16.csv";
  for (const CsvRow& row : parse_csv(read_file(file), file, "a header").rows) {
    if (row.cells[0].starts_with(network)) return std::stod(row.cells[2]) / 1e9;
  }
  ADD_FAILURE() << "no row for " << network;
  return 0;
}

DlrmStep s16(AlgorithmKind all_reduce) {
  DlrmStep step{
      .model = model::make_dlrm(
          {.name = "S16", .tables = 64, .columns = 64, .width = 1024, .bottom_layers = 4, .top_layers = 4}),
      .batch = 16'384,
      .nodes = 16,
      .all_reduce = all_reduce,
      .artefacts = DlrmArtefacts::as_published()};
  step.compute.by = model::DlrmCalibration{.embedding_forward = 312'500ns,
                                           .embedding_backward = 625us,
                                           .reference_batch = 16'384,
                                           .dense_rate = compute::FlopRate::per_second(35'000'000'000'000)};
  return step;
}

topology::Topology tree() {
  topology::FatTreeConfig config{.k = 4};
  config.host.delay = config.aggregation.delay = config.core.delay = 1us;
  return topology::fat_tree(config);
}

double milliseconds(const Timeline& run) { return to_us(run.finished) / 1000; }

double flow_ms(const DlrmStep& step) {
  sim::EventQueue events;
  network::flow::FlowNetwork network(tree(), {}, events);
  return milliseconds(play(dlrm_tasks(step), dlrm_system(step), network, events));
}

TEST(DlrmReplay, S16AsAFluidIsFasterThanWithQueuesAndTimeouts) {
  const double reference = reference_ms("fat-tree");
  const double ours = flow_ms(s16(system::kLockstepRing));
  RecordProperty("flow_ms", std::to_string(ours));
  EXPECT_LT(ours, reference);
  EXPECT_GT(ours, 0.5 * reference);
}

}  // namespace
}  // namespace overture::simulation
