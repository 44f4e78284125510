// How far the flow-level backend is from the packet engine, and on Opera from RotorLB: the last and the mean
// completion of the same flows. A fluid has no queues, no losses and no slow start, and averages circuits
// over a cycle; these tables say what that costs.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "overture/base/random.h"
#include "overture/network/packet/patterns.h"
#include "overture/network/run_flows.h"

namespace overture {
namespace {

using namespace literals;
using network::FlowSpec;
using network::packet::AllToAllOrder;
using topology::PathRule;

topology::GraphConfig fat_tree(int k) {
  topology::FatTreeConfig config{.k = k};
  config.host.delay = config.aggregation.delay = config.core.delay = 1us;
  return {.shape = config};
}
topology::GraphConfig star_of_64() {
  topology::StarConfig config;
  config.hosts = 64;
  return {.shape = config};
}

struct Scenario {
  const char* name;
  topology::GraphConfig topology;
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
      {"star 64, all-to-all 32 KiB, TCP", star_of_64(), tcp, like_tcp, all_to_all(64, 32_KiB)},
      {"star 64, incast of 32 x 256 KiB, TCP", star_of_64(), tcp, like_tcp, incast(32, 256_KiB)},
      {"fat tree 16, all-to-all 1 MB, NDP", fat_tree(4), ndp, like_ndp, all_to_all(16, megabyte)},
      {"fat tree 128, all-to-all 100 kB, NDP", fat_tree(8), ndp, like_ndp, all_to_all(128, megabyte / 10)},
      {"fat tree 128, permutation 2 MB, NDP", fat_tree(8), ndp, like_ndp, permutation},
      {"fat tree 16, all-to-all 1 MB, DCTCP", fat_tree(4), dctcp, like_dctcp, all_to_all(16, megabyte)},
      {"fat tree 16, all-to-all 20 MB, DCTCP", fat_tree(4), dctcp, like_dctcp, all_to_all(16, megabyte * 20)},
      {"fat tree 128, permutation 2 MB, DCTCP", fat_tree(8), dctcp, like_dctcp, permutation}};
}

void print(const std::string& name, const network::FlowsResult& packet, const network::FlowsResult& fluid) {
  double packet_sum = 0;
  double fluid_sum = 0;
  for (std::size_t i = 0; i < fluid.completion.size(); ++i) {
    packet_sum += to_us(packet.completion[i].value_or(Duration::zero()));
    fluid_sum += to_us(*fluid.completion[i]);
  }
  fmt::print("{:44} {:>10.2f} {:>10.2f} {:>+7.1f} % {:>+7.1f} %\n", name, to_us(packet.makespan),
             to_us(fluid.makespan), 100 * (to_us(fluid.makespan) / to_us(packet.makespan) - 1),
             100 * (fluid_sum / packet_sum - 1));
}

void compare(const Scenario& scenario) {
  const auto packet = network::run_flows(
      network::PacketNetworkConfig{.topology = scenario.topology, .packets = scenario.packet},
      scenario.flows);
  const auto fluid = network::run_flows(
      network::FlowNetworkConfig{.topology = scenario.topology, .fluid = scenario.flow, .rotors = {}},
      scenario.flows);
  print(scenario.name, packet, fluid);
}

// Patterns in which the busiest host sends or receives about `size`.
struct Pattern {
  const char* name;
  std::vector<FlowSpec> (*make)(int hosts, Bytes size);
};

std::vector<FlowSpec> shifted(int hosts, int by, Bytes size) {
  std::vector<FlowSpec> flows;
  for (int i = 0; i < hosts; ++i)
    flows.push_back({.from = Rank{i}, .to = Rank{(i + by) % hosts}, .size = size});
  return flows;
}

// Eight messages from every host to hosts drawn at random, of half, once and one and a half times a size.
std::vector<FlowSpec> scattered(int hosts, Bytes size) {
  RandomStream random = RandomStreams(1).make("flows");
  std::vector<FlowSpec> flows;
  for (int i = 0; i < 8 * hosts; ++i) {
    const Rank from{i / 8};
    const Rank to{static_cast<int>(random.below(static_cast<std::uint64_t>(hosts)))};
    const auto halves = static_cast<std::int64_t>(1 + random.below(3));
    if (from != to) flows.push_back({.from = from, .to = to, .size = size * halves / 16});
  }
  return flows;
}

const std::vector<Pattern>& opera_patterns() {
  static const std::vector<Pattern> patterns{
      {"one flow",
       [](int, Bytes size) {
         return std::vector<FlowSpec>{{Rank{0}, Rank{4}, size}};
       }},
      {"permutation", [](int hosts, Bytes size) { return network::packet::permutation(hosts, size, 1); }},
      {"to the next rack", [](int hosts, Bytes size) { return shifted(hosts, 4, size); }},
      {"ring", [](int hosts, Bytes size) { return shifted(hosts, 1, size); }},
      {"all-to-all, DPS", [](int hosts, Bytes size) { return all_to_all(hosts, size / hosts); }},
      {"incast", [](int hosts, Bytes size) { return incast(hosts - 1, size / hosts); }},
      {"8 random messages a host", scattered}};
  return patterns;
}

// `cycles`: how many it would take if every host could send all the time.
void compare_on_opera(int tors, double cycles) {
  const topology::Opera opera = topology::make_opera(topology::OperaConfig{.tors = tors, .ports = 8});
  const double slots = cycles * tors * to_us(opera.slot()) / opera.uplinks();  // us at full rate
  const Bytes size{static_cast<std::int64_t>(slots * 12'500 * 1436 / 1500)};
  for (const Pattern& pattern : opera_patterns()) {
    const std::vector<FlowSpec> flows = pattern.make(opera.hosts(), size);
    const auto packet = network::run_flows(
        network::RotorNetworkConfig{.topology = opera, .rotors = network::rotor::rotornet()}, flows);
    const auto fluid = network::run_flows(
        network::FlowNetworkConfig{.topology = topology::OperaSource(opera),
                                   .fluid = {},
                                   .rotors = {.circuits = network::flow::Circuits::average}},
        flows);
    print(fmt::format("opera {}, {} cycles, {}", opera.hosts(), cycles, pattern.name), packet, fluid);
  }
}

}  // namespace
}  // namespace overture

int main() {
  fmt::print("{:44} {:>10} {:>10} {:>9} {:>9}\n", "scenario", "packet us", "flow us", "last", "mean");
  for (const auto& scenario : overture::scenarios()) overture::compare(scenario);
  for (const int tors : {4, 8, 32}) {
    for (const double cycles : {0.1, 1.0, 30.0}) overture::compare_on_opera(tors, cycles);
  }
}
