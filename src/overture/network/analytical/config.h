// What the analytical backends are told: per dimension the kind, the links and their speed. The same data
// serves both models, the contention-free closed form and the one with a queue per link.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "overture/base/unit_fields.h"
#include "overture/base/units.h"
#include "overture/base/words.h"
#include "overture/network/backend.h"
#include "overture/network/network.h"
#include "overture/sim/event_queue.h"
#include "overture/topology/hierarchy.h"

namespace overture::network {

// What a dimension's links are made of; only the cost model asks.
enum class Packaging : std::uint8_t { tile, node, pod, pod_to_pod };
constexpr auto vocabulary(Packaging) {
  return std::to_array<Word<Packaging>>({
      {Packaging::tile, "tile"},
      {Packaging::node, "node"},
      {Packaging::pod, "pod"},
      {Packaging::pod_to_pod, "pod_to_pod"},
  });
}

// How messages share a link: not at all (as ASTRA-sim's analytical backend), or one after the other.
enum class Contention : std::uint8_t { none, links };
constexpr auto vocabulary(Contention) {
  return std::to_array<Word<Contention>>({
      {Contention::links, "links"},
      {Contention::none, "none"},
  });
}

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

  template <class V>
  static void keys(V& v, DimensionConfig& d) {
    v.from("neutral: a cost that is not given is not charged");
    v.required("kind", d.kind, "How the NPUs of this dimension are joined");
    v.required("size", d.size, "NPUs in this dimension");
    v.field("links", d.links, "Links per NPU; a ring needs two, a full mesh one to each of the others");
    v.required("bandwidth", LinkRateField{d.link_gib_per_s}, "Rate of one link in one direction");
    v.field("latency", NanosecondsField{d.link_latency_ns},
            "Latency of one link; a switch is two links away");
    v.field("nic_latency", NanosecondsField{d.nic_latency_ns}, "Latency of a NIC; a message pays it twice");
    v.field("router_latency", NanosecondsField{d.router_latency_ns},
            "Latency of a router; a message pays it once; switches only");
    v.field("packaging", d.packaging, "Material of the links; only the cost model uses it");
    v.field("memory_latency", NanosecondsField{d.memory_latency_ns}, "Latency of the memory behind the NIC");
    v.field("memory_bandwidth", MemoryRateField{d.memory_bytes_per_ns}, "Rate of the memory behind the NIC");
    v.field("memory_scale", d.memory_scale, "Accesses per message; 0 leaves the memory out");
  }
};

struct AnalyticalConfig {
  std::vector<DimensionConfig> dimensions;
  Contention contention = Contention::links;

  // As a backend (network/backend.h). Its keys are those of its wires.
  static constexpr std::string_view kWord = "analytical";
  using Settings = NoSettings;
  static AnalyticalConfig from(const NetworkChoice& choice);
  std::unique_ptr<Network> make(sim::EventQueue& events) const;
  void set_faults(const Faults& faults) const;  // refused
  Wires wires() const;
  NetworkFacts facts() const;
  std::vector<std::pair<std::string, AnalyticalConfig>> improvements() const;
  bool halve_rates();

  template <class V>
  static void keys(V& v, AnalyticalConfig& n) {
    v.from("ours, since links are shared in reality; ASTRA-sim 1.0 is none");
    v.field("contention", n.contention,
            "links: messages share links and wait for each other; none: ASTRA-sim's model, optimistic when a "
            "rank "
            "talks to many at once");
    v.list("dimensions", n.dimensions, "Dimensions of the network, innermost first",
           [](auto& item, DimensionConfig& d) { DimensionConfig::keys(item, d); });
  }
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
