// Opera as a fluid. By slices, every pair of ToRs has a link that works only while a rotor shows their
// matching, and bulk waits for it; nothing goes over two circuits. On average, circuits are always open with
// their share of a cycle, and what they leave unused is relayed over third racks, as RotorLB does.
#pragma once

#include <cstdint>

#include "overture/base/words.h"
#include "overture/network/flow/config.h"
#include "overture/topology/opera.h"
#include "overture/topology/routing.h"

namespace overture::network::flow {

enum class Circuits : std::uint8_t {
  slices,   // each opens and closes as its rotor turns; direct ones only
  average,  // always open, with the share of the rate that it has over a cycle; and relays
};
constexpr auto vocabulary(Circuits) {
  return std::to_array<Word<Circuits>>({
      {Circuits::slices, "slices"},
      {Circuits::average, "average"},
  });
}

struct RotorFluidConfig {
  Circuits circuits = Circuits::slices;
  Bandwidth rate = Bandwidth::bits_per_second(100'000'000'000);
  Duration wire = std::chrono::nanoseconds(500);        // ToR to ToR; hosts sit at their ToR
  double efficiency = 1436.0 / 1500;                    // payload of a packet as in htsim
  ConnectionUse connections = ConnectionUse::per_pair;  // RotorLB has a queue per receiver
};

struct RotorFluid {
  topology::Topology topology;
  FlowConfig config;
};

// A circuit carries from when its rotor comes up until it is to drain, RotorLB's slot.
RotorFluid rotor_fluid(const topology::Opera& opera, const RotorFluidConfig& config);

}  // namespace overture::network::flow
