// What the analytical backends are told: per dimension the kind, the links and their speed. The same data
// serves both models, the contention-free closed form and the one with a queue per link.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "overture/base/units.h"
#include "overture/network/network.h"
#include "overture/sim/event_queue.h"
#include "overture/topology/hierarchy.h"

namespace overture::network {

// What a dimension's links are made of; only the cost model asks.
enum class Packaging : std::uint8_t { tile, node, pod, pod_to_pod };

// How messages share a link: not at all (as ASTRA-sim's analytical backend), or one after the other.
enum class Contention : std::uint8_t { none, links };

struct DimensionConfig {
  topology::DimensionKind kind = topology::DimensionKind::ring;
  Packaging packaging = Packaging::node;
  int size = 1;
  int links = 1;  // per rank
  // Doubles, in ASTRA-sim's own units: its results depend on how they round.
  double link_latency_ns = 0;
  double link_gib_per_s = 1;
  double nic_latency_ns = 0;     // charged twice per message
  double router_latency_ns = 0;  // charged once per message, switches only
  double memory_latency_ns = 0;
  double memory_bytes_per_ns = 1;
  double memory_scale = 0;  // 0 leaves the memory out
};

struct AnalyticalConfig {
  std::vector<DimensionConfig> dimensions;
  Contention contention = Contention::links;
};

topology::Hierarchy hierarchy(const AnalyticalConfig& config);

// Links that carry one message: all of a ring's (an odd one is left out), the direct ones of a full mesh, all
// of a switch's. 0 means that the dimension cannot work.
int usable_links(const DimensionConfig& dimension);

// Of one link.
double link_bytes_per_ns(const DimensionConfig& dimension);

// What goes from a rank to a neighbour of a ring, a peer of a full mesh, or a switch, and back: a ring's
// links go half to either side; in a ring of two both sides are one.
double directed_bytes_per_ns(const DimensionConfig& dimension);

// What one rank can send into the dimension, all peers together.
double rank_gib_per_s(const DimensionConfig& dimension);

// `events` outlives the network.
std::unique_ptr<Network> make_network(const AnalyticalConfig& config, const topology::Hierarchy& machine,
                                      sim::EventQueue& events);

// What is wrong with a dimension that was read, if anything: zero bandwidth, no usable link, ... `where`
// names the file and the dimension. Throws UserError.
void check_dimension(const DimensionConfig& dimension, const std::string& file, const std::string& where);

}  // namespace overture::network
