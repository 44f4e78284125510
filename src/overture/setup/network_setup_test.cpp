#include "overture/setup/network_setup.h"

#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/testing.h"
#include "overture/formats/dynexp.h"
#include "overture/network/make_network.h"
#include "overture/setup/setup.h"

namespace overture::setup {
namespace {

using namespace literals;

const std::string kStar =
    "network:\n"
    "  topology: {star: {hosts: 4, wire: {rate: 10 Gbps, delay: 1 us}}}\n"
    "  queue: {port_limit: 1 MiB}\n"
    "  tcp: {control: dctcp, min_rto: 2 ms}\n"
    "traffic: {pattern: ring, size: 64 KiB}\n";
const std::string kRing = "network: {dimensions: [{kind: ring, size: 4, links: 2, bandwidth: 10 GB/s}]}\n";

Setup parse(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return parse_setup(text, "a.yaml", overrides, Needs::network);
}

TEST(NetworkSetup, ReadsTopologyQueuesTransportAndTraffic) {
  const auto setup = parse(kStar);
  const auto config = std::get<network::PacketNetworkConfig>(network_config(setup));
  EXPECT_EQ(std::get<topology::StarConfig>(config.topology.shape).wire.rate, 10_Gbps);
  EXPECT_EQ(config.packets.queue.port_limit, 1_MiB);
  EXPECT_EQ(config.packets.of<network::packet::TcpConfig>().control,
            network::packet::kControl<network::packet::DctcpConfig>);
  EXPECT_EQ(config.packets.of<network::packet::TcpConfig>().min_rto, 2ms);
  EXPECT_EQ(network::count_hosts(config), 4);
  EXPECT_EQ(make_traffic(setup, 4).size(), 4u);
}

TEST(NetworkSetup, WhatIsWrittenReadsBackTheSame) {
  for (const std::string& text : {kStar, kRing}) {
    const std::string written = write_setup(parse(text));
    EXPECT_EQ(write_setup(parse(written)), written);
  }
}

TEST(NetworkSetup, ChoosesTheBackendThatSuits) {
  using network::FlowNetworkConfig;
  using network::PacketNetworkConfig;
  const auto of = [](const std::string& text, const std::vector<std::string>& overrides = {}) {
    return network_config(parse(text, overrides));
  };
  const std::string opera = "network: {topology: {opera: {}}}\n";
  EXPECT_TRUE(std::holds_alternative<network::AnalyticalConfig>(of(kRing)));
  EXPECT_TRUE(std::holds_alternative<PacketNetworkConfig>(of(kStar)));
  EXPECT_TRUE(std::holds_alternative<network::RotorNetworkConfig>(of(opera)));
  EXPECT_TRUE(std::holds_alternative<FlowNetworkConfig>(of(opera, {"network.backend=flow"})));
  EXPECT_TRUE(std::holds_alternative<FlowNetworkConfig>(of(kStar, {"network.backend=flow"})));
  const auto links = std::get<PacketNetworkConfig>(of(kRing, {"network.backend=packet"}));
  EXPECT_TRUE(std::holds_alternative<topology::HierarchyGraphConfig>(links.topology.shape));
}

TEST(NetworkSetup, TheSeedIsThatOfEveryChoice) {
  const auto config = std::get<network::PacketNetworkConfig>(
      network_config(parse("seed: 7\nnetwork: {topology: {expander: {}}}\n")));
  EXPECT_EQ(config.packets.seed, 7u);
  EXPECT_EQ(std::get<topology::ExpanderConfig>(config.topology.shape).seed, 7u);
}

TEST(NetworkSetup, ErrorsSayWhatWouldWork) {
  const auto with = [](const std::vector<std::string>& overrides, const std::string& text = kStar) {
    return user_error([&] { parse(text, overrides); });
  };
  EXPECT_EQ(with({"network={}"}),
            "a.yaml: network.topology: is missing\n  write network: {topology: {...}}, or network: "
            "{dimensions: [...]}");
  EXPECT_EQ(
      with({"network.topology.torus={}"}),
      "a.yaml: network.topology: chooses 2 topologies\n  choose one of star, leaf_spine, fat_tree, torus, "
      "expander, direct_connect, dragonfly, opera, file");
  EXPECT_NE(with({"network.tcp.contol=dctcp"}).find("did you mean \"control\"?"), std::string::npos);
  EXPECT_NE(with({"network.oversubscription=2"}).find("only a leaf_spine or fat_tree"), std::string::npos);
  EXPECT_NE(with({"network.backend=analytical"}).find("knows dimensions, not a topology"), std::string::npos);
  EXPECT_NE(with({"network.backend=rotor"}).find("rotor needs topology.opera"), std::string::npos);
  EXPECT_NE(
      with({"network.backend=packet"}, "network: {topology: {opera: {}}}\n").find("packet has no rotors"),
      std::string::npos);
  EXPECT_NE(with({"network.topology.star={}"}, kRing).find("dimensions or a topology, not both"),
            std::string::npos);
  EXPECT_NE(with({"network.queue.port_limit=1 B"}).find("a.yaml: network: queue: a limit holds"),
            std::string::npos);
  const auto odd = parse(kStar, {"traffic.pattern=rign"});
  EXPECT_NE(user_error([&] { make_traffic(odd, 4); }).find("did you mean \"ring\"?"), std::string::npos);
}

TEST(NetworkSetup, TheOldShapeGetsAnErrorThatSaysWhatToWrite) {
  EXPECT_EQ(user_error([] { parse("topology: {star: {hosts: 4}}\ntraffic: {pattern: ring}\n"); }),
            "a.yaml: topology: belongs under network: now\n  write network: {topology: ...}, and -s "
            "network.topology=... on the command line");
  EXPECT_NE(user_error([] { parse(kStar, {"paths=spray"}); }).find("-s network.paths=..."),
            std::string::npos);
}

TEST(NetworkSetup, TakesTheCircuitsOfADynexpFile) {
  const topology::Opera opera = topology::generate_opera({.tors = 8, .ports = 8, .seed = 7});
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "opera_file";
  std::filesystem::create_directories(folder);
  write_file(folder / "opera.txt", formats::write_dynexp(opera, topology::OperaPaths(opera, 1)));
  const auto setup = parse_setup("network: {topology: {opera: {file: opera.txt}}}\n",
                                 (folder / "a.yaml").string(), {}, Needs::network);
  const auto config = std::get<network::RotorNetworkConfig>(network_config(setup));
  EXPECT_EQ(make_opera(config.topology), opera);
  EXPECT_EQ(config.paths, topology::OperaPaths(opera, 1));

  write_file(folder / "opera.txt", "32 4 4 8\n24 1 2 3\n");
  EXPECT_NE(user_error([&] { network_config(setup); }).find("the file may be cut short"), std::string::npos);
}

TEST(NetworkSetup, TheSeedReachesRotors) {
  const auto setup = parse("seed: 7\nnetwork: {topology: {opera: {tors: 4}}}\n");
  EXPECT_EQ(std::get<network::RotorNetworkConfig>(network_config(setup)).rotors.seed, 7);
}

// Two rotors, of which one is dark at times, leave the ToRs unconnected: no matter for traffic that waits.
TEST(NetworkSetup, RotorsWithoutLowLatencyTrafficNeedNoPaths) {
  const std::string text = "network: {topology: {opera: {tors: 8, ports: 4}}}\n";
  const auto ranks = [&](const std::string& bulk_from) {
    sim::EventQueue events;
    const auto config = network_config(parse(text, {"network.rotor.bulk_from=" + bulk_from}));
    return network::make_network(config, events)->ranks();
  };
  EXPECT_THROW(ranks("1 MB"), UserError);
  EXPECT_EQ(ranks("0 B"), 16);
}

}  // namespace
}  // namespace overture::setup
