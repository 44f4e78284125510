// What a network costs: its links, switches, NICs and rotors, by a price list that users can edit
// (examples/prices.yaml; setup/prices.h reads it). Machines and what is inside them are not counted, except
// for a price per NPU if the list has one.
#pragma once

#include <string>
#include <vector>

#include "overture/base/dollars.h"
#include "overture/base/units.h"
#include "overture/network/make_network.h"

namespace overture::network {

// The defaults are those of examples/prices.yaml. Electrical parts cost in proportion to their rate.
struct Prices {
  std::string source = "ASTRA-sim 1.0's cost model; rotor_port: Opera (NSDI 2020), table 2";
  std::string date = "2020-02";
  Bandwidth rate = Bandwidth::bits_per_second(429'496'729'600);  // 50 GiB/s: of the parts below
  Dollars link{100};
  Dollars tile_link{50};
  Dollars nic{1200};
  Dollars switch_box{23698};
  int switch_ports = 40;
  Dollars rotor_port{60};  // at any rate: light passes through
  Dollars npu{0};
  // What the same parts draw, of the same rate: round numbers for parts of that class, ours.
  double link_watts = 12;  // the optics of both ends
  double nic_watts = 25;
  double switch_watts = 600;
  double rotor_port_watts = 0.5;
  double npu_watts = 0;
};

// Throws UserError when a list makes no sense.
void require_sound(const Prices& prices);

// Of dimensions, as ASTRA-sim 1.0 counts links, switches and NICs. Reproduces the original's oddities: a
// tile's full mesh or switch links cost -1 $ each (specs: "passes bandwidth -1").
double cost_in_dollars(const AnalyticalConfig& config, const Prices& prices = {});

// Of links: every cable costs a link and a switch port at each end that is a switch; a machine on a switch
// has a NIC there. Machines that are wired to each other, as in a torus, use ports and routers of their own.
double cost_in_dollars(const topology::Graph& graph, const Prices& prices = {});

// Of rotors: a NIC, a link and a ToR port per host; a link, a ToR port and a rotor port per uplink.
double cost_in_dollars(const topology::Opera& opera, Bandwidth rate, const Prices& prices = {});

// Of any network; builds it first where that is how its links can be counted.
double cost_in_dollars(const NetworkConfig& config, const Prices& prices = {});

// What it draws, counted in the same way.
double power_in_watts(const NetworkConfig& config, const Prices& prices = {});

// What each kind of part adds to both; those that are there.
struct CostPart {
  std::string part;
  double dollars = 0;
  double watts = 0;
};
std::vector<CostPart> cost_parts(const NetworkConfig& config, const Prices& prices = {});

}  // namespace overture::network
