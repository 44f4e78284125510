// Flows on rotors in numbers that can be checked by hand: low-latency packets hop by hop, bulk slot by slot.
// At 100 Gbps a packet of 1,500 bytes takes 120 ns; a wire is 500 ns.
#include <algorithm>

#include <gtest/gtest.h>

#include "overture/base/testing.h"
#include "overture/network/rotor/run_flows.h"
#include "overture/network/rotor/testing.h"
#include "overture/topology/opera_paths.h"

namespace overture::network::rotor {
namespace {

using namespace literals;

topology::Opera eight_racks() { return topology::generate_opera({.tors = 8, .ports = 8, .draws = 2}); }

RotorConfig all_low_latency() {
  RotorConfig config;
  config.bulk_from = Bytes{std::int64_t{1} << 40};
  return config;
}

// Into the ToR, over so many circuits, and out of the last ToR.
Duration hop_by_hop(int hops) { return 120ns + hops * (120ns + 500ns) + 120ns; }

TEST(LowLatencyFlow, APacketTakesTheShortestPathOfItsSlice) {
  const topology::Opera opera = eight_racks();
  const RotorConfig config = all_low_latency();
  for (int slice = 0; slice < opera.slices(); ++slice) {
    const topology::SliceDistances hops(opera, slice);
    const Time start{opera.timing().slice() * slice};
    for (int to = 1; to < opera.tors(); ++to) {
      const RotorRun run = run_flows(
          opera, config, {{.from = Rank{0}, .to = Rank{to * 4 + 1}, .size = Bytes{1'436}, .start = start}});
      EXPECT_EQ(run.completion[0], hop_by_hop(hops(0, to))) << "slice " << slice << " to rack " << to;
      EXPECT_EQ(run.statistics.low_hops, static_cast<std::uint64_t>(hops(0, to)));
    }
  }
}

TEST(LowLatencyFlow, InsideARackThereIsNoCircuit) {
  const RotorRun run =
      run_flows(eight_racks(), all_low_latency(), {{.from = Rank{0}, .to = Rank{3}, .size = Bytes{1'436}}});
  EXPECT_EQ(run.completion[0], hop_by_hop(0));
  EXPECT_EQ(run.statistics.low_hops, 0U);
}

TEST(LowLatencyFlow, PacketsOfAMessageFollowEachOther) {
  const RotorConfig config = all_low_latency();
  const auto time = [&](int packets) {
    return *run_flows(eight_racks(), config,
                      {{.from = Rank{0}, .to = Rank{3}, .size = Bytes{1'436 * packets}}})
                .completion[0];
  };
  for (const int packets : {2, 5, 30}) EXPECT_EQ(time(packets) - time(1), (packets - 1) * Duration{120ns});
}

TEST(LowLatencyFlow, TheLastAckIsBackAsManyHopsLater) {
  RotorConfig config = all_low_latency();
  const std::vector<FlowSpec> flow{{.from = Rank{0}, .to = Rank{3}, .size = 1_B}};
  const Duration delivered = *run_flows(eight_racks(), config, flow).completion[0];
  config.low_latency.end = LowLatencyEnd::last_ack;
  // 64 bytes into the ToR and out of it: 5.12 ns each.
  EXPECT_EQ(*run_flows(eight_racks(), config, flow).completion[0] - delivered,
            2 * transfer_time(64_B, 100_Gbps));
}

// Seven packets from each of two racks as far away: with every pair of them that comes one leaves, so that
// the last finds seven before it, and eight fit.
TEST(LowLatencyFlow, APacketThatLandsAsAnotherLeavesFindsItsRoom) {
  const topology::Opera opera = eight_racks();
  const topology::SliceDistances hops(opera, 0);
  int pairs = 0;
  for (int a = 1; a < opera.tors(); ++a) {
    for (int b = a + 1; b < opera.tors(); ++b) {
      if (hops(a, 0) != hops(b, 0)) continue;
      const RotorRun run = run_flows(opera, all_low_latency(),
                                     {{.from = Rank{a * 4}, .to = Rank{0}, .size = Bytes{7 * 1'436}},
                                      {.from = Rank{b * 4}, .to = Rank{0}, .size = Bytes{7 * 1'436}}});
      EXPECT_EQ(run.statistics.trims, 0) << a << " and " << b;
      ++pairs;
    }
  }
  EXPECT_GT(pairs, 3);
}

// Sixteen hosts send to each other at once: the queues of headers and answers overflow.
TEST(LowLatencyFlow, InTheOriginalAnswersWithoutRoomTurnRoundAndCount) {
  const topology::Opera opera = eight_racks();
  RotorConfig config = all_low_latency();
  config.defects = OperaDefects::original();
  const auto flows = all_to_all(16, Bytes{60'000}, Time{1us});
  const auto unfinished = [](const RotorRun& run) {
    return std::ranges::count_if(run.completion, [](const auto& end) { return !end.has_value(); });
  };
  const RotorRun turned = run_flows(opera, config, flows);
  config.defects.answers_turn_round = false;
  const RotorRun dropped = run_flows(opera, config, flows);
  EXPECT_GT(dropped.statistics.overflows, 0);
  EXPECT_GT(unfinished(dropped), unfinished(turned)) << "a lost NACK is never made up for";
}

TEST(BulkFlow, LeavesWithTheFirstCircuitAndArrivesInItsSlot) {
  const topology::Opera opera = eight_racks();
  for (int to = 1; to < opera.tors(); ++to) {
    const RotorRun run = run_flows(opera, rotornet(), {{.from = Rank{0}, .to = Rank{to * 4}, .size = 1_B}});
    EXPECT_GE(*run.completion[0], hop_by_hop(1));
    EXPECT_LE(*run.completion[0], 2 * opera.cycle());
    EXPECT_EQ(run.statistics.bulk_delivered, 1U);
    EXPECT_LE(run.statistics.bulk_relayed, 1U) << "at most two circuits";
  }
}

TEST(BulkFlow, EveryPacketIsDeliveredOnceAndRelayedAtMostOnce) {
  const topology::Opera opera = eight_racks();
  for (const std::int64_t packets : {1, 10, 500}) {
    const RotorRun run =
        run_flows(opera, rotornet(), {{.from = Rank{0}, .to = Rank{9}, .size = Bytes{1'436 * packets}}});
    EXPECT_EQ(run.statistics.bulk_delivered, static_cast<std::uint64_t>(packets));
    EXPECT_LE(run.statistics.bulk_relayed, run.statistics.bulk_delivered);
    EXPECT_EQ(run.statistics.delivered, Bytes{1'436 * packets});
  }
}

TEST(BulkFlow, ARackSwitchesItsOwnWithoutACircuit) {
  const RotorRun run =
      run_flows(eight_racks(), rotornet(), {{.from = Rank{0}, .to = Rank{2}, .size = 100_KiB}});
  EXPECT_EQ(run.statistics.bulk_in_rack, run.statistics.bulk_delivered);
  EXPECT_EQ(run.statistics.bulk_relayed, 0U);
}

TEST(Classes, TheSizeDecides) {
  RotorConfig config;
  config.bulk_from = 10_KiB;
  const auto run = [&](Bytes size) {
    return run_flows(eight_racks(), config, {{.from = Rank{0}, .to = Rank{9}, .size = size}}).statistics;
  };
  EXPECT_EQ(run(10_KiB - 1_B).bulk_delivered, 0U);
  EXPECT_GT(run(10_KiB - 1_B).low_delivered, 0U);
  EXPECT_GT(run(10_KiB).bulk_delivered, 0U);
  EXPECT_EQ(run(10_KiB).low_delivered, 0U);
}

TEST(RunFlows, ARunThatIsCutTellsWhatIsThere) {
  const topology::Opera opera = eight_racks();
  const RotorRun run = run_flows(
      opera, rotornet(),
      {{.from = Rank{0}, .to = Rank{2}, .size = 1_B}, {.from = Rank{0}, .to = Rank{9}, .size = 50_MiB}},
      {.limits = {.until = Time{opera.cycle()}}});
  EXPECT_EQ(run.finished, 1U);
  EXPECT_TRUE(run.completion[0]);
  EXPECT_FALSE(run.completion[1]);
  EXPECT_FALSE(run.locked);
}

TEST(RunFlows, AHostThatDoesNotExistIsNamed) {
  EXPECT_NE(user_error([] {
              run_flows(eight_racks(), rotornet(), {{.from = Rank{0}, .to = Rank{32}, .size = 1_B}});
            }).find("there is no host 32"),
            std::string::npos);
}

}  // namespace
}  // namespace overture::network::rotor
