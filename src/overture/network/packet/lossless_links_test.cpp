// Lossless links hold back their senders over the link the other way: where there is none, the ends are
// named.
#include <gtest/gtest.h>

#include "overture/base/testing.h"
#include "overture/network/packet/engine.h"
#include "overture/topology/direct_connect.h"

namespace overture::network::packet {
namespace {

std::string refusal(const topology::DirectConnectConfig& fibres, const PacketConfig& config) {
  const topology::Topology topology = fibres.build();
  return user_error([&] { const Engine engine(topology, config, Pause::when_idle); });
}

TEST(LosslessLinks, FibresOfOneDirectionAreRefusedWithTheirEnds) {
  const topology::DirectConnectConfig one_way{.nodes = 12, .degree = 1, .jumps = {1}};
  const std::string said = refusal(one_way, roce());
  EXPECT_NE(said.find("roce and plain need a link back for every link, but of "), std::string::npos) << said;
  EXPECT_NE(said.find(" there are 1, back 0"), std::string::npos) << said;
  EXPECT_NE(said.find("use tcp or ndp, or links both ways"), std::string::npos) << said;
  EXPECT_EQ(refusal(one_way, {}), "") << "TCP needs none";
  EXPECT_EQ(refusal(one_way, ndp()), "");
}

TEST(LosslessLinks, FibresBothWaysAreEnough) {
  EXPECT_EQ(refusal({.nodes = 12, .degree = 2, .jumps = {1, 11}}, roce()), "");
}

}  // namespace
}  // namespace overture::network::packet
