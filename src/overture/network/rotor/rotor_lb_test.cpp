// RotorLB's plans: what hosts may send and receive in a slot, who relays for whom, and that no packet is lost
// or sent twice on the way.
#include "overture/network/rotor/rotor_lb.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "overture/base/testing.h"
#include "overture/network/rotor/commit.h"

namespace overture::network::rotor {
namespace {

using namespace literals;

topology::Opera eight_racks(std::uint64_t seed = 1) {
  return topology::generate_opera({.tors = 8, .ports = 8, .seed = seed, .draws = 1});
}

// Schedulers, queues and the player of slots, without any clock.
struct Bench {
  topology::Opera opera;
  RotorConfig config;
  BulkQueues queues{opera.hosts()};
  RotorLb lb{opera, config, queues};
  int most = packets_per_slot(opera, config);

  explicit Bench(const RotorConfig& with = rotornet(), std::uint64_t seed = 1)
      : opera(eight_racks(seed)), config(with) {}

  // The rack that faces `tor` through the rotor which comes up as `slice` begins.
  int facing(int slice, int tor) const { return opera.peer(slice, tor, opera.fresh_rotor(slice)); }
  // A slice in which two racks face each other.
  int slice_between(int a, int b) const {
    for (int slice = 0; slice < opera.slices(); ++slice) {
      if (facing(slice, a) == b) return slice;
    }
    return -1;
  }
  int host(int tor, int number) const { return tor * opera.hosts_per_tor() + number; }
  std::vector<int> waiting() {
    std::vector<int> all;
    for (int from = 0; from < opera.hosts(); ++from) {
      for (const Waiting kind : {Waiting::own, Waiting::relayed}) {
        const auto counts = queues.counts(kind, from);
        all.insert(all.end(), counts.begin(), counts.end());
      }
    }
    return all;
  }
};

TEST(RotorLb, AHostSendsStraightToTheRackThatItFaces) {
  Bench bench;
  const int slice = bench.slice_between(0, 5);
  ASSERT_GE(slice, 0);
  bench.queues.add(bench.host(0, 1), bench.host(5, 2), 3);
  bench.lb.plan(slice);
  const auto plan = bench.lb.of(bench.host(0, 1));
  ASSERT_EQ(plan.size(), 1U);
  EXPECT_EQ(plan[0].kind, Waiting::own);
  EXPECT_EQ(plan[0].to, bench.host(5, 2));
  EXPECT_EQ(plan[0].via, bench.host(5, 2));
  EXPECT_EQ(plan[0].packets, 3);
}

TEST(RotorLb, NoMoreThanASlotHolds) {
  Bench bench;
  bench.queues.add(bench.host(0, 0), bench.host(5, 0), 100 * bench.most);
  bench.lb.plan(bench.slice_between(0, 5));
  const auto plan = bench.lb.of(bench.host(0, 0));
  ASSERT_EQ(plan.size(), 1U) << "nothing is left to be relayed";
  EXPECT_EQ(plan[0].packets, bench.most);
}

TEST(RotorLb, AReceiverIsSharedByAllOfTheFacingRack) {
  Bench bench;
  for (int i = 0; i < 4; ++i) bench.queues.add(bench.host(0, i), bench.host(5, 0), 100 * bench.most);
  bench.lb.plan(bench.slice_between(0, 5));
  int sum = 0;
  for (int i = 0; i < 4; ++i) {
    const auto plan = bench.lb.of(bench.host(0, i));
    ASSERT_EQ(plan.size(), 1U);
    EXPECT_NEAR(plan[0].packets, bench.most / 4, 4);
    sum += plan[0].packets;
  }
  EXPECT_EQ(sum, bench.most);
}

TEST(RotorLb, WhatCannotGoStraightIsRelayedByAllHostsOfTheFacingRack) {
  Bench bench;
  const int slice = bench.slice_between(0, 5);
  bench.queues.add(bench.host(0, 0), bench.host(6, 0), 100 * bench.most);
  bench.lb.plan(slice);
  std::set<int> relays;
  int sum = 0;
  for (const Allocation& a : bench.lb.of(bench.host(0, 0))) {
    EXPECT_EQ(bench.opera.tor_of(a.via), 5);
    EXPECT_EQ(a.to, bench.host(6, 0));
    relays.insert(a.via);
    sum += a.packets;
  }
  EXPECT_EQ(relays.size(), 4U);
  EXPECT_LE(sum, bench.most);
  EXPECT_GE(sum, bench.most - 4);
}

TEST(RotorLb, WhatIsParkedAtARelayGoesBeforeItsOwn) {
  Bench bench;
  const int relay = bench.host(0, 0);
  const int to = bench.host(5, 0);
  const std::uint32_t others = bench.queues.add(bench.host(2, 0), to, 5);
  for (int i = 0; i < 5; ++i) bench.queues.pop(Waiting::own, bench.host(2, 0), to);
  bench.queues.push_back(Waiting::relayed, relay, to, others, 5);
  bench.queues.add(relay, to, 100 * bench.most);
  bench.lb.plan(bench.slice_between(0, 5));
  const auto plan = bench.lb.of(relay);
  ASSERT_EQ(plan.size(), 2U);
  EXPECT_EQ(plan[0].kind, Waiting::relayed);
  EXPECT_EQ(plan[0].packets, 5);
  EXPECT_EQ(plan[1].kind, Waiting::own);
  EXPECT_EQ(plan[1].packets, bench.most - 5);
}

TEST(RotorLb, TrafficInsideARackNeedsNoCircuit) {
  for (const bool original : {false, true}) {
    RotorConfig config = rotornet();
    config.defects.intra_rack_out_and_back = original;
    Bench bench(config);
    bench.queues.add(bench.host(0, 0), bench.host(0, 3), 7);
    bench.lb.plan(bench.slice_between(0, 5));
    const auto plan = bench.lb.of(bench.host(0, 0));
    ASSERT_FALSE(plan.empty());
    for (const Allocation& a : plan) {
      EXPECT_EQ(bench.opera.tor_of(a.via), original ? 5 : 0) << "in the original it goes out and back";
    }
  }
}

TEST(RotorLb, WithNothingWaitingThereIsNothingToDo) {
  Bench bench;
  bench.lb.plan(0);
  for (int host = 0; host < bench.opera.hosts(); ++host) EXPECT_TRUE(bench.lb.of(host).empty());
}

void fill(Bench& bench, RandomStream& random) {
  const auto hosts = static_cast<std::uint64_t>(bench.opera.hosts());
  const std::uint64_t messages = 1 + random.below(400);
  for (std::uint64_t i = 0; i < messages; ++i) {
    const int from = static_cast<int>(random.below(hosts));
    const int to = static_cast<int>(random.below(hosts));
    if (from == to) continue;
    const auto most = static_cast<std::uint64_t>(random.below(4) == 0 ? 5 * bench.most : 4);
    bench.queues.add(from, to, static_cast<std::int64_t>(1 + random.below(most)));
  }
}

// Plays slots one after the other: everything that is committed arrives before the next slot.
struct Player {
  Bench& bench;
  Committer committer{bench.opera.slot(),
                      transfer_time(bench.config.packet, bench.config.rate) * bench.opera.uplinks(),
                      turns_per_slot(bench.opera, bench.config), bench.queues};
  std::map<std::uint32_t, std::int64_t> delivered{};  // packets by message
  std::int64_t relayed = 0;

  void slot(int slice) {
    bench.lb.plan(slice);
    std::vector<std::pair<int, Committed>> arrivals;
    for (int host = 0; host < bench.opera.hosts(); ++host) {
      std::vector<Committed> out;
      committer.commit(host, bench.lb.of(host), out);
      int last = -1;
      for (const Committed& packet : out) {
        EXPECT_GT(packet.turn, last) << "one packet a turn";
        last = packet.turn;
        arrivals.emplace_back(host, packet);
      }
    }
    for (const auto& [from, packet] : arrivals) {
      const int to = bench.queues.message(packet.message).to;
      EXPECT_EQ(packet.relayed, packet.via != to);
      if (packet.relayed) {
        ++relayed;
        bench.queues.push_back(Waiting::relayed, packet.via, to, packet.message, 1);
      } else {
        ++delivered[packet.message];
      }
    }
  }
};

TEST(RotorLbProperties, NobodySendsOrReceivesMoreThanASlotHoldsNorWhatItDoesNotHave) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomStream random(seed, 0);
    Bench bench(rotornet(), seed);
    fill(bench, random);
    Player player{bench};
    for (int slice = 0; slice < bench.opera.slices(); ++slice) {
      const std::vector<int> before = bench.waiting();
      bench.lb.plan(slice);
      ASSERT_EQ(bench.waiting(), before) << "a plan moves nothing";
      std::map<int, int> sends;
      std::map<int, int> receives;
      for (int host = 0; host < bench.opera.hosts(); ++host) {
        std::map<std::pair<Waiting, int>, int> taken;
        for (const Allocation& a : bench.lb.of(host)) {
          ASSERT_GT(a.packets, 0);
          sends[host] += a.packets;
          receives[a.via] += a.packets;
          taken[{a.kind, a.to}] += a.packets;
          const int rack = bench.opera.tor_of(host);
          const int next = bench.opera.tor_of(a.via);
          if (next != rack) {
            ASSERT_EQ(next, bench.facing(slice, rack)) << "there is no circuit";
          } else {
            ASSERT_EQ(a.via, a.to) << "inside a rack nobody relays";
          }
          if (a.via != a.to) {
            ASSERT_EQ(a.kind, Waiting::own) << "no packet is relayed twice";
            ASSERT_NE(bench.opera.tor_of(a.to), next) << "it would go straight";
            ASSERT_NE(bench.opera.tor_of(a.to), rack);
          }
        }
        for (const auto& [queue, packets] : taken)
          ASSERT_LE(packets, bench.queues.counts(queue.first, host)[static_cast<std::size_t>(queue.second)]);
      }
      for (const auto& [host, packets] : sends) ASSERT_LE(packets, bench.most);
      for (const auto& [host, packets] : receives) ASSERT_LE(packets, bench.most);
      player.slot(slice);
    }
  }
}

TEST(RotorLbProperties, EveryPacketIsDeliveredOnce) {
  for (const bool original : {false, true}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      RandomStream random(seed, 1);
      RotorConfig config = rotornet();
      if (original) config.defects = {.intra_rack_out_and_back = true, .offers_not_reduced = true};
      Bench bench(config, seed);
      fill(bench, random);
      std::int64_t all = 0;
      for (int host = 0; host < bench.opera.hosts(); ++host) all += bench.queues.waiting(host);
      Player player{bench};
      std::int64_t arrived = 0;
      for (int slice = 0; arrived < all && slice < 4'000; ++slice) {
        player.slot(slice % bench.opera.slices());
        arrived = 0;
        for (const auto& [message, packets] : player.delivered) arrived += packets;
        std::int64_t left = 0;
        for (int host = 0; host < bench.opera.hosts(); ++host) left += bench.queues.waiting(host);
        ASSERT_EQ(arrived + left, all) << "in slice " << slice;
      }
      EXPECT_EQ(arrived, all);
      for (const auto& [message, packets] : player.delivered)
        EXPECT_EQ(packets, bench.queues.message(message).packets_left) << "as many as it has";
    }
  }
}

// A single pair of racks uses, with relays, the circuits of all rotors; without, one of eight.
TEST(RotorLbProperties, OnePairOfHostsUsesRelays) {
  Bench bench;
  bench.queues.add(0, bench.host(5, 0), 20 * bench.most);
  Player player{bench};
  for (int slice = 0; slice < 3 * bench.opera.slices(); ++slice) player.slot(slice % bench.opera.slices());
  EXPECT_GT(player.relayed, 10 * bench.most);
}

TEST(RotorLbProperties, TheSameSeedPlansTheSame) {
  const auto plans = [](std::uint64_t seed) {
    RotorConfig config = rotornet();
    config.seed = seed;
    Bench bench(config);
    RandomStream random(3, 0);
    fill(bench, random);
    std::vector<int> all;
    for (int slice = 0; slice < 8; ++slice) {
      bench.lb.plan(slice);
      for (int host = 0; host < bench.opera.hosts(); ++host) {
        for (const Allocation& a : bench.lb.of(host)) all.insert(all.end(), {host, a.to, a.via, a.packets});
      }
    }
    return all;
  };
  EXPECT_EQ(plans(1), plans(1));
  EXPECT_NE(plans(1), plans(2)) << "remainders are dealt out at random";
}

// ---- commits

TEST(CommitterProperties, QueuesLoseWhatIsCommittedAndKeepTheirOrder) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomStream random(seed, 2);
    constexpr int kHosts = 6;
    BulkQueues queues(kHosts);
    for (int i = 0; i < 20; ++i)
      queues.add(0, 1 + static_cast<int>(random.below(kHosts - 1)),
                 static_cast<std::int64_t>(1 + random.below(5)));
    std::vector<Allocation> allocations;
    for (int to = 1; to < kHosts; ++to) {
      if (random.below(3) == 0) continue;
      const int packets = 1 + static_cast<int>(random.below(9));
      const bool straight = random.below(2) == 0;
      allocations.push_back({.to = to, .via = straight ? to : 1 + to % (kHosts - 1), .packets = packets});
    }
    const int turns = 1 + static_cast<int>(random.below(40));
    const std::vector<int> before(queues.counts(Waiting::own, 0).begin(),
                                  queues.counts(Waiting::own, 0).end());
    Committer committer(Duration{100 * turns}, Duration{100}, turns, queues);
    std::vector<Committed> out;
    committer.commit(0, allocations, out);
    std::map<int, int> committed;
    std::map<int, std::uint32_t> newest;
    for (const Committed& packet : out) {
      const int to = queues.message(packet.message).to;
      ++committed[to];
      EXPECT_GE(packet.message, newest[to]) << "messages of a pair leave in order";
      newest[to] = packet.message;
      EXPECT_LT(packet.turn, turns);
    }
    for (int to = 1; to < kHosts; ++to)
      EXPECT_EQ(queues.counts(Waiting::own, 0)[static_cast<std::size_t>(to)] + committed[to],
                before[static_cast<std::size_t>(to)]);
    EXPECT_LE(static_cast<int>(out.size()), turns);
  }
}

// ---- numbers of a slot

// Two rotors, slices of 100 us of which 10 drain and 10 are dark: a slot of 180 us.
topology::Opera two_rotors(int hosts_per_tor) {
  const auto all = topology::circle_matchings(4);
  return {hosts_per_tor, {{all[0], all[1]}, {all[2], all[3]}}, {.stable = 80us, .drain = 10us, .dark = 10us}};
}

TEST(RotorConfig, ASlotHasATurnPerPacketAndRotor) {
  RotorConfig config;
  config.rate = 12_Gbps;  // 1,500 bytes take a microsecond
  EXPECT_EQ(turns_per_slot(two_rotors(2), config), 90);
  EXPECT_EQ(packets_per_slot(two_rotors(2), config), 90);
  EXPECT_EQ(packets_per_slot(two_rotors(1), config), 90) << "two rotors share the NIC";
  EXPECT_EQ(packets_per_slot(two_rotors(4), config), 45) << "four hosts share the circuit";
}

TEST(RotorConfig, WhatCannotWorkIsRefusedByName) {
  const auto error = [](auto change) {
    RotorConfig config;
    change(config);
    return user_error([&] { require_sound(config, two_rotors(2)); });
  };
  EXPECT_EQ(error([](RotorConfig&) {}), "");
  EXPECT_NE(error([](RotorConfig& c) { c.rate = {}; }).find("need a rate"), std::string::npos);
  EXPECT_NE(error([](RotorConfig& c) { c.wire = Duration{-1}; }).find("cannot be negative"),
            std::string::npos);
  EXPECT_NE(error([](RotorConfig& c) { c.packet = 64_B; }).find("longer than its header"), std::string::npos);
  EXPECT_NE(error([](RotorConfig& c) { c.packet = 65'536_B; }).find("at most 65535"), std::string::npos);
  EXPECT_NE(error([](RotorConfig& c) { c.bulk_from = Bytes{-1}; }).find("messages are bulk"),
            std::string::npos);
  EXPECT_NE(error([](RotorConfig& c) { c.low_latency.control = 2'000_B; }).find("a control packet"),
            std::string::npos);
  EXPECT_NE(error([](RotorConfig& c) { c.low_latency.pull_rate = 0; }).find("a pull rate"),
            std::string::npos);
  EXPECT_NE(error([](RotorConfig& c) { c.low_latency.initial_window = 0; }).find("a window"),
            std::string::npos);
  EXPECT_NE(error([](RotorConfig& c) { c.rate = 1_Mbps; }).find("make the slice longer or the links faster"),
            std::string::npos);
}

TEST(RotorConfig, TheStudyHasAllDefectsAndRotorNetNone) {
  EXPECT_TRUE(dlrm_study_rotor().defects.offers_not_reduced);
  EXPECT_TRUE(dlrm_study_rotor().defects.lost_pulls_stay_lost);
  EXPECT_EQ(dlrm_study_rotor().bulk_from, 0_B);
  EXPECT_FALSE(rotornet().defects.offers_not_reduced);
  EXPECT_EQ(rotornet().bulk_from, 0_B);
}

}  // namespace
}  // namespace overture::network::rotor
