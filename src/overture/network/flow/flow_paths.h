// Which links a flow takes, and what share of it each of them. A way is a first link, a last link, and a
// bundle of links between the two switches, which all hosts of these switches have in common (but where NICs
// of a machine divide them: topology/common_end.h): so a fat tree of 1,024 hosts has a million ways but only
// 16,384 bundles.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "overture/base/random.h"
#include "overture/topology/live_routing.h"
#include "overture/topology/routing.h"

namespace overture::network::flow {

// A share of a flow in units of 2^-32: whole numbers, so that sums do not depend on their order.
using Share = std::int64_t;
constexpr Share kWhole = Share{1} << 32;

struct LinkShare {
  std::uint32_t link = 0;
  Share share = kWhole;
};

constexpr std::uint32_t kNoLink = ~std::uint32_t{0};

struct Way {
  std::uint32_t first = kNoLink;  // none: the host has several ports, and all links are in the bundle
  std::uint32_t last = kNoLink;
  std::uint32_t bundle = 0;
};

class FlowPaths {
 public:
  // `topology` outlives the ways.
  FlowPaths(const topology::Topology& topology, topology::PathRule rule, std::uint64_t seed);

  // Between two different hosts; always the same one as long as nothing is down.
  Way find(int from, int to);

  // From now on, ways that would lead over a link that is down go around it, where a path is left. Null: all
  // is well again. `live` outlives the ways or the next call.
  void go_around(const topology::LiveRouting* live);
  // Does the way lead over such a link?
  bool is_cut(const Way& way) const;

  // Delay of all wires of the way; of the longest if the flow is split.
  Duration delay(const Way& way) const;

  std::span<const LinkShare> bundle(std::uint32_t id) const {
    return std::span(shares_).subspan(begin_[id], begin_[id + 1] - begin_[id]);
  }
  std::uint32_t bundles() const { return static_cast<std::uint32_t>(delays_.size()); }

 private:
  Way find(int from, int to, const topology::Routing& routing);
  std::uint32_t split_bundle(int at, int end, int to, const topology::Routing& routing);
  std::uint32_t path_bundle(int at, int end, int to, const topology::Routing& routing,
                            const topology::Pick& pick);
  std::uint32_t add_bundle(const std::vector<LinkShare>& links, Duration delay);
  const std::vector<int>& ports(int at, int end, int to, const topology::Routing& routing);

  const topology::Topology& topology_;
  topology::PathRule rule_;
  std::uint64_t seed_;
  std::vector<LinkShare> shares_;
  std::vector<std::uint32_t> begin_{0};  // of every bundle in shares_
  std::vector<Duration> delays_;
  const topology::LiveRouting* live_ = nullptr;
  static constexpr std::uint32_t kNoBundle = ~std::uint32_t{0};
  // As the topology has them, and around what is down now.
  struct Known {
    std::uint32_t& of_pair(int from, int to, int hosts);

    std::unordered_map<std::uint64_t, std::uint32_t> by_ends{};   // of ways that are split; never iterated
    std::vector<std::vector<std::uint32_t>> by_pair{};            // of hosts, of ways that are not
    std::unordered_map<std::uint64_t, std::vector<int>> ports{};  // by switch and common end
  };
  Known usual_;
  Known around_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_path_;  // by a hash of the links
};

}  // namespace overture::network::flow
