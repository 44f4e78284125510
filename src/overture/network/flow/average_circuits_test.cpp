#include "overture/network/flow/average_circuits.h"

#include <gtest/gtest.h>

#include "overture/formats/dynexp.h"
#include "overture/network/flow/run_flows.h"
#include "overture/network/rotor/run_flows.h"

namespace overture::network::flow {
namespace {

using namespace literals;

topology::Opera opera(int tors) {
  const std::string name = tors == 4 ? "opera_N4_k8_100G.txt" : "opera_N8_k8_100G.txt";
  return formats::read_dynexp(OVERTURE_GOLDEN "/htsim/topologies/" + name).opera;
}

FlowSpec flow(int from, int to, Bytes size) { return {.from = Rank{from}, .to = Rank{to}, .size = size}; }

FluidRun fluid(const topology::Opera& opera, const std::vector<FlowSpec>& flows) {
  RotorFluid made = rotor_fluid(opera, {.circuits = Circuits::average});
  return run_flows(std::move(made.topology), made.config, flows);
}

double packets_us(const topology::Opera& opera, const std::vector<FlowSpec>& flows) {
  return to_us(rotor::run_flows(opera, rotor::rotornet(), flows).makespan);
}

// What a host can send, all slots together.
double bytes_per_us(const topology::Opera& opera) {
  return 12'500 * 1436.0 / 1500 * to_us(opera.slot()) / to_us(opera.timing().slice() * opera.uplinks());
}

// A slot of seven in eight leads out of the rack, and all of them are used.
TEST(AverageCircuits, AFlowThatIsAloneFillsItsHostsNic) {
  const topology::Opera network = opera(8);
  const double least = 160e6 / bytes_per_us(network) * 8 / 7;
  const double took = to_us(fluid(network, {flow(0, 4, 160'000'000_B)}).makespan);
  EXPECT_GT(took, least);
  // The sender's own second hops take a 32nd, and the last byte waits for two cycles.
  EXPECT_LT(took, least * 33 / 32 + 3 * to_us(network.cycle()));
}

TEST(AverageCircuits, WithinARackNothingWaits) {
  const topology::Opera network = opera(8);
  const double took = to_us(fluid(network, {flow(0, 1, 1'000'000_B)}).makespan);
  EXPECT_NEAR(took, 1e6 / bytes_per_us(network), 0.01);
}

TEST(AverageCircuits, OutOfTheRackTheLastByteWaitsForItsCircuit) {
  const topology::Opera network = opera(8);
  const double took = to_us(fluid(network, {flow(0, 4, 1'000_B)}).makespan);
  EXPECT_NEAR(took, to_us(network.cycle()) + 0.5, 0.2);
}

TEST(AverageCircuits, AnAllToAllIsAFewClasses) {
  const topology::Opera network = opera(8);
  std::vector<FlowSpec> flows;
  for (int from = 0; from < 32; ++from) {
    for (int step = 1; step < 32; ++step) flows.push_back(flow(from, (from + step) % 32, 1'000'000_B));
  }
  EXPECT_LE(fluid(network, flows).statistics.streams, 2U);  // within the rack and beyond
}

struct Case {
  const char* name;
  std::vector<FlowSpec> (*make)(int hosts, Bytes size);
};

std::vector<FlowSpec> one(int, Bytes size) { return {flow(0, 4, size)}; }
std::vector<FlowSpec> ring(int hosts, Bytes size) {
  std::vector<FlowSpec> flows;
  for (int i = 0; i < hosts; ++i) flows.push_back(flow(i, (i + 1) % hosts, size));
  return flows;
}
std::vector<FlowSpec> to_the_next_rack(int hosts, Bytes size) {
  std::vector<FlowSpec> flows;
  for (int i = 0; i < hosts; ++i) flows.push_back(flow(i, (i + 4) % hosts, size));
  return flows;
}
std::vector<FlowSpec> all_to_all(int hosts, Bytes size) {
  std::vector<FlowSpec> flows;
  for (int i = 0; i < hosts; ++i) {
    for (int step = 1; step < hosts; ++step) flows.push_back(flow(i, (i + step) % hosts, size / hosts));
  }
  return flows;
}
std::vector<FlowSpec> incast(int hosts, Bytes size) {
  std::vector<FlowSpec> flows;
  for (int i = 1; i < hosts; ++i) flows.push_back(flow(i, 0, size / hosts));
  return flows;
}

class AgainstPackets : public ::testing::TestWithParam<Case> {};

// Some hundred cycles long.
TEST_P(AgainstPackets, LongMessagesEndWithinTenPercent) {
  for (const int tors : {4, 8}) {
    const topology::Opera network = opera(tors);
    const std::vector<FlowSpec> flows = GetParam().make(network.hosts(), 10'000'000_B * tors);
    EXPECT_NEAR(to_us(fluid(network, flows).makespan) / packets_us(network, flows), 1, 0.1) << tors;
  }
}

INSTANTIATE_TEST_SUITE_P(Patterns, AgainstPackets,
                         ::testing::Values(Case{"one", one}, Case{"ring", ring},
                                           Case{"to_the_next_rack", to_the_next_rack},
                                           Case{"all_to_all", all_to_all}, Case{"incast", incast}),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace overture::network::flow
