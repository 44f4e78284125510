// The `traffic:` of a setup: a pattern of flows, for `overture flows`.
#pragma once

#include <string>
#include <vector>

#include "overture/network/flows.h"
#include "overture/network/packet/patterns.h"

namespace overture::setup {

struct TrafficPattern {
  std::string kind;  // all_to_all, permutation, incast or ring; empty: the flows come from a file
  Bytes size{1 << 20};
  network::packet::AllToAllOrder order = network::packet::AllToAllOrder::rotated;
  int group = 0;
  int senders = 0;
};

template <class V>
void describe(V& v, TrafficPattern& t) {
  v.from("ours, a small run");
  v.field("pattern", t.kind,
          "all_to_all, permutation, incast or ring; leave out when flows come from --flows");
  v.field("size", t.size, "Size of every flow");
  v.field("order", t.order,
          "all_to_all: to i+1, i+2, ... (rotated), or every host to 0, then 1, ... (naive)");
  v.field("group", t.group, "all_to_all: hosts per group that exchange data; 0 means all");
  v.field("senders", t.senders, "incast: hosts that send to host 0; 0 means all others");
}

struct TrafficLimits {
  std::string file;  // named in errors
  std::uint64_t seed = 1;
};

// Throws UserError when the pattern does not fit so many hosts, or the flows do not fit the memory.
std::vector<network::FlowSpec> make_traffic(const TrafficPattern& pattern, int hosts,
                                            const TrafficLimits& limits);

}  // namespace overture::setup
