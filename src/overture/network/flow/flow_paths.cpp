#include "overture/network/flow/flow_paths.h"

#include <algorithm>
#include <map>

#include "overture/base/hash.h"
#include "overture/topology/common_end.h"

namespace overture::network::flow {
namespace {

std::uint64_t pair_key(int a, int b) {
  return static_cast<std::uint64_t>(a) << 32 | static_cast<std::uint32_t>(b);
}

// Ways that end at `end` on the way to host `to` serve all hosts that this stands for.
int shared_by(const topology::Graph& graph, int end, int to) {
  return end == to ? to : topology::common_end(graph, to);
}

}  // namespace

FlowPaths::FlowPaths(const topology::Topology& topology, topology::PathRule rule, std::uint64_t seed)
    : topology_(topology), rule_(rule), seed_(seed) {}

void FlowPaths::go_around(const topology::LiveRouting* live) {
  live_ = live;
  around_ = {};
}

bool FlowPaths::is_cut(const Way& way) const {
  if (live_ == nullptr) return false;
  const auto down = [&](std::uint32_t link) {
    return link != kNoLink && live_->is_down(static_cast<int>(link));
  };
  return down(way.first) || down(way.last) || std::ranges::any_of(bundle(way.bundle), down, &LinkShare::link);
}

Way FlowPaths::find(int from, int to) {
  const Way usual = find(from, to, *topology_.routing);
  const bool around = is_cut(usual) && live_->reaches(from, to);
  return around ? find(from, to, *live_) : usual;
}

Way FlowPaths::find(int from, int to, const topology::Routing& routing) {
  using topology::Pick;
  const topology::Graph& graph = topology_.graph;
  Way way;
  int at = from;
  int end = to;
  if (graph.ports(from) == 1 && graph.ports(to) == 1 && graph.link(from, 0).to != to) {
    way.first = static_cast<std::uint32_t>(graph.first_link(from));
    at = graph.link(from, 0).to;
    end = graph.link(to, 0).to;
    const int port = routing.port(end, to, Pick::by_destination());
    way.last = static_cast<std::uint32_t>(graph.first_link(end) + port);
  }
  Known& known = &routing == live_ ? around_ : usual_;
  if (rule_ == topology::PathRule::spray) {
    const auto [entry, added] = known.by_ends.try_emplace(pair_key(at, shared_by(graph, end, to)), 0);
    if (added) entry->second = split_bundle(at, end, to, routing);
    way.bundle = entry->second;
    return way;
  }
  std::uint32_t& bundle = known.of_pair(from, to, graph.hosts());
  if (bundle == kNoBundle) {
    const bool hashed = rule_ == topology::PathRule::hash_per_flow;
    bundle =
        path_bundle(at, end, to, routing,
                    hashed ? Pick::by_hash(topology::flow_hash(seed_, from, to)) : Pick::by_destination());
  }
  way.bundle = bundle;
  return way;
}

std::uint32_t& FlowPaths::Known::of_pair(int from, int to, int hosts) {
  by_pair.resize(static_cast<std::size_t>(hosts));
  std::vector<std::uint32_t>& row = by_pair[static_cast<std::size_t>(from)];
  if (row.empty()) row.assign(static_cast<std::size_t>(hosts), kNoBundle);
  return row[static_cast<std::size_t>(to)];
}

Duration FlowPaths::delay(const Way& way) const {
  const auto wire = [&](std::uint32_t link) {
    return link == kNoLink ? Duration::zero() : topology_.graph.links()[link].wire.delay;
  };
  return wire(way.first) + delays_[way.bundle] + wire(way.last);
}

std::uint32_t FlowPaths::path_bundle(int at, int end, int to, const topology::Routing& routing,
                                     const topology::Pick& pick) {
  const topology::Graph& graph = topology_.graph;
  std::vector<LinkShare> links;
  Duration delay{};
  std::uint64_t hash = pair_key(at, end);
  while (at != end) {
    const int port = routing.port(at, to, pick);
    const topology::Link& link = graph.link(at, port);
    links.push_back({.link = static_cast<std::uint32_t>(graph.first_link(at) + port)});
    hash = digest_step(hash ^ links.back().link);
    delay += link.wire.delay;
    at = link.to;
  }
  const auto same = [&](std::uint32_t id) {
    return std::ranges::equal(bundle(id), links, {}, &LinkShare::link, &LinkShare::link);
  };
  const auto [first, last] = by_path_.equal_range(hash);
  for (auto known = first; known != last; ++known) {
    if (same(known->second)) return known->second;
  }
  return by_path_.emplace(hash, add_bundle(links, delay))->second;
}

// Every switch hands on what it gets in equal parts. Switches are visited in order of their distance, so that
// all parts have come together when it is their turn; equal ways have equal length.
std::uint32_t FlowPaths::split_bundle(int at, int end, int to, const topology::Routing& routing) {
  struct Part {
    Share share = 0;
    Duration delay{};
  };
  const topology::Graph& graph = topology_.graph;
  std::map<int, Part> here{{at, {.share = kWhole}}};
  std::vector<LinkShare> links;
  Duration delay{};
  while (!here.empty()) {
    std::map<int, Part> next;
    for (const auto& [node, part] : here) {
      if (node == end) {
        delay = std::max(delay, part.delay);
        continue;
      }
      const std::vector<int>& ways = ports(node, end, to, routing);
      for (const int port : ways) {
        const topology::Link& link = graph.link(node, port);
        const Share share = part.share / static_cast<Share>(ways.size());
        links.push_back({.link = static_cast<std::uint32_t>(graph.first_link(node) + port), .share = share});
        Part& onward = next[link.to];
        onward.share += share;
        onward.delay = std::max(onward.delay, part.delay + link.wire.delay);
      }
    }
    here = std::move(next);
  }
  return add_bundle(links, delay);
}

std::uint32_t FlowPaths::add_bundle(const std::vector<LinkShare>& links, Duration delay) {
  shares_.insert(shares_.end(), links.begin(), links.end());
  begin_.push_back(static_cast<std::uint32_t>(shares_.size()));
  delays_.push_back(delay);
  return bundles() - 1;
}

const std::vector<int>& FlowPaths::ports(int at, int end, int to, const topology::Routing& routing) {
  const bool around = &routing == live_;
  const std::uint64_t key = pair_key(at, shared_by(topology_.graph, end, to));
  const auto [entry, added] = (around ? around_ : usual_).ports.try_emplace(key);
  if (added) entry->second = around ? live_->equal_ports(at, to) : topology::equal_ports(topology_, at, to);
  return entry->second;
}

}  // namespace overture::network::flow
