// What holds for every rotor network and every traffic: all bytes arrive once, nothing is faster than its
// links, the same seed gives the same run, and the two engines agree to the picosecond where both can run.
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/network/rotor/rotor_network.h"
#include "overture/network/rotor/run_flows.h"
#include "overture/network/rotor/testing.h"

namespace overture::network::rotor {
namespace {

using namespace literals;

topology::Opera make_opera(int tors, int ports, std::uint64_t seed) {
  return topology::generate_opera({.tors = tors, .ports = ports, .seed = seed, .draws = 1});
}

std::vector<FlowSpec> random_flows(int hosts, int count, std::int64_t most_bytes, std::uint64_t seed) {
  RandomStream random = RandomStreams(seed).make("flows");
  std::vector<FlowSpec> flows;
  for (int i = 0; i < count; ++i) {
    const auto host = [&] {
      return Rank{static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(hosts)))};
    };
    flows.push_back(
        {.from = host(),
         .to = host(),
         .size = Bytes{static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most_bytes)))},
         .start = Time{Duration{static_cast<std::int64_t>(random.below(200'000'000))}}});
  }
  return flows;
}

// All bulk, all low latency, or both.
std::vector<RotorConfig> configurations(std::uint64_t seed) {
  std::vector<RotorConfig> all;
  for (const std::int64_t bulk_from : {std::int64_t{0}, std::int64_t{100'000}, std::int64_t{1} << 40}) {
    RotorConfig config = rotornet();
    config.bulk_from = Bytes{bulk_from};
    config.seed = seed;
    all.push_back(config);
    config.low_latency.pad_packets = false;
    config.defects = {.intra_rack_out_and_back = true, .offers_not_reduced = true};
    all.push_back(config);
  }
  return all;
}

Bytes carried(const LinkLoad& load, int link) {
  Bytes sum;
  for (int bin = 0; bin < load.bins(); ++bin) sum += load.carried(bin, link);
  return sum;
}

TEST(RotorProperties, WatchedLinksChangeNothingAndAreNeverBusierThanAlways) {
  const topology::Opera opera = make_opera(8, 8, 2);
  const auto flows = random_flows(opera.hosts(), 120, 400'000, 2);
  for (const RotorConfig& config : configurations(2)) {
    const auto plain = run_flows(opera, config, flows);
    const auto watched = run_flows(opera, config, flows, {.watched_bins = 256});
    EXPECT_EQ(watched.digest, plain.digest);
    EXPECT_EQ(plain.load.bins(), 0);
    const LinkLoad& load = watched.load;
    ASSERT_EQ(load.links(), 2 * (opera.hosts() + opera.tors() * opera.uplinks()));
    ASSERT_GT(load.bins(), 2);
    for (int bin = 0; bin < load.bins(); ++bin) {
      for (int link = 0; link < load.links(); ++link) {
        // A packet counts where its last bit leaves.
        EXPECT_LE(transfer_time(load.carried(bin, link), config.rate),
                  load.bin() + transfer_time(config.packet, config.rate));
      }
    }
    const LinkNumbers number(opera);
    Bytes up;
    Bytes down;
    for (int host = 0; host < opera.hosts(); ++host) {
      up += carried(load, number.from_host(host));
      down += carried(load, number.to_host(host));
    }
    EXPECT_GT(down, watched.statistics.delivered);
    EXPECT_GE(up, down) << "what was cut or came too late";
  }
}

// The two engines agree on what every link carried in every slice, and on the longest queue before it but for
// a packet that leaves at the very moment at which another comes.
TEST(RotorProperties, BulkAloneLoadsTheLinksAsPacketsDo) {
  const topology::Opera opera = make_opera(8, 8, 2);
  const auto flows = random_flows(opera.hosts(), 120, 400'000, 2);
  const RotorConfig config = rotornet();
  const auto bulk = run_flows(opera, config, flows, {.watched_bins = 64}).load;
  const auto packets = run_flows(opera, config, flows, {.watched_bins = 64, .packet_by_packet = true}).load;
  ASSERT_EQ(bulk.bins(), packets.bins());
  ASSERT_EQ(bulk.bin(), packets.bin());
  Bytes longest;
  for (int bin = 0; bin < bulk.bins(); ++bin) {
    for (int link = 0; link < bulk.links(); ++link) {
      ASSERT_EQ(bulk.carried(bin, link), packets.carried(bin, link)) << "bin " << bin << ", link " << link;
      const Bytes queue = bulk.longest_queue(bin, link);
      ASSERT_LE(queue, packets.longest_queue(bin, link)) << "bin " << bin << ", link " << link;
      ASSERT_LE(packets.longest_queue(bin, link), queue + config.packet)
          << "bin " << bin << ", link " << link;
      if (link >= opera.hosts()) longest = std::max(longest, queue);
    }
  }
  EXPECT_GT(longest, config.packet) << "somewhere in the network packets waited";
}

TEST(LinkLoad, JoinsBinsWhenThereAreTooMany) {
  LinkLoad load(2, 1us, 4);
  load.carry(0, 500'000, 10);    // in the first microsecond
  load.carry(1, 3'500'000, 20);  // in the fourth
  load.queue(1, 2'500'000, 7);
  load.queue(1, 3'500'000, 5);
  EXPECT_EQ(load.bins(), 4);
  load.carry(0, 4'000'000, 30);  // in the fifth: bins of 2 us now
  EXPECT_EQ(load.bin(), Duration{2us});
  EXPECT_EQ(load.bins(), 3);
  EXPECT_EQ(load.carried(0, 0), 10_B);
  EXPECT_EQ(load.carried(1, 1), 20_B);
  EXPECT_EQ(load.longest_queue(1, 1), 7_B);
  EXPECT_EQ(load.carried(2, 0), 30_B);
}

TEST(RotorProperties, EveryByteArrivesOnceAndNothingBeatsTheWire) {
  for (const auto& [tors, ports, seed] : {std::tuple{4, 8, 1}, {8, 8, 2}, {12, 8, 3}, {9, 6, 4}}) {
    const topology::Opera opera = make_opera(tors, ports, static_cast<std::uint64_t>(seed));
    const auto flows = random_flows(opera.hosts(), 120, 400'000, static_cast<std::uint64_t>(seed));
    for (const RotorConfig& config : configurations(static_cast<std::uint64_t>(seed))) {
      const auto result = run_flows(opera, config, flows);
      ASSERT_EQ(result.finished, flows.size()) << tors << " ToRs, bulk from " << config.bulk_from.count();
      Bytes sent;
      std::vector<std::int64_t> to_host(static_cast<std::size_t>(opera.hosts()));
      for (std::size_t i = 0; i < flows.size(); ++i) {
        if (flows[i].from == flows[i].to) continue;
        const Bytes size = std::max(flows[i].size, Bytes{1});
        sent += size;
        to_host[static_cast<std::size_t>(index(flows[i].to))] += size.count();
        const bool same_rack = opera.tor_of(index(flows[i].from)) == opera.tor_of(index(flows[i].to));
        const Duration wire = same_rack ? Duration::zero() : config.wire;
        EXPECT_GT(result.completion[i].value(), transfer_time(size, config.rate) + wire);
      }
      EXPECT_EQ(result.statistics.delivered, sent);
      for (const std::int64_t bytes : to_host) {
        EXPECT_GE(result.makespan, transfer_time(Bytes{bytes}, config.rate));
      }
    }
  }
}

// Every packet of bulk is delivered once, and hops at most twice.
TEST(RotorProperties, RotorLbConservesPackets) {
  const topology::Opera opera = make_opera(12, 8, 5);
  const auto flows = random_flows(opera.hosts(), 300, 500'000, 5);
  std::uint64_t packets = 0;
  for (const FlowSpec& flow : flows) {
    if (flow.from != flow.to)
      packets += static_cast<std::uint64_t>(std::max<std::int64_t>((flow.size.count() + 1435) / 1436, 1));
  }
  for (const bool defective : {false, true}) {
    RotorConfig config = rotornet();
    if (defective) config.defects = OperaDefects::original();
    const RotorStatistics statistics = run_flows(opera, config, flows).statistics;
    EXPECT_EQ(statistics.bulk_delivered, packets);
    EXPECT_LE(statistics.bulk_relayed, packets);
    EXPECT_GT(statistics.bulk_relayed, 0);
    EXPECT_EQ(statistics.bulk_in_rack > 0, !defective);
  }
}

TEST(RotorProperties, TheEnginesAgreeOnBulk) {
  for (const auto& [tors, ports, seed] :
       {std::tuple{4, 8, 1}, {8, 8, 2}, {12, 8, 3}, {9, 6, 4}, {32, 8, 5}}) {
    const topology::Opera opera = make_opera(tors, ports, static_cast<std::uint64_t>(seed));
    auto flows = random_flows(opera.hosts(), 200, 600'000, static_cast<std::uint64_t>(seed));
    flows.push_back({.from = Rank{1}, .to = Rank{0}, .size = Bytes{3'000'000}});
    for (RotorConfig config : {rotornet(), dlrm_study_rotor()}) {
      config.seed = static_cast<std::uint64_t>(seed);
      const auto slices = run_flows(opera, config, flows);
      const auto packets = run_flows(opera, config, flows, {.packet_by_packet = true});
      EXPECT_EQ(slices.completion, packets.completion) << tors;
      EXPECT_EQ(slices.statistics.bulk_returned, packets.statistics.bulk_returned);
      EXPECT_EQ(slices.statistics.bulk_relayed, packets.statistics.bulk_relayed);
    }
  }
}

// The last packets of a full slot land in the dark and return.
TEST(RotorProperties, TheEnginesAgreeOnReturnedPackets) {
  const topology::Opera opera = make_opera(4, 8, 1);
  const auto flows = all_to_all(16, Bytes{400'000}, Time{1us});
  const auto slices = run_flows(opera, dlrm_study_rotor(), flows);
  const auto packets = run_flows(opera, dlrm_study_rotor(), flows, {.packet_by_packet = true});
  EXPECT_GT(slices.statistics.bulk_returned, 0);
  EXPECT_EQ(slices.statistics.bulk_returned, packets.statistics.bulk_returned);
  EXPECT_EQ(slices.completion, packets.completion);
}

// Six hosts share the circuits of four uplinks: nobody is promised more than a circuit carries.
TEST(RotorProperties, MoreHostsThanUplinksShareTheCircuits) {
  const topology::Opera even = make_opera(4, 8, 1);
  std::vector<std::vector<topology::Matching>> rotors(4);
  for (int rotor = 0; rotor < 4; ++rotor) {
    auto& matching = rotors[static_cast<std::size_t>(rotor)].emplace_back();
    for (int tor = 0; tor < 4; ++tor) matching.push_back(even.peer(0, tor, rotor));
  }
  const topology::Opera opera(6, rotors, even.timing());
  const auto flows = all_to_all(opera.hosts(), Bytes{300'000}, {});
  const auto slices = run_flows(opera, rotornet(), flows);
  EXPECT_EQ(slices.finished, flows.size());
  EXPECT_LT(slices.statistics.bulk_returned, slices.statistics.bulk_delivered / 100);
  EXPECT_EQ(slices.completion, run_flows(opera, rotornet(), flows, {.packet_by_packet = true}).completion);
}

// A slot of a few packets, fewer than hosts in a rack: still everything arrives.
TEST(RotorProperties, ShortSlotsStillDeliver) {
  const topology::Opera opera =
      topology::generate_opera({.tors = 8, .ports = 8, .draws = 1, .rate = 5_Gbps, .slice = 15us});
  RotorConfig config = rotornet();
  config.rate = 5_Gbps;
  ASSERT_LT(packets_per_slot(opera, config), 8);
  const auto flows = random_flows(opera.hosts(), 40, 30'000, 3);
  for (const bool packet_by_packet : {false, true}) {
    EXPECT_EQ(run_flows(opera, config, flows, {.packet_by_packet = packet_by_packet}).finished, flows.size());
  }
}

TEST(RotorProperties, TheSameSeedGivesTheSameRun) {
  const topology::Opera opera = make_opera(8, 8, 1);
  const auto flows = random_flows(opera.hosts(), 150, 400'000, 7);
  for (const RotorConfig& config : configurations(3)) {
    const auto one = run_flows(opera, config, flows);
    const auto two = run_flows(opera, config, flows);
    EXPECT_EQ(one.digest, two.digest);
    EXPECT_EQ(one.completion, two.completion);
    EXPECT_NE(one.digest, 0);
  }
  RotorConfig other = rotornet();
  other.seed = 4;
  EXPECT_NE(run_flows(opera, rotornet(), flows).digest, run_flows(opera, other, flows).digest);
}

// Section 1.7: at 10 Gb/s a permutation of 2 MB meets the dark, and senders without a timer hang.
TEST(RotorProperties, LostPullsAreRecoveredUnlessTheDefectIsWanted) {
  const topology::Opera opera = topology::generate_opera({.tors = 4, .ports = 8, .rate = 10_Gbps});
  RotorConfig config;
  config.rate = 10_Gbps;
  config.low_latency.initial_window = 20;
  std::vector<FlowSpec> flows;
  for (int host = 0; host < 16; ++host) {
    flows.push_back({.from = Rank{host}, .to = Rank{(host + 5) % 16}, .size = Bytes{2'000'000}});
  }
  const auto right = run_flows(opera, config, flows);
  EXPECT_EQ(right.finished, flows.size());
  EXPECT_GT(right.statistics.lost, 0);
  config.defects.lost_pulls_stay_lost = true;
  EXPECT_LT(run_flows(opera, config, flows, {.limits = {.until = Time{1s}}}).finished, flows.size());
}

// Eight senders to one host: queues trim, the receiver paces, and its link is nearly full.
TEST(RotorProperties, AnIncastOfLowLatencyMessagesFillsTheReceiversLink) {
  const topology::Opera opera = make_opera(8, 8, 1);
  RotorConfig config;
  std::vector<FlowSpec> flows;
  for (int i = 0; i < 8; ++i)
    flows.push_back({.from = Rank{4 + 3 * i}, .to = Rank{0}, .size = Bytes{200'000}});
  const auto result = run_flows(opera, config, flows);
  ASSERT_EQ(result.finished, flows.size());
  EXPECT_GT(result.statistics.trims, 0);
  const double line_us = to_us(transfer_time(Bytes{8 * 140 * 1500}, config.rate));
  EXPECT_LT(to_us(result.makespan), 1.5 * line_us);
}

// Low-latency messages pass bulk by: they hardly notice it.
TEST(RotorProperties, LowLatencyGoesBeforeBulk) {
  const topology::Opera opera = make_opera(8, 8, 1);
  RotorConfig config;
  config.bulk_from = Bytes{1'000'000};
  std::vector<FlowSpec> small;
  for (int i = 0; i < 10; ++i) {
    small.push_back({.from = Rank{i}, .to = Rank{31 - i}, .size = Bytes{20'000}, .start = Time{i * 20us}});
  }
  const auto alone = run_flows(opera, config, small);
  auto both = small;
  for (const FlowSpec& flow : all_to_all(32, Bytes{1'000'000}, {})) both.push_back(flow);
  const auto shared = run_flows(opera, config, both);
  ASSERT_EQ(shared.finished, both.size());
  for (std::size_t i = 0; i < small.size(); ++i) {
    // A full packet may be on each of the links in front: the NIC, up to five ToRs, and the ACKs do not
    // count.
    EXPECT_LT(shared.completion[i].value(), alone.completion[i].value() + 2us) << i;
  }
}

TEST(RotorNetwork, DeliversAsRunFlowsDoes) {
  const topology::Opera opera = make_opera(4, 8, 1);
  for (const RotorConfig& config : configurations(1)) {
    const auto flows = random_flows(opera.hosts(), 60, 400'000, 11);
    const auto expected = run_flows(opera, config, flows);
    sim::EventQueue events;
    RotorNetwork network(opera, config, events);
    struct Sends {
      sim::EventQueue& events;
      RotorNetwork& network;
      const std::vector<FlowSpec>& flows;
      std::vector<Time> done;

      void send(std::size_t i) {
        const auto& [from, to, size, start] = flows[i];
        network.send({.from = from, .to = to, .size = size}, [this, i] { done[i] = events.now(); });
      }
    } sends{.events = events, .network = network, .flows = flows, .done = std::vector<Time>(flows.size())};
    for (std::size_t i = 0; i < flows.size(); ++i) {
      events.at(flows[i].start, [&sends, i] { sends.send(i); });
    }
    events.run();
    for (std::size_t i = 0; i < flows.size(); ++i) {
      EXPECT_EQ(sends.done[i] - flows[i].start, expected.completion[i].value()) << i;
    }
  }
}

TEST(RotorNetwork, RefusesWhatCannotWork) {
  const topology::Opera opera = make_opera(4, 8, 1);
  EXPECT_THROW(run_flows(opera, rotornet(), {{Rank{0}, Rank{16}, 1_KiB, {}}}), UserError);
  EXPECT_THROW(run_flows(opera, rotornet(), {{Rank{0}, Rank{1}, Bytes{-1}, {}}}), UserError);
  EXPECT_THROW(run_flows(opera, rotornet(), {{Rank{0}, Rank{1}, 1_KiB, Time{-1_ps}}}), UserError);
  RotorConfig slow = rotornet();
  slow.rate = 1_Mbps;  // a packet takes longer than a slot
  EXPECT_THROW(run_flows(opera, slow, {}), UserError);
  RotorConfig tiny = rotornet();
  tiny.packet = Bytes{64};
  EXPECT_THROW(run_flows(opera, tiny, {}), UserError);
}

TEST(RotorNetwork, RefusesWhatItCannotCountAndSaysHowMuchItCan) {
  const topology::Opera opera = make_opera(4, 8, 1);
  RotorConfig low = rotornet();
  low.bulk_from = Bytes{std::numeric_limits<std::int64_t>::max()};
  for (const RotorConfig& config : {rotornet(), low}) {
    for (const bool by_packet : {false, true}) {
      if (config.bulk_from > 0_KiB && !by_packet) continue;
      try {
        run_flows(opera, config, {{Rank{0}, Rank{9}, Bytes{std::int64_t{7} << 40}, {}}},
                  {.packet_by_packet = by_packet});
        ADD_FAILURE() << "7 TiB are sent";
      } catch (const UserError& error) {
        EXPECT_NE(std::string(error.what()).find("send at most 2.805 TiB"), std::string::npos)
            << error.what();
      }
    }
  }
}

// Two rotors, of which one is dark at times: what is left connects no slice. Circuits do not need that.
TEST(Rotor, BulkNeedsNoPathsBetweenAllTors) {
  EXPECT_THROW(topology::generate_opera({.tors = 8, .ports = 4}), UserError);
  const topology::Opera opera = topology::generate_opera({.tors = 8, .ports = 4, .connected = false});
  const auto flows = random_flows(opera.hosts(), 60, 400'000, 5);
  for (const bool by_packet : {false, true}) {
    const RotorRun result = run_flows(opera, rotornet(), flows, {.packet_by_packet = by_packet});
    EXPECT_EQ(result.finished, flows.size());
  }
  RotorConfig mixed = rotornet();
  mixed.bulk_from = 1_MiB;
  EXPECT_THROW(run_flows(opera, mixed, flows), UserError);
}

}  // namespace
}  // namespace overture::network::rotor
