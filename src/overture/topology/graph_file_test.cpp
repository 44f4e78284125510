#include "overture/topology/graph_file.h"

#include <gtest/gtest.h>

#include "overture/base/testing.h"

namespace overture::topology {
namespace {

using namespace literals;

constexpr std::string_view kDiamond = R"(
hosts 2      # h0 and h1
switches 4
link h0 s0  100 Gbps  500 ns  host
link s0 s1  400Gbps   1us     spine   # a space before the unit may be left out
link s0 s2  400 Gbps  1 us    spine
link s1 s3  400 Gbps  1 us    spine
link s2 s3  400 Gbps  1 us    spine
link s3 h1  100 Gbps  500 ns  host
)";

std::string error_of(std::string_view text) {
  return user_error([&] { parse_graph(text, "net.txt"); });
}

TEST(GraphFile, ReadsNodesWiresAndTiers) {
  const Topology diamond = parse_graph(kDiamond, "net.txt");
  EXPECT_EQ(diamond.graph.hosts(), 2);
  EXPECT_EQ(diamond.graph.nodes(), 6);
  EXPECT_EQ(diamond.graph.links().size(), 12U);  // one each way
  EXPECT_EQ(diamond.graph.tiers(), (std::vector<std::string>{"host", "spine"}));
  const Link& first = diamond.graph.link(0, 0);
  EXPECT_EQ(first.wire.rate, 100_Gbps);
  EXPECT_EQ(first.wire.delay, Duration{500ns});
  EXPECT_EQ(diamond.graph.link(2, 1).wire.rate, 400_Gbps);
  EXPECT_EQ(diamond.graph.link(2, 1).wire.delay, Duration{1us});
}

TEST(GraphFile, PacketsTakeShortestPathsAndHashesBothOfTwoEqualOnes) {
  const Topology diamond = parse_graph(kDiamond, "net.txt");
  EXPECT_EQ(path(diamond, 0, 1, Pick::by_destination()).size(), 4U);
  EXPECT_EQ(equal_ports(diamond, 2, 1).size(), 2U);
  EXPECT_EQ(equal_ports(diamond, 3, 1).size(), 1U);
}

TEST(GraphFile, ATierMayBeLeftOut) {
  const Topology pair = parse_graph("hosts 2\nlink h0 h1 1 Gbps 1 us\n", "net.txt");
  EXPECT_EQ(pair.graph.tiers(), std::vector<std::string>{"link"});
}

TEST(GraphFile, HostsDoNotForward) {
  EXPECT_NE(error_of("hosts 3\nlink h0 h1 1 Gbps 1 us\nlink h1 h2 1 Gbps 1 us\n"), "");
}

TEST(GraphFile, TheLineIsNamed) {
  EXPECT_TRUE(error_of("hosts two\n").starts_with("net.txt:1: hosts is a number"));
  EXPECT_TRUE(error_of("hosts 2 3\n").starts_with("net.txt:1: expected one number after \"hosts\""));
  EXPECT_TRUE(error_of("hosts -2\n").starts_with("net.txt:1: hosts is a number from 0"));
  EXPECT_TRUE(error_of("hosts 99999999\n").starts_with("net.txt:1: hosts is a number from 0"));
  EXPECT_TRUE(error_of("hosts 2\n\nlink h0\n").starts_with("net.txt:3: a link has two ends"));
  EXPECT_TRUE(error_of("hosts 2\nlink h0 x1 1 Gbps 1 us\n").starts_with("net.txt:2: unknown node \"x1\""));
  EXPECT_EQ(error_of("hosts 2\nlink h0 h0 1 Gbps 1 us\n"), "net.txt:2: links h0 to itself");
  EXPECT_TRUE(error_of("hosts 2\nlink h0 s0 1 Gbps 1 us\n").starts_with("net.txt:2: unknown node \"s0\""));
  EXPECT_TRUE(error_of("hosts 2\nlink h0 h1 1 Gbps 1 parsec\n").starts_with("net.txt:2:"));
  EXPECT_TRUE(
      error_of("hosts 2\nlink h0 h1 1 Gbps 1 us tier more\n").starts_with("net.txt:2: unexpected \"more\""));
  EXPECT_TRUE(error_of("hosts 2\nlink h0 h1 1 Gbps 1 us\nswitches 1\n")
                  .starts_with("net.txt:3: \"switches\" comes before the links"));
}

TEST(GraphFile, AWordThatIsAlmostRightIsSuggested) {
  EXPECT_NE(error_of("hosts 2\nlinks h0 h1 1 Gbps 1 us\n").find("link"), std::string::npos);
}

}  // namespace
}  // namespace overture::topology
