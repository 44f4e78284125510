#include "overture/network/flow/rotor_fluid.h"

#include <gtest/gtest.h>

#include "overture/formats/dynexp.h"
#include "overture/network/flow/run_flows.h"

namespace overture::network::flow {
namespace {

using namespace literals;

topology::Opera small() {
  return formats::read_dynexp(OVERTURE_GOLDEN "/htsim/topologies/opera_N8_k8_100G.txt").opera;
}

FluidRun run(const topology::Opera& opera, const std::vector<FlowSpec>& flows) {
  RotorFluid fluid = rotor_fluid(opera, {.efficiency = 1});
  return run_flows(std::move(fluid.topology), fluid.config, flows);
}

// When the two ToRs of two hosts meet, from time 0.
Duration first_meeting(const topology::Opera& opera, int from, int to) {
  for (int slice = 0; slice < opera.slices(); ++slice) {
    if (opera.peer(slice, opera.tor_of(from), opera.fresh_rotor(slice)) == opera.tor_of(to)) {
      return opera.timing().slice() * slice;
    }
  }
  return Duration::max();
}

TEST(RotorFluid, AFlowWaitsForItsCircuit) {
  const topology::Opera opera = small();
  for (const int to : {5, 9, 13, 17, 21, 25, 29}) {
    const Duration start = first_meeting(opera, 0, to);
    if (start + opera.slot() > opera.cycle()) continue;  // open at time 0 as well
    const FluidRun result = run(opera, {{.from = Rank{0}, .to = Rank{to}, .size = 12'500_B}});
    EXPECT_EQ(result.completion[0], start + Duration{1us + 500ns}) << to;
  }
}

TEST(RotorFluid, AFlowLongerThanASlotGoesOnInTheNextCycle) {
  const topology::Opera opera = small();
  int to = 5;
  while (first_meeting(opera, 0, to) + opera.slot() > opera.cycle()) to += 4;  // whole before the cycle ends
  const Duration start = first_meeting(opera, 0, to);
  const Bytes slot_and_a_bit{opera.slot().count() / 80 + 12'500};
  const FluidRun result = run(opera, {{.from = Rank{0}, .to = Rank{to}, .size = slot_and_a_bit}});
  EXPECT_NEAR(static_cast<double>((*result.completion[0] - opera.cycle() - start - Duration{1500ns}).count()),
              0, 100);
}

TEST(RotorFluid, WithinARackNothingWaits) {
  const FluidRun result = run(small(), {{.from = Rank{0}, .to = Rank{1}, .size = 12'500_B}});
  EXPECT_EQ(result.completion[0], Duration{1us});
}

// Every circuit carries 16 messages a cycle at most for the length of a slot, so a long all-to-all takes its
// bytes over the circuit's rate, and the share of time in which it is open.
TEST(RotorFluid, ALongAllToAllTakesTheCircuitsShareOfTime) {
  const topology::Opera opera = small();
  std::vector<FlowSpec> flows;
  for (int from = 0; from < 32; ++from) {
    for (int to = 0; to < 32; ++to) {
      if (from != to) flows.push_back({.from = Rank{from}, .to = Rank{to}, .size = 1'000'000_B});
    }
  }
  const double slots = to_us(transfer_time(Bytes{16 * 1'000'000}, 100_Gbps)) / to_us(opera.slot());
  const double least = slots * to_us(opera.cycle());
  const FluidRun result = run(opera, flows);
  EXPECT_GT(to_us(result.makespan), least - to_us(opera.cycle()));
  EXPECT_LT(to_us(result.makespan), 1.1 * least + to_us(opera.cycle()));
  EXPECT_EQ(result.statistics.delivered, Bytes{32 * 31 * 1'000'000});
}

}  // namespace
}  // namespace overture::network::flow
