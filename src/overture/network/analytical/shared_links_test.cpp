// Links that carry one message after the other, against the same rule written down plainly: a message is a
// list of hops with names, every hop a link that is free from a time on.
#include "overture/network/analytical/shared_links.h"

#include <cmath>
#include <map>
#include <tuple>

#include <gtest/gtest.h>

#include "overture/base/random.h"
#include "overture/base/testing.h"
#include "overture/network/analytical/closed_form.h"

namespace overture::network {
namespace {

using namespace literals;
using topology::DimensionKind;

constexpr double kByteAndNs = 1e9 / (1 << 30);  // GiB/s: one byte per ns

DimensionConfig draw_dimension(RandomStream& random) {
  const auto kind = static_cast<DimensionKind>(random.below(3));
  const int size = 1 + static_cast<int>(random.below(5));
  const int links = kind == DimensionKind::fully_connected ? std::max(1, size - 1) : 2;
  return {.kind = kind,
          .size = size,
          .links = links * (1 + static_cast<int>(random.below(2))),
          .link_latency_ns = static_cast<double>(random.below(50)),
          .link_gib_per_s = kByteAndNs * static_cast<double>(1 + random.below(4)),
          .nic_latency_ns = static_cast<double>(random.below(10)),
          .router_latency_ns = static_cast<double>(random.below(10))};
}

AnalyticalConfig draw_machine(RandomStream& random) {
  AnalyticalConfig config;
  for (std::uint64_t d = 1 + random.below(3); d > 0; --d) config.dimensions.push_back(draw_dimension(random));
  return config;
}

struct Sent {
  Time when;
  Message message;
};

std::vector<Sent> draw_messages(const AnalyticalConfig& config, RandomStream& random) {
  const auto ranks = static_cast<std::uint64_t>(hierarchy(config).ranks());
  std::vector<Sent> all;
  for (int i = 0; i < 60 && ranks > 1; ++i) {
    const Rank from{static_cast<int>(random.below(ranks))};
    const Rank to{static_cast<int>(random.below(ranks))};
    if (from == to) continue;
    const Duration when = 20ns * random.below(20);
    all.push_back(
        {Time{when}, {.from = from, .to = to, .size = Bytes{static_cast<std::int64_t>(random.below(400))}}});
  }
  return all;
}

std::vector<Time> play(const AnalyticalConfig& config, const std::vector<Sent>& all) {
  struct Player {
    sim::EventQueue events{};
    std::unique_ptr<Network> network{};
    std::vector<Time> arrivals{};

    void send(const Sent& sent, std::size_t i) {
      network->send(sent.message, [this, i] { arrivals[i] = events.now(); });
    }
  } player;
  player.network = make_network(config, hierarchy(config), player.events);
  player.arrivals.resize(all.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    player.events.at(all[i].when, [&player, sent = &all[i], i] { player.send(*sent, i); });
  player.events.run();
  return player.arrivals;
}

// The links of a way as pairs of names: ranks, or a dimension's switch as a negative number.
std::vector<std::pair<int, int>> hops_of(const topology::Hierarchy& machine, const Message& message, int d) {
  const int size = machine.dimension(d).size;
  const int stride = machine.stride(d);
  const int from = machine.coordinate(message.from, d);
  const int to = machine.coordinate(message.to, d);
  // Only the highest dimension is charged: on a ring the way goes along the sender's own coordinates.
  const int base = index(message.from) - from * stride;
  switch (machine.dimension(d).kind) {
    case DimensionKind::fully_connected: return {{index(message.from), base + to * stride}};
    case DimensionKind::switched: return {{index(message.from), -1}, {-1, index(message.to)}};
    case DimensionKind::ring: break;
  }
  const int ahead = (to - from + size) % size;
  const int step = 2 * ahead <= size ? 1 : size - 1;
  std::vector<std::pair<int, int>> hops;
  for (int at = from; at != to; at = (at + step) % size)
    hops.emplace_back(base + at * stride, base + (at + step) % size * stride);
  return hops;
}

// Everything in a sorted map of what happens when; first come, first served.
std::vector<Time> plain(const AnalyticalConfig& config, const std::vector<Sent>& all) {
  const topology::Hierarchy machine = hierarchy(config);
  struct Step {
    std::size_t message;
    std::size_t hop;
  };
  std::multimap<Time, Step> events;
  std::map<std::tuple<int, int, int>, Time> free_at;
  for (std::size_t i = 0; i < all.size(); ++i) events.insert({all[i].when, {i, 0}});
  std::vector<Time> arrivals(all.size());
  while (!events.empty()) {
    const auto [now, step] = *events.begin();
    events.erase(events.begin());
    const Message& message = all[step.message].message;
    const int d = machine.dimension_between(message.from, message.to);
    const DimensionConfig& dimension = config.dimensions[static_cast<std::size_t>(d)];
    const auto hops = hops_of(machine, message, d);
    Time& free = free_at[{d, hops[step.hop].first, hops[step.hop].second}];
    const Time start = std::max(free, now);
    const double ps = static_cast<double>(message.size.count()) * (1000 / directed_bytes_per_ns(dimension));
    free = start + Duration{std::llround(std::ceil(ps))};
    const Duration latency{std::llround(dimension.link_latency_ns * 1000)};
    if (step.hop + 1 < hops.size()) {
      events.insert({start + latency, {step.message, step.hop + 1}});
      continue;
    }
    const bool is_switch = dimension.kind == DimensionKind::switched;
    const double fixed = 2 * dimension.nic_latency_ns + (is_switch ? dimension.router_latency_ns : 0);
    arrivals[step.message] = free + latency + Duration{std::llround(fixed * 1000)};
  }
  return arrivals;
}

TEST(SharedLinksProperties, AreWhatAPlainListOfHopsGives) {
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    RandomStream random(seed, 0);
    const AnalyticalConfig config = draw_machine(random);
    const std::vector<Sent> all = draw_messages(config, random);
    ASSERT_EQ(play(config, all), plain(config, all)) << "seed " << seed;
  }
}

// The closed form gives a message all links of a dimension at once, and cuts to whole nanoseconds.
TEST(SharedLinksProperties, AreNeverFasterThanTheClosedForm) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomStream random(seed, 1);
    AnalyticalConfig config = draw_machine(random);
    const std::vector<Sent> all = draw_messages(config, random);
    const std::vector<Time> shared = play(config, all);
    config.contention = Contention::none;
    const std::vector<Time> closed = play(config, all);
    for (std::size_t i = 0; i < all.size(); ++i)
      ASSERT_GE(shared[i] + Duration{10}, closed[i]) << "seed " << seed << " message " << i;
  }
}

TEST(SharedLinks, OfAMessageInAHigherDimensionLowerOnesAreNotCharged) {
  AnalyticalConfig config{
      .dimensions = {
          {.kind = DimensionKind::ring,
           .size = 4,
           .links = 2,
           .link_latency_ns = 1'000,
           .link_gib_per_s = kByteAndNs},
          {.kind = DimensionKind::switched, .size = 2, .link_latency_ns = 10, .link_gib_per_s = kByteAndNs}}};
  // From rank 0 to rank 6: two steps along the ring, and the switch.
  EXPECT_EQ(play(config, {{Time{}, {Rank{0}, Rank{6}, 100_B}}})[0], Time{120ns});
}

TEST(SharedLinks, TheMemoryIsALowerBound) {
  AnalyticalConfig config{.dimensions = {{.kind = DimensionKind::switched,
                                          .size = 4,
                                          .link_latency_ns = 10,
                                          .link_gib_per_s = kByteAndNs,
                                          .memory_latency_ns = 500,
                                          .memory_bytes_per_ns = 8,
                                          .memory_scale = 1}}};
  EXPECT_EQ(play(config, {{Time{}, {Rank{0}, Rank{1}, 80_B}}})[0], Time{510ns});
  EXPECT_EQ(play(config, {{Time{}, {Rank{0}, Rank{1}, 8'000_B}}})[0], Time{8'020ns});
}

TEST(SharedLinks, WatchedLinksCarryWhatWasSentOnThem) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomStream random(seed, 2);
    const AnalyticalConfig config = draw_machine(random);
    const topology::Hierarchy machine = hierarchy(config);
    const std::vector<Sent> all = draw_messages(config, random);
    if (all.empty()) continue;
    sim::EventQueue events;
    SharedLinks network(config, machine, events);
    network.watch({.interval = 100ns, .samples = 64});
    std::int64_t crossed = 0;
    Bytes sent{};
    for (const Sent& one : all) {
      events.at(one.when, [&] { network.send(one.message, {}); });
      const int d = machine.dimension_between(one.message.from, one.message.to);
      crossed +=
          one.message.size.count() * static_cast<std::int64_t>(hops_of(machine, one.message, d).size());
      sent += one.message.size;
    }
    events.run();
    const NetworkRecord record = network.record();
    std::int64_t carried = 0;
    for (const NetworkRecord::Link& link : record.links) carried += link.total.carried.count();
    EXPECT_EQ(carried, crossed) << "seed " << seed;
    EXPECT_EQ(record.delivered, sent);
    EXPECT_EQ(record.tiers.size(), config.dimensions.size());
  }
}

// ---- the closed form

TEST(ClosedForm, EveryStepIsCutToWholeNanoseconds) {
  AnalyticalConfig config{.dimensions = {{.kind = DimensionKind::switched,
                                          .size = 4,
                                          .link_latency_ns = 10.3,
                                          .link_gib_per_s = kByteAndNs * 3,
                                          .nic_latency_ns = 0.45,
                                          .router_latency_ns = 0.9}},
                          .contention = Contention::none};
  // 20.6 is 20; 100 bytes at 3 a ns make it 53.3, so 53; with 0.9 of the NICs 53.9 and still 53; and 53.9
  // again.
  EXPECT_EQ(play(config, {{Time{}, {Rank{0}, Rank{1}, 100_B}}})[0], Time{53ns});
}

TEST(ClosedForm, AMessageTakesTheSameWhateverElseIsSent) {
  RandomStream random(5, 0);
  AnalyticalConfig config = draw_machine(random);
  config.dimensions.push_back({.kind = DimensionKind::switched, .size = 3, .links = 2});
  config.contention = Contention::none;
  const std::vector<Sent> all = draw_messages(config, random);
  const std::vector<Time> together = play(config, all);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(play(config, {all[i]})[0], together[i]);
}

// ---- numbers of a dimension

TEST(Dimension, LinksThatOneMessageUses) {
  const auto usable = [](DimensionKind kind, int size, int links) {
    return usable_links({.kind = kind, .size = size, .links = links});
  };
  EXPECT_EQ(usable(DimensionKind::ring, 8, 5), 4) << "half to either side";
  EXPECT_EQ(usable(DimensionKind::fully_connected, 4, 7), 2) << "two to each of three peers, one is left";
  EXPECT_EQ(usable(DimensionKind::fully_connected, 1, 3), 3);
  EXPECT_EQ(usable(DimensionKind::switched, 8, 5), 5);
  EXPECT_EQ(usable(DimensionKind::ring, 8, 1), 0);
  EXPECT_EQ(usable(DimensionKind::fully_connected, 8, 6), 0);
}

TEST(Dimension, WhatGoesOneWayAndWhatARankCanSend) {
  const DimensionConfig ring{
      .kind = DimensionKind::ring, .size = 8, .links = 4, .link_gib_per_s = kByteAndNs};
  EXPECT_DOUBLE_EQ(directed_bytes_per_ns(ring), 2);
  const DimensionConfig pair{
      .kind = DimensionKind::ring, .size = 2, .links = 4, .link_gib_per_s = kByteAndNs};
  EXPECT_DOUBLE_EQ(directed_bytes_per_ns(pair), 4) << "both sides are one";
  const DimensionConfig mesh{
      .kind = DimensionKind::fully_connected, .size = 4, .links = 6, .link_gib_per_s = 10};
  EXPECT_DOUBLE_EQ(rank_gib_per_s(mesh), 60);
  EXPECT_DOUBLE_EQ(
      rank_gib_per_s({.kind = DimensionKind::switched, .size = 4, .links = 6, .link_gib_per_s = 10}), 60);
}

TEST(Dimension, WhatCannotWorkIsToldWithItsPlace) {
  const auto error = [](auto change) {
    DimensionConfig dimension{.size = 4, .links = 2};
    change(dimension);
    return user_error([&] { check_dimension(dimension, "net.json", "dimension 1"); });
  };
  EXPECT_EQ(error([](DimensionConfig&) {}), "");
  EXPECT_EQ(error([](DimensionConfig& d) { d.size = 0; }).find("net.json: dimension 1: has 0 units"), 0U);
  EXPECT_NE(error([](DimensionConfig& d) { d.link_gib_per_s = 0; }).find("above zero"), std::string::npos);
  EXPECT_NE(error([](DimensionConfig& d) { d.link_gib_per_s = NAN; }).find("above zero"), std::string::npos);
  EXPECT_NE(error([](DimensionConfig& d) { d.link_latency_ns = -1; }).find("link latency of -1 ns"),
            std::string::npos);
  EXPECT_NE(error([](DimensionConfig& d) { d.nic_latency_ns = 2e12; }).find("use 0 ns to 1000 s"),
            std::string::npos);
  EXPECT_NE(error([](DimensionConfig& d) { d.links = 1; }).find("a ring needs two"), std::string::npos);
  EXPECT_NE(error([](DimensionConfig& d) {
              d.kind = DimensionKind::fully_connected;
            }).find("a full mesh needs one"),
            std::string::npos);
  EXPECT_NE(error([](DimensionConfig& d) { d.memory_scale = -1; }).find("memory scale"), std::string::npos);
  EXPECT_NE(error([](DimensionConfig& d) {
              d.memory_scale = 1, d.memory_bytes_per_ns = 0;
            }).find("memory bandwidth"),
            std::string::npos);
  EXPECT_NE(error([](DimensionConfig& d) { d.packaging = Packaging::pod_to_pod; }).find("allows only Switch"),
            std::string::npos);
}

}  // namespace
}  // namespace overture::network
