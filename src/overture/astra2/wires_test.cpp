// ASTRA-sim 2's two networks on random messages, against their rules written down plainly.
#include "overture/astra2/wires.h"

#include <cmath>
#include <deque>
#include <map>

#include <gtest/gtest.h>

#include "overture/base/random.h"

namespace overture::astra2 {
namespace {

using topology::DimensionKind;

struct Sent {
  std::int64_t ns;
  int from;
  int to;
  std::int64_t size;
};

NetworkFile draw_network(RandomStream& random, bool aware) {
  NetworkFile file{.congestion_aware = aware};
  for (std::uint64_t d = aware ? 1 : 1 + random.below(3); d > 0; --d) {
    file.dimensions.push_back({.kind = static_cast<DimensionKind>(random.below(3)),
                               .npus = 2 + static_cast<int>(random.below(5)),
                               .gib_per_s = static_cast<double>(1 + random.below(100)),
                               .latency_ns = static_cast<double>(random.below(700))});
  }
  return file;
}

std::vector<Sent> draw_messages(RandomStream& random, int npus) {
  std::vector<Sent> all;
  for (int i = 0; i < 80; ++i) {
    const int from = static_cast<int>(random.below(static_cast<std::uint64_t>(npus)));
    const int step = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(npus - 1)));
    all.push_back({static_cast<std::int64_t>(random.below(5'000)), from, (from + step) % npus,
                   static_cast<std::int64_t>(1 + random.below(100'000))});
  }
  return all;
}

std::vector<std::int64_t> play(const NetworkFile& file, const std::vector<Sent>& all) {
  struct Player {
    sim::EventQueue events{};
    std::unique_ptr<network::Network> wires{};
    std::vector<std::int64_t> arrivals{};

    void send(const Sent& sent, std::size_t i) {
      wires->send({.from = Rank{sent.from}, .to = Rank{sent.to}, .size = Bytes{sent.size}},
                  [this, i] { arrivals[i] = events.now().time_since_epoch() / Nanoseconds{1}; });
    }
  } player;
  player.wires = make_wires(file, player.events);
  player.arrivals.resize(all.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    player.events.at(Time{Nanoseconds{all[i].ns}}, [&player, sent = &all[i], i] { player.send(*sent, i); });
  player.events.run();
  return player.arrivals;
}

// Nobody waits; the first dimension in which the ends differ is charged, and the sum cut to nanoseconds.
TEST(UnawareWires, AreHopsTimesLatencyAndBytesOverBandwidth) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomStream random(seed, 0);
    const NetworkFile file = draw_network(random, false);
    const std::vector<Sent> all = draw_messages(random, file.npus());
    const std::vector<std::int64_t> arrivals = play(file, all);
    for (std::size_t i = 0; i < all.size(); ++i) {
      int stride = 1;
      std::size_t d = 0;
      const auto coordinate = [&](int npu) { return npu / stride % file.dimensions[d].npus; };
      for (; coordinate(all[i].from) == coordinate(all[i].to); ++d) stride *= file.dimensions[d].npus;
      const Dimension& dimension = file.dimensions[d];
      const int apart = std::abs(coordinate(all[i].from) - coordinate(all[i].to));
      const int hops = dimension.kind == DimensionKind::ring       ? std::min(apart, dimension.npus - apart)
                       : dimension.kind == DimensionKind::switched ? 2
                                                                   : 1;
      const double ns =
          hops * dimension.latency_ns + static_cast<double>(all[i].size) / dimension.bytes_per_ns();
      EXPECT_EQ(arrivals[i], all[i].ns + static_cast<std::int64_t>(ns)) << "seed " << seed;
    }
  }
}

// Every link sends one message at a time, first come, first served, and hands it on whole.
std::vector<std::int64_t> stored_and_forwarded(const Dimension& dimension, const std::vector<Sent>& all) {
  const int npus = dimension.npus;
  const auto way = [&](const Sent& sent) {
    if (dimension.kind == DimensionKind::fully_connected) return std::vector{sent.from, sent.to};
    if (dimension.kind == DimensionKind::switched) return std::vector{sent.from, npus, sent.to};
    const int ahead = (sent.to - sent.from + npus) % npus;
    std::vector<int> nodes{sent.from};
    while (nodes.back() != sent.to)
      nodes.push_back((nodes.back() + (npus - ahead < ahead ? npus - 1 : 1)) % npus);
    return nodes;
  };
  struct Event {
    std::size_t message;
    std::size_t hop;    // the message is at this node of its way
    bool link_is_free;  // or: the link that it has left is free
  };
  struct Link {
    bool busy = false;
    std::deque<Event> waiting{};
  };
  std::multimap<std::int64_t, Event> events;
  std::map<std::pair<int, int>, Link> links;
  std::vector<std::int64_t> arrivals(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) events.insert({all[i].ns, {i, 0, false}});
  const auto transmit = [&](const Event& at, std::int64_t now) {
    const double ns = static_cast<double>(all[at.message].size) / dimension.bytes_per_ns();
    events.insert(
        {now + static_cast<std::int64_t>(dimension.latency_ns + ns), {at.message, at.hop + 1, false}});
    events.insert({now + static_cast<std::int64_t>(ns), {at.message, at.hop, true}});
  };
  while (!events.empty()) {
    const auto [now, event] = *events.begin();
    events.erase(events.begin());
    const std::vector<int> nodes = way(all[event.message]);
    if (!event.link_is_free && event.hop + 1 == nodes.size()) {
      arrivals[event.message] = now;
      continue;
    }
    Link& link = links[{nodes[event.hop], nodes[event.hop + 1]}];
    if (event.link_is_free) {
      link.busy = !link.waiting.empty();
      if (!link.busy) continue;
      const Event next = link.waiting.front();
      link.waiting.pop_front();
      transmit(next, now);
    } else if (link.busy) {
      link.waiting.push_back(event);
    } else {
      link.busy = true;
      transmit(event, now);
    }
  }
  return arrivals;
}

TEST(AwareWires, StoreAndForwardOneMessageAtATime) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomStream random(seed, 1);
    const NetworkFile file = draw_network(random, true);
    const std::vector<Sent> all = draw_messages(random, file.npus());
    ASSERT_EQ(play(file, all), stored_and_forwarded(file.dimensions.front(), all)) << "seed " << seed;
  }
}

TEST(AwareWires, AreNeverFasterThanTheUnawareOnes) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    RandomStream random(seed, 2);
    NetworkFile file = draw_network(random, true);
    const std::vector<Sent> all = draw_messages(random, file.npus());
    const std::vector<std::int64_t> aware = play(file, all);
    file.congestion_aware = false;
    const std::vector<std::int64_t> unaware = play(file, all);
    // A nanosecond a hop may be cut.
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_GE(aware[i] + 3, unaware[i]) << "seed " << seed;
  }
}

TEST(AwareWires, RecordWhatEveryLinkCarried) {
  RandomStream random(3, 3);
  const NetworkFile file{.dimensions = {{.kind = DimensionKind::switched, .npus = 4, .gib_per_s = 10}},
                         .congestion_aware = true};
  sim::EventQueue events;
  const auto wires = make_wires(file, events);
  std::map<std::string, std::int64_t> up;
  std::int64_t sum = 0;
  for (const Sent& sent : draw_messages(random, 4)) {
    wires->send({.from = Rank{sent.from}, .to = Rank{sent.to}, .size = Bytes{sent.size}}, {});
    up["h" + std::to_string(sent.from)] += sent.size;
    sum += sent.size;
  }
  events.run();
  const network::NetworkRecord record = wires->record();
  EXPECT_EQ(record.delivered, Bytes{sum});
  std::int64_t carried = 0;
  for (const network::NetworkRecord::Link& link : record.links) {
    carried += link.total.carried.count();
    if (link.to == "switch") {
      EXPECT_EQ(link.total.carried, Bytes{up[link.from]}) << link.from;
    }
  }
  EXPECT_EQ(carried, 2 * sum) << "up to the switch and down";
}

}  // namespace
}  // namespace overture::astra2
