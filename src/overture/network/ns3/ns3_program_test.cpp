#include "overture/network/ns3/ns3_program.h"

#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/network/packet/patterns.h"
#include "overture/topology/fat_tree.h"
#include "overture/topology/star.h"

namespace overture::network::ns3 {
namespace {

using packet::PacketConfig;

TEST(Ns3Program, TellsCablesRoutesAndFlows) {
  const topology::Topology star = topology::star({.hosts = 2});
  const std::string text = network_text(star, {}, {{.from = Rank{0}, .to = Rank{1}, .size = Bytes{100}}}, {});
  EXPECT_NE(text.find("nodes 2 3\ncable 0 2 100000000000 500000\ncable 1 2 100000000000 500000\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("route 2 0 1\nflow 0 1 100 0\n"), std::string::npos) << text;
}

TEST(Ns3Program, RefusesWhatNs3CannotDo) {
  const topology::Topology star = topology::star({.hosts = 2});
  EXPECT_THROW(network_text(star, packet::ndp(), {}, {}), UserError);
  PacketConfig marks;
  marks.queue.mark_above = Bytes{100'000};
  EXPECT_THROW(network_text(star, marks, {}, {}), UserError);
}

#ifdef OVERTURE_NS3
void expect_equal_completions(const topology::Topology& topology, const PacketConfig& config,
                              const std::vector<FlowSpec>& flows, double tolerance) {
  const Ns3Result theirs = run_flows(OVERTURE_NS3, topology, config, flows);
  const packet::PacketRun ours = packet::run_flows(topology, config, flows);
  ASSERT_EQ(theirs.completion.size(), flows.size());
  for (std::size_t i = 0; i < flows.size(); ++i) {
    ASSERT_TRUE(theirs.completion[i].has_value());
    const auto reference = static_cast<double>(theirs.completion[i]->count());
    EXPECT_NEAR(static_cast<double>(ours.completion[i]->count()), reference, tolerance * reference) << i;
  }
}

TEST(Ns3Program, AnAllToAllOnAStarIsTheSame) {
  expect_equal_completions(topology::star({.hosts = 8}), {}, packet::all_to_all(8, Bytes{100'000}), 1e-6);
}

TEST(Ns3Program, APermutationOnAFatTreeIsTheSame) {
  const topology::Topology tree = topology::fat_tree({.k = 4});
  expect_equal_completions(tree, {}, packet::ring(16, Bytes{1'000'000}), 1e-6);
}
#endif

}  // namespace
}  // namespace overture::network::ns3
