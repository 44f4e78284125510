#include "overture/setup/flows_setup.h"

#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/testing.h"
#include "overture/setup/flow_list.h"
#include "overture/topology/dynexp_file.h"

namespace overture::setup {
namespace {

using namespace literals;

const std::string kStar =
    "topology: {star: {hosts: 4, wire: {rate: 10 Gbps, delay: 1 us}}}\n"
    "queue: {port_limit: 1 MiB}\n"
    "tcp: {control: dctcp, min_rto: 2 ms}\n"
    "traffic: {pattern: ring, size: 64 KiB}\n";

TEST(FlowsSetup, ReadsTopologyQueuesTransportAndTraffic) {
  const FlowsSetup setup = parse_flows_setup(kStar, "a.yaml");
  EXPECT_EQ(setup.topology.star->wire.rate, 10_Gbps);
  EXPECT_EQ(setup.network.queue.port_limit, 1_MiB);
  EXPECT_EQ(setup.network.tcp.control, network::packet::CongestionControl::dctcp);
  EXPECT_EQ(setup.network.tcp.min_rto, 2ms);
  const topology::Topology topology = make_topology(setup);
  EXPECT_EQ(topology.graph.hosts(), 4);
  EXPECT_EQ(make_traffic(setup, 4).size(), 4u);
}

TEST(FlowsSetup, WhatIsWrittenReadsBackTheSame) {
  const std::string text = write_flows_setup(parse_flows_setup(kStar, "a.yaml"));
  EXPECT_EQ(write_flows_setup(parse_flows_setup(text, "b.yaml")), text);
}

TEST(FlowsSetup, ErrorsSayWhatWouldWork) {
  const auto with = [](const std::vector<std::string>& overrides) {
    return user_error([&] { parse_flows_setup(kStar, "a.yaml", overrides); });
  };
  EXPECT_EQ(
      with({"topology={}"}),
      "a.yaml: topology: chooses 0 topologies\n  choose one of star, leaf_spine, fat_tree, torus, expander, "
      "direct_connect, opera, file");
  EXPECT_NE(with({"topology.expander={}"}).find("chooses 2 topologies"), std::string::npos);
  EXPECT_NE(with({"topology.torus={}"}).find("chooses 2 topologies"), std::string::npos);
  EXPECT_NE(with({"tcp.contol=dctcp"}).find("did you mean \"control\"?"), std::string::npos);
  const FlowsSetup odd = parse_flows_setup(kStar, "a.yaml", {"traffic.pattern=rign"});
  EXPECT_NE(user_error([&] { make_traffic(odd, 4); }).find("did you mean \"ring\"?"), std::string::npos);
  const FlowsSetup thin = parse_flows_setup(kStar, "a.yaml", {"oversubscription=2"});
  EXPECT_NE(user_error([&] { make_topology(thin); }).find("oversubscription"), std::string::npos);
}

TEST(FlowsSetup, TakesTheCircuitsOfADynexpFile) {
  const topology::Opera opera = topology::generate_opera({.tors = 8, .ports = 8, .seed = 7});
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "opera_file";
  std::filesystem::create_directories(folder);
  write_file(folder / "opera.txt", topology::write_dynexp(opera, topology::OperaPaths(opera, 1)));
  const std::string text = "topology: {opera: {file: opera.txt}}\n";
  EXPECT_EQ(make_opera(parse_flows_setup(text, (folder / "a.yaml").string())), opera);

  write_file(folder / "opera.txt", "32 4 4 8\n24 1 2 3\n");
  const FlowsSetup cut = parse_flows_setup(text, (folder / "a.yaml").string());
  EXPECT_NE(user_error([&] { make_opera(cut); }).find("was it cut short?"), std::string::npos);
}

TEST(FlowList, ReadsCsvAndConnectionMatrices) {
  const auto csv = parse_flow_csv("src,dst,bytes,start_ns\n0,3,1000,50\n\n2,1,5,0\n", "f.csv");
  ASSERT_EQ(csv.size(), 2u);
  EXPECT_EQ(csv[0].to, Rank{3});
  EXPECT_EQ(csv[0].start, Time{50ns});
  const auto cm = parse_connection_matrix("Nodes 4\nConnections 1\n1->2 id 1 start 7000 size 2000\n", "f.cm");
  ASSERT_EQ(cm.size(), 1u);
  EXPECT_EQ(cm[0].from, Rank{1});
  EXPECT_EQ(cm[0].start, Time{7ns});
  EXPECT_EQ(cm[0].size, 2000_B);
}

TEST(FlowList, ErrorsNameTheLine) {
  const auto csv = [](const std::string& text) { return user_error([&] { parse_flow_csv(text, "f.csv"); }); };
  EXPECT_EQ(csv("a,b\n"), "f.csv:1: the first line must be src,dst,bytes,start_ns");
  EXPECT_EQ(csv("src,dst,bytes,start_ns\n0,1,2\n"),
            "f.csv:2: has 3 columns, not 4\n  src,dst,bytes,start_ns");
  EXPECT_EQ(csv("src,dst,bytes,start_ns\n0,1,-2,0\n").substr(0, 31), "f.csv:2: bytes: -2 is out of ra");
  EXPECT_EQ(csv("src,dst,bytes,start_ns\n0,x,2,0\n"), "f.csv:2: dst: \"x\" is not a whole number");
  EXPECT_NE(csv("").find("holds no flows"), std::string::npos);
  const auto cm = [](const std::string& text) {
    return user_error([&] { parse_connection_matrix(text, "f.cm"); });
  };
  EXPECT_NE(
      cm("Nodes 2\nConnections 2\n0->1 id 1 start 0 size 5\n").find("promises 2 connections but holds 1"),
      std::string::npos);
  EXPECT_NE(cm("Nodes 2\nConnections 1\n0->1 id 1 trigger 3 size 5\n").find("\"trigger\" is not supported"),
            std::string::npos);
}

}  // namespace
}  // namespace overture::setup
