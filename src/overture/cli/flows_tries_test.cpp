#include "overture/cli/flows_tries.h"

#include <gtest/gtest.h>

#include "overture/base/testing_folder.h"
#include "overture/cli/testing.h"
#include "overture/network/run_flows.h"

namespace overture::cli {
namespace {

using namespace std::chrono_literals;

setup::Setup setup_of(const std::string& network) {
  return setup::parse_setup("network: " + network + "\ntraffic: {pattern: incast, size: 64 KiB}\n", "a.yaml",
                            {}, setup::Needs::network);
}
network::FlowsResult result_with(std::vector<network::NetworkRecord::Counter> counters = {}) {
  network::FlowsResult result;
  result.record.counters = std::move(counters);
  return result;
}
Words changes_of(const std::string& network, const network::FlowsResult& result = result_with()) {
  Words changes;
  for (const FlowsTry& one : likely_changes(setup_of(network), result.record))
    changes.push_back((one.buys ? "buy " : "set ") + one.change);
  return changes;
}

const std::string kStar = "topology: {star: {hosts: 4, wire: {rate: 10 Gbps}}}";

TEST(LikelyChanges, OfTcpAreItsPathsAndWindows) {
  EXPECT_EQ(
      changes_of("{" + kStar + "}"),
      (Words{"set network.paths=hash_per_flow", "set network.tcp.initial_window=20",
             "set network.tcp.receive_window=" + to_string(setup_of("{" + kStar + "}")
                                                               .network.of<network::packet::PacketConfig>()
                                                               .of<network::packet::TcpConfig>()
                                                               .receive_window *
                                                           2),
             "buy network.topology.star.wire.rate=20.00 Gbps"}));
}

TEST(LikelyChanges, OfTcpThatWaitsForTimersTheTimersComeFirst) {
  const Words changes = changes_of("{" + kStar + ", tcp: {min_rto: 4 ms}, queue: {port_limit: 64 KiB}}",
                                   result_with({{"timeouts", 3}, {"drops", 5}}));
  ASSERT_GE(changes.size(), 2u);
  EXPECT_EQ(changes[0], "set network.tcp.min_rto=1.000 ms");
  EXPECT_EQ(changes[1], "set network.queue.port_limit=128.0 KiB");
}

// Packets on many paths overtake each other, which looks like loss to TCP.
TEST(LikelyChanges, OfSprayedTcpThatResendsMoreThanItLosesIsPatience) {
  const std::string sprayed = "{" + kStar + ", paths: spray}";
  EXPECT_EQ(changes_of(sprayed, result_with({{"retransmissions", 9}, {"drops", 1}}))[0],
            "set network.tcp.duplicate_acks=30");
  EXPECT_FALSE(
      has(changes_of(sprayed, result_with({{"retransmissions", 1}, {"drops", 1}}))[0], "duplicate_acks"));
}

TEST(LikelyChanges, OfRoceSwitchItsControlOffOrOn) {
  EXPECT_EQ(changes_of("{" + kStar + ", transport: roce, roce: {control: dcqcn}}")[0],
            "set network.roce.control=none");
  EXPECT_EQ(changes_of("{" + kStar + ", transport: roce, roce: {control: none}}")[0],
            "set network.roce.control=dcqcn");
}

TEST(LikelyChanges, OfNdpAreSprayingAndItsWindow) {
  const Words changes = changes_of("{" + kStar + ", transport: ndp, paths: by_destination}");
  EXPECT_EQ(changes[0], "set network.paths=spray");
  EXPECT_EQ(changes[1].rfind("set network.ndp.initial_window=", 0), 0u) << changes[1];
}

TEST(LikelyChanges, OfCreditsAreMoreChannels) {
  const auto setup = setup_of("{" + kStar + ", transport: plain, lossless: {control: credits}}");
  const int channels = setup.network.of<network::packet::PacketConfig>().lossless.credits.channels;
  const Words changes = changes_of("{" + kStar + ", transport: plain, lossless: {control: credits}}");
  EXPECT_EQ(changes[0], "set network.lossless.credits.channels=" + std::to_string(2 * channels));
}

TEST(LikelyChanges, OfRotorsAreWhatWaitsForThemAndTheirRate) {
  EXPECT_EQ(
      changes_of(
          "{topology: {opera: {tors: 4, ports: 8, dark: 10 us}}, rotor: {bulk_from: 400 kB, rate: 10 Gbps}}"),
      (Words{"set network.rotor.bulk_from=97.66 KiB", "set network.rotor.bulk_from=781.2 KiB",
             "buy network.rotor.rate=20.00 Gbps", "buy network.topology.opera.dark=5.000 us"}));
}

TEST(LikelyChanges, OfFlowsAreOnlyFasterWires) {
  EXPECT_EQ(changes_of("{backend: flow, topology: {fat_tree: {k: 4, host: {rate: 1 Gbps}, aggregation: "
                       "{rate: 2 Gbps}, core: {rate: 4 Gbps}}}}"),
            (Words{"buy network.topology.fat_tree.host.rate=2.000 Gbps",
                   "buy network.topology.fat_tree.aggregation.rate=4.000 Gbps",
                   "buy network.topology.fat_tree.core.rate=8.000 Gbps"}));
}

// Whatever is tried must be something that a user could write after --set.
TEST(LikelyChanges, EveryChangeIsOneThatASetupTakes) {
  for (const std::string network :
       {"topology: {star: {}}", "topology: {leaf_spine: {}}", "topology: {fat_tree: {}}",
        "topology: {torus: {}}", "topology: {expander: {}}", "topology: {dragonfly: {}}",
        "topology: {opera: {}}", "topology: {star: {}}, transport: roce",
        "topology: {star: {}}, transport: ndp", "topology: {star: {}}, transport: plain",
        "topology: {star: {}}, transport: plain, lossless: {control: credits}",
        "topology: {star: {}}, queue: {port_limit: 1 MiB}"}) {
    const auto all = result_with({{"timeouts", 3}, {"drops", 5}, {"retransmissions", 9}});
    for (const FlowsTry& one : likely_changes(setup_of("{" + network + "}"), all.record))
      EXPECT_NO_THROW(
          setup::parse_setup("network: {" + network + "}\n", "a.yaml", {one.change}, setup::Needs::network))
          << network << ": " << one.change;
  }
}

FlowsTry tried(const std::string& change, bool buys, Duration makespan) {
  return {.change = change, .buys = buys, .makespan = makespan};
}

TEST(TellTries, NothingTriedIsNothingTold) { EXPECT_EQ(tell({}, 2ms), ""); }

TEST(TellTries, TheBestSettingAndTheBestPurchaseAreTold) {
  EXPECT_EQ(tell({tried("a=1", false, 1800us), tried("b=1", false, 1500us), tried("c=1", true, 1ms),
                  tried("d=1", true, Duration{})},
                 2ms),
            "of 4 changes that we tried, what helps most: with b=1 the run takes 1.500 ms instead of 2.000 "
            "ms; with "
            "c=1 the run takes 1.000 ms instead of 2.000 ms");
}

TEST(TellTries, AChangeOfLessThanAPercentIsNotWorthTelling) {
  EXPECT_EQ(tell({tried("a=1", false, 1990us), tried("b=1", true, Duration{})}, 2ms),
            "we tried a=1, b=1 and none made it faster");
  EXPECT_EQ(tell({tried("a=1", false, 1980us)}, 2ms),
            "we tried one change: with a=1 the run takes 1.980 ms instead of 2.000 ms");
}

TEST(TryChanges, RunsAgainWithEachChange) {
  const TestFolder folder;
  const std::string file =
      folder.write("a.yaml", "network: {" + kStar + "}\ntraffic: {pattern: incast, size: 64 KiB}\n").string();
  const setup::Setup setup = setup::load_setup(file, {}, setup::Needs::network);
  const auto flows = make_traffic(setup, 4);
  const auto result = network::run_flows(network_config(setup), flows, {});
  const auto tries = try_changes(setup, {}, flows, result);
  ASSERT_EQ(tries.size(), 4u);
  EXPECT_EQ(tries.back().change, "network.topology.star.wire.rate=20.00 Gbps");
  EXPECT_LT(tries.back().makespan, result.makespan) << "twice the rate is faster";
  EXPECT_GT(tries.back().makespan, result.makespan / 4);
}

TEST(TryChanges, NothingIsTriedOfARunThatWasCutShort) {
  network::FlowsResult cut = result_with();
  cut.finished = 1;
  cut.makespan = 1ms;
  EXPECT_TRUE(try_changes(setup_of("{" + kStar + "}"), {},
                          {{Rank{0}, Rank{1}, Bytes{9}}, {Rank{1}, Rank{2}, Bytes{9}}}, cut)
                  .empty());
}

TEST(TryChanges, NothingIsTriedOfARunThatTookMoreThanASecondOrTwo) {
  network::FlowsResult large = result_with({{"packet_hops", 5'000'001}});
  large.finished = 1;
  large.makespan = 1ms;
  EXPECT_TRUE(try_changes(setup_of("{" + kStar + "}"), {}, {{Rank{0}, Rank{1}, Bytes{9}}}, large).empty());
}

}  // namespace
}  // namespace overture::cli
