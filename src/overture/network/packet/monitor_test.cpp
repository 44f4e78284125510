#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/network/link_history.h"
#include "overture/network/packet/patterns.h"
#include "overture/network/packet/run_flows.h"
#include "overture/topology/star.h"

namespace overture::network::packet {
namespace {

using namespace std::chrono_literals;

TEST(LinkHistory, ThinsWhenFullAndKeepsTheLongerQueue) {
  LinkHistory history({.interval = 1us, .samples = 4}, 1);
  for (const std::int64_t queued : {5, 7, 9, 1}) {
    history.add({{.sent = Bytes{1000 * (history.samples() + 1)}, .queued = Bytes{queued}}});
  }
  EXPECT_EQ(history.interval(), 2us);
  ASSERT_EQ(history.samples(), 2);
  EXPECT_EQ(history.at(0, 0).sent, Bytes{2000});
  EXPECT_EQ(history.at(0, 0).queued, Bytes{7});
  EXPECT_EQ(history.at(1, 0).queued, Bytes{9});
  EXPECT_EQ(history.next(), Time{6us});
  EXPECT_DOUBLE_EQ(history.utilisation(1, 0, Bandwidth::bits_per_second(16'000'000'000)), 0.5);
}

TEST(LinkHistory, RefusesSamplesThatCannotBeHalved) {
  EXPECT_THROW(require_sound(MonitorConfig{.samples = 3}), UserError);
  EXPECT_THROW(require_sound(MonitorConfig{.interval = Duration::zero()}), UserError);
}

// What the samples say was sent is what the links carried, and nobody is busier than always.
void check_run(TransportKind transport) {
  const topology::Topology star = topology::star({.hosts = 9});
  PacketConfig config = transport == kTransport<NdpConfig> ? ndp() : PacketConfig{};
  const auto flows = incast(8, Bytes{1 << 20});
  const PacketRun plain = run_flows(star, config, flows);
  const PacketRun watched = run_flows(star, config, flows, {}, MonitorConfig{.interval = 1us, .samples = 64});
  EXPECT_EQ(watched.digest, plain.digest);
  EXPECT_EQ(watched.completion, plain.completion);
  const LinkHistory& history = watched.history;
  ASSERT_GT(history.samples(), 20);
  bool waited = false;
  for (std::size_t link = 0; link < star.graph.links().size(); ++link) {
    const Bandwidth rate = star.graph.links()[link].wire.rate;
    Bytes before;
    for (std::int64_t i = 0; i < history.samples(); ++i) {
      EXPECT_GE(history.at(i, link).sent, before);
      EXPECT_GE(history.at(i, link).queued, Bytes{0});
      EXPECT_LE(history.utilisation(i, link, rate), 1.0002);  // whole bytes
      waited = waited || history.at(i, link).queued > Bytes{50'000};
      before = history.at(i, link).sent;
    }
    EXPECT_LE(before, watched.links[link].carried);
  }
  EXPECT_TRUE(waited);
}

TEST(Monitor, WatchesTcpWithoutChangingIt) { check_run(kTransport<TcpConfig>); }
TEST(Monitor, WatchesNdpWithoutChangingIt) { check_run(kTransport<NdpConfig>); }

}  // namespace
}  // namespace overture::network::packet
