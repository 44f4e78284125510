// Opera's circuits averaged over a cycle, for messages of many cycles: no slot opens or closes, every host
// can send to a rack, and a rack to a host, all the time with what the slots of a cycle give it. Host NICs
// are as fast as their turns with the rotors; what direct circuits leave unused is relayed (relay_fill.h).
#pragma once

#include "overture/network/flow/rotor_fluid.h"

namespace overture::network::flow {

RotorFluid average_circuits(const topology::Opera& opera, const RotorFluidConfig& config);

}  // namespace overture::network::flow
