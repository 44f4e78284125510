#include <gtest/gtest.h>

#include "overture/network/analytical/closed_form.h"
#include "overture/network/analytical/shared_links.h"

namespace overture::network {
namespace {

using namespace literals;
using topology::DimensionKind;

// 1 byte per ns, 10 ns a link.
AnalyticalConfig one_dimension(DimensionKind kind, int size, int links, Contention contention) {
  return {.dimensions = {{.kind = kind,
                          .size = size,
                          .links = links,
                          .link_latency_ns = 10,
                          .link_gib_per_s = 1e9 / (1 << 30)}},
          .contention = contention};
}

// When each of the messages, all sent at time 0, is delivered.
std::vector<Duration> deliveries(const AnalyticalConfig& config, const std::vector<Message>& messages) {
  sim::EventQueue events;
  const topology::Hierarchy machine = hierarchy(config);
  const auto network = make_network(config, machine, events);
  std::vector<Duration> times(messages.size());
  for (std::size_t i = 0; i < messages.size(); ++i) {
    network->send(messages[i], [&events, time = &times[i]] { *time = events.now().time_since_epoch(); });
  }
  events.run();
  return times;
}

TEST(ClosedForm, AMessageTakesHopsPlusSizeOverTheBandwidthOfAllLinks) {
  const auto ring = one_dimension(DimensionKind::ring, 8, 2, Contention::none);
  EXPECT_EQ(deliveries(ring, {{Rank{0}, Rank{3}, 100_B}}), (std::vector<Duration>{30ns + 50ns}));
  const auto mesh = one_dimension(DimensionKind::fully_connected, 4, 3, Contention::none);
  EXPECT_EQ(deliveries(mesh, {{Rank{0}, Rank{3}, 100_B}}), (std::vector<Duration>{10ns + 100ns}));
  const auto sw = one_dimension(DimensionKind::switched, 4, 1, Contention::none);
  EXPECT_EQ(deliveries(sw, {{Rank{0}, Rank{3}, 100_B}}), (std::vector<Duration>{20ns + 100ns}));
}

TEST(ClosedForm, MessagesNeverShareALink) {
  const auto sw = one_dimension(DimensionKind::switched, 4, 1, Contention::none);
  EXPECT_EQ(deliveries(sw, {{Rank{0}, Rank{1}, 100_B}, {Rank{0}, Rank{2}, 100_B}}),
            (std::vector<Duration>{120ns, 120ns}));
}

TEST(ClosedForm, TheSlowerOfWireAndMemoryDecides) {
  auto sw = one_dimension(DimensionKind::switched, 4, 1, Contention::none);
  sw.dimensions[0].memory_scale = 1;
  sw.dimensions[0].memory_latency_ns = 500;
  sw.dimensions[0].memory_bytes_per_ns = 8;
  EXPECT_EQ(deliveries(sw, {{Rank{0}, Rank{1}, 100_B}}), (std::vector<Duration>{512500_ps}));
}

// As sums of doubles: three thirds make a whole nanosecond, thirteen thirteenths stay below it.
TEST(ClosedForm, FractionsOfANanosecondAddUpAsTheOriginalsDo) {
  const auto after_so_many = [](int parts) {
    auto sw = one_dimension(DimensionKind::switched, 2, 1, Contention::none);
    sw.dimensions[0].link_latency_ns = 0;
    sw.dimensions[0].link_gib_per_s = 1000;
    sw.dimensions[0].memory_scale = 1;
    sw.dimensions[0].memory_bytes_per_ns = parts;
    sim::EventQueue events;
    const topology::Hierarchy machine = hierarchy(sw);
    const auto network = make_network(sw, machine, events);
    for (int i = 0; i < parts; ++i) {
      network->send({Rank{0}, Rank{1}, 1_B}, [] {});
      events.run();
    }
    return events.now().time_since_epoch();
  };
  EXPECT_EQ(after_so_many(3), 1000_ps);
  EXPECT_EQ(after_so_many(13), 999_ps);
}

TEST(SharedLinks, AloneOnASwitchAMessageTakesWhatTheClosedFormSays) {
  const auto sw = one_dimension(DimensionKind::switched, 4, 1, Contention::links);
  EXPECT_EQ(deliveries(sw, {{Rank{0}, Rank{3}, 100_B}}), (std::vector<Duration>{120ns}));
}

TEST(SharedLinks, MessagesOfOneSenderQueueAtItsPort) {
  const auto sw = one_dimension(DimensionKind::switched, 4, 1, Contention::links);
  EXPECT_EQ(deliveries(sw, {{Rank{0}, Rank{1}, 100_B}, {Rank{0}, Rank{2}, 100_B}}),
            (std::vector<Duration>{120ns, 220ns}));
}

TEST(SharedLinks, MessagesToOneReceiverQueueAtItsPort) {
  const auto sw = one_dimension(DimensionKind::switched, 4, 1, Contention::links);
  EXPECT_EQ(deliveries(sw, {{Rank{1}, Rank{0}, 100_B}, {Rank{2}, Rank{0}, 100_B}}),
            (std::vector<Duration>{120ns, 220ns}));
}

TEST(SharedLinks, ARingHasHalfItsLinksEachWay) {
  const auto ring = one_dimension(DimensionKind::ring, 4, 2, Contention::links);
  EXPECT_EQ(
      deliveries(ring, {{Rank{0}, Rank{1}, 100_B}, {Rank{0}, Rank{3}, 100_B}, {Rank{0}, Rank{1}, 100_B}}),
      (std::vector<Duration>{110ns, 110ns, 210ns}));
  const auto pair = one_dimension(DimensionKind::ring, 2, 2, Contention::links);
  EXPECT_EQ(deliveries(pair, {{Rank{0}, Rank{1}, 100_B}}), (std::vector<Duration>{60ns}));
}

TEST(SharedLinks, ATransitMessageHoldsEveryLinkOfItsWay) {
  const auto ring = one_dimension(DimensionKind::ring, 8, 2, Contention::links);
  // 0 -> 2 crosses 1 -> 2 from 10 ns on; 1 -> 2 starts there at 0 and holds it until 100 ns.
  EXPECT_EQ(deliveries(ring, {{Rank{0}, Rank{2}, 100_B}, {Rank{1}, Rank{2}, 100_B}}),
            (std::vector<Duration>{210ns, 110ns}));
}

TEST(SharedLinks, PeersOfAFullMeshDoNotDisturbEachOther) {
  const auto mesh = one_dimension(DimensionKind::fully_connected, 4, 3, Contention::links);
  EXPECT_EQ(
      deliveries(mesh, {{Rank{0}, Rank{1}, 100_B}, {Rank{0}, Rank{2}, 100_B}, {Rank{0}, Rank{1}, 100_B}}),
      (std::vector<Duration>{110ns, 110ns, 210ns}));
}

}  // namespace
}  // namespace overture::network
