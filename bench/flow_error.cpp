// How far the flow-level backend is from the packet engine: the last and the mean completion of the same
// flows. A fluid has no queues, no losses and no slow start; this table says what that costs.
#include <vector>

#include <fmt/format.h>

#include "overture/network/flow/run_flows.h"
#include "overture/network/packet/patterns.h"
#include "overture/network/packet/run_flows.h"
#include "overture/topology/fat_tree.h"
#include "overture/topology/star.h"

namespace overture {
namespace {

using namespace literals;
using network::packet::AllToAllOrder;
using network::packet::FlowSpec;
using topology::PathRule;

topology::Topology fat_tree(int k) {
  topology::FatTreeConfig config{.k = k};
  config.host.delay = config.aggregation.delay = config.core.delay = 1us;
  return topology::fat_tree(config);
}
topology::Topology tree_of_16() { return fat_tree(4); }
topology::Topology tree_of_128() { return fat_tree(8); }
topology::Topology star_of_64() { return topology::star({.hosts = 64}); }

struct Scenario {
  const char* name;
  topology::Topology (*make)();
  network::packet::PacketConfig packet;
  network::flow::FlowConfig flow;
  std::vector<FlowSpec> flows;
};

std::vector<FlowSpec> all_to_all(int hosts, Bytes size) {
  return network::packet::all_to_all(hosts, size, AllToAllOrder::rotated, hosts);
}

std::vector<FlowSpec> incast(int senders, Bytes size) {
  std::vector<FlowSpec> flows;
  for (int i = 1; i <= senders; ++i) flows.push_back({.from = Rank{i}, .to = Rank{0}, .size = size});
  return flows;
}

std::vector<Scenario> scenarios() {
  const network::packet::PacketConfig tcp;
  const network::packet::PacketConfig ndp = network::packet::htsim_ndp();
  const network::packet::PacketConfig dctcp = network::packet::dlrm_study_dctcp();
  const network::flow::FlowConfig like_tcp{.paths = PathRule::hash_per_flow, .efficiency = 1448.0 / 1490};
  const network::flow::FlowConfig like_ndp{.efficiency = 9000.0 / 9064};
  const network::flow::FlowConfig like_dctcp{.paths = PathRule::hash_per_flow};
  const Bytes megabyte{1'000'000};
  const auto permutation = network::packet::permutation(128, megabyte * 2, 1);
  return {
      {"star 64, all-to-all 32 KiB, TCP", star_of_64, tcp, like_tcp, all_to_all(64, 32_KiB)},
      {"star 64, incast of 32 x 256 KiB, TCP", star_of_64, tcp, like_tcp, incast(32, 256_KiB)},
      {"fat tree 16, all-to-all 1 MB, NDP", tree_of_16, ndp, like_ndp, all_to_all(16, megabyte)},
      {"fat tree 128, all-to-all 100 kB, NDP", tree_of_128, ndp, like_ndp, all_to_all(128, megabyte / 10)},
      {"fat tree 128, permutation 2 MB, NDP", tree_of_128, ndp, like_ndp, permutation},
      {"fat tree 16, all-to-all 1 MB, DCTCP", tree_of_16, dctcp, like_dctcp, all_to_all(16, megabyte)},
      {"fat tree 16, all-to-all 20 MB, DCTCP", tree_of_16, dctcp, like_dctcp, all_to_all(16, megabyte * 20)},
      {"fat tree 128, permutation 2 MB, DCTCP", tree_of_128, dctcp, like_dctcp, permutation}};
}

void compare(const Scenario& scenario) {
  std::vector<network::flow::FlowSpec> flows;
  for (const FlowSpec& flow : scenario.flows) flows.push_back({flow.from, flow.to, flow.size, flow.start});
  const auto packet = network::packet::run_flows(scenario.make(), scenario.packet, scenario.flows);
  const auto fluid = network::flow::run_flows(scenario.make(), scenario.flow, flows);
  double packet_sum = 0;
  double fluid_sum = 0;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    packet_sum += to_us(packet.completion[i].value_or(Duration::zero()));
    fluid_sum += to_us(fluid.completion[i]);
  }
  fmt::print("{:40} {:>10.2f} {:>10.2f} {:>+7.1f} % {:>+7.1f} %\n", scenario.name, to_us(packet.makespan),
             to_us(fluid.makespan), 100 * (to_us(fluid.makespan) / to_us(packet.makespan) - 1),
             100 * (fluid_sum / packet_sum - 1));
}

}  // namespace
}  // namespace overture

int main() {
  fmt::print("{:40} {:>10} {:>10} {:>9} {:>9}\n", "scenario", "packet us", "flow us", "last", "mean");
  for (const auto& scenario : overture::scenarios()) overture::compare(scenario);
}
