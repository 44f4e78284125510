#include "overture/network/run_flows.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "overture/base/testing.h"

namespace overture::network {
namespace {

using namespace literals;

std::vector<std::pair<std::string, NetworkConfig>> networks() {
  const topology::GraphConfig tree{.shape = topology::FatTreeConfig{.k = 4}};
  AnalyticalConfig rings{.contention = Contention::links};
  for (int d = 0; d < 2; ++d)
    rings.dimensions.push_back({.size = 4, .links = 2, .link_latency_ns = 100, .link_gib_per_s = 10});
  const topology::OperaConfig opera{.tors = 4, .ports = 8};
  return {{"analytical", rings},
          {"flow", FlowNetworkConfig{.topology = tree}},
          {"packet", PacketNetworkConfig{.topology = tree}},
          {"packet_threads", PacketNetworkConfig{.topology = tree, .packets = {.threads = 2}}},
          {"rotor", RotorNetworkConfig{.topology = opera, .rotors = rotor::rotornet()}}};
}

std::vector<FlowSpec> some_flows() {
  std::vector<FlowSpec> flows{{Rank{3}, Rank{3}, 1_KiB, Time{5us}}, {Rank{0}, Rank{1}, 0_B}};
  for (int i = 0; i < 40; ++i)
    flows.push_back({Rank{i % 16}, Rank{(i * 7 + 3) % 16}, Bytes{i * 10'000}, Time{i * 1us}});
  return flows;
}

TEST(RunFlows, EveryNetworkRunsAListOfFlowsToItsEnd) {
  const std::vector<FlowSpec> flows = some_flows();
  Bytes sum;
  for (const FlowSpec& flow : flows)
    if (flow.from != flow.to) sum += flow.size;
  for (const auto& [name, config] : networks()) {
    EXPECT_EQ(count_hosts(config), 16) << name;
    const FlowsResult result = run_flows(config, flows, {}, MonitorConfig{});
    EXPECT_EQ(result.finished, flows.size()) << name;
    EXPECT_EQ(result.simulated, result.makespan) << name;
    EXPECT_EQ(result.completion[0], Duration{}) << name;
    EXPECT_GE(result.record.delivered, sum) << name;
    EXPECT_LE(result.record.delivered, sum + 2_B) << name << ": no bytes are carried as one";
    EXPECT_FALSE(result.record.links.empty()) << name;
    EXPECT_GT(result.record.history.samples(), 0) << name;
  }
}

// The engines' own path gives what the Network interface gives.
TEST(RunFlows, TimesAreThoseOfTheNetwork) {
  const std::vector<FlowSpec> flows = some_flows();
  for (const auto& [name, config] : networks()) {
    if (name == "packet_threads") continue;
    sim::EventQueue events;
    const auto network = make_network(config, events);
    EXPECT_EQ(run_flows(config, flows).completion, play_flows(*network, events, flows).completion) << name;
  }
}

TEST(RunFlows, ALimitCutsARunShort) {
  const std::vector<FlowSpec> flows{{Rank{0}, Rank{9}, 10_MiB}, {Rank{3}, Rank{3}, 1_B, Time{1us}}};
  for (const auto& [name, config] : networks()) {
    const FlowsResult cut = run_flows(config, flows, {.until = Time{50us}});
    EXPECT_EQ(cut.finished, 1U) << name;
    EXPECT_LE(cut.simulated, Duration{50us}) << name;
    EXPECT_FALSE(cut.locked) << name;
    int asked = 0;
    const auto once = [&](const RunSoFar&) { return ++asked < 2; };
    const FlowsResult stopped = run_flows(config, flows, {.go_on = once});
    EXPECT_LE(asked, 2) << name;
    EXPECT_TRUE(stopped.finished < 2U || name == "flow" || name == "analytical") << name;
  }
}

TEST(RunFlows, BytesAndTimeTellHowFarARunIsBeforeAFlowHasFinished) {
  const std::vector<FlowSpec> flows{{Rank{0}, Rank{9}, 2_MiB}, {Rank{1}, Rank{8}, 2_MiB}};
  for (const auto& [name, config] : networks()) {
    std::vector<RunSoFar> all;
    const auto note = [&](const RunSoFar& so_far) {
      if (!all.empty()) {
        EXPECT_GE(so_far.now, all.back().now) << name;
        EXPECT_GE(so_far.delivered, all.back().delivered) << name;
      }
      all.push_back(so_far);
      return true;
    };
    const FlowsResult result = run_flows(config, flows, {.go_on = note});
    EXPECT_EQ(result.finished, 2U) << name;
    for (const RunSoFar& one : all) EXPECT_LE(one.now, Time{result.makespan} + 1ms) << name;
    if (name == "flow" || name == "analytical") continue;  // few events: the first question may be the last
    const auto under_way = [](const RunSoFar& one) { return one.finished == 0 && one.delivered > 1_MiB; };
    EXPECT_TRUE(std::ranges::any_of(all, under_way)) << name;
  }
}

TEST(RunFlows, OneMessageForAFlowThatCannotBe) {
  for (const auto& [name, config] : networks()) {
    EXPECT_EQ(user_error([&] {
                run_flows(config, {{Rank{0}, Rank{16}, 1_B}});
              }),
              "flow 0: there is no host 16\n  hosts are numbered from 0 to 15")
        << name;
    EXPECT_EQ(user_error([&] {
                run_flows(config, {{Rank{0}, Rank{1}, Bytes{-1}}});
              }),
              "flow 0: its size is negative")
        << name;
  }
}

}  // namespace
}  // namespace overture::network
