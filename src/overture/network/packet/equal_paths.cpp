#include "overture/network/packet/equal_paths.h"

#include <algorithm>

#include "overture/topology/common_end.h"

namespace overture::network::packet {
namespace {

std::uint64_t pair_key(int a, int b) {
  return static_cast<std::uint64_t>(a) << 32 | static_cast<std::uint32_t>(b);
}

}  // namespace

EqualPaths::EqualPaths(const topology::Topology& topology, Routes& routes)
    : topology_(topology), routes_(routes) {}

std::size_t EqualPaths::memory() const {
  return sets_.capacity() * sizeof(Set) + words_.capacity() * sizeof(std::uint64_t);
}

// The switch before a host if there is only one, else the host.
int EqualPaths::last_switch(int host) const {
  return topology_.graph.ports(host) == 1 ? topology_.graph.link(host, 0).to : host;
}

Spread EqualPaths::spread(int from, int to) {
  const topology::Graph& graph = topology_.graph;
  const std::uint64_t entropy = routes_.spray() ? routes_.draw() : routes_.new_flow(from, to);
  const std::uint64_t whole = routes_.word(from, to, entropy);
  Spread spread{.set = kFixed, .port = static_cast<std::uint32_t>(whole & routes_.mask()) - 1};
  const int at = graph.link(from, static_cast<int>(spread.port)).to;
  if (routes_.entropies() > 1) {
    spread.set = kDealt;
    spread.last = entropy << 32;
    return spread;
  }
  if (!routes_.spray()) {
    spread.state = routes_.word(at, to, entropy);
    return spread;
  }
  const int end = last_switch(to);
  const auto [entry, added] = known_.try_emplace(pair_key(at, topology::common_end(graph, to)), 0);
  if (added) entry->second = find(at, end, to);
  spread.set = entry->second;
  if (spread.set < kDrawn && end != to) {
    const int port = topology_.routing->port(end, to, topology::Pick::by_destination());
    spread.last = static_cast<std::uint64_t>(port + 1) << (sets_[spread.set].ports * routes_.bits());
  }
  return spread;
}

std::uint64_t EqualPaths::without_set(Spread& spread, int from, int to) {
  if (spread.set == kFixed) return spread.state;
  const int at = topology_.graph.link(from, static_cast<int>(spread.port)).to;
  return routes_.word(at, to, spread.set == kDealt ? deal(spread) : routes_.draw(from));
}

// A flow's hashes are dealt 64 at a time, the next 64 when these are out.
std::uint64_t EqualPaths::deal(Spread& spread) {
  const auto before = static_cast<std::uint32_t>(spread.last);
  const std::uint32_t left = routes_.entropies() - before;
  const std::uint64_t all = left < kMost ? (std::uint64_t{1} << left) - 1 : ~std::uint64_t{0};
  const std::uint64_t hash = split_mix(spread.last + take(spread.state, all));
  if (spread.state == all) {
    spread.state = 0;
    spread.last += left > kMost ? kMost : -std::uint64_t{before};
  }
  return hash;
}

std::uint32_t EqualPaths::find(int at, int end, int to) {
  Set set{.first = static_cast<std::uint32_t>(words_.size()), .ports = -1};
  if (!walk(at, end, to, 0, 0, set)) {
    words_.resize(set.first);
    return kDrawn;
  }
  set.count = static_cast<std::uint32_t>(words_.size()) - set.first;
  set.all = set.count == kMost ? ~std::uint64_t{0} : (std::uint64_t{1} << set.count) - 1;
  sets_.push_back(set);
  return static_cast<std::uint32_t>(sets_.size() - 1);
}

// Adds all ways on from `at`. False if they are too many, of different length, or too long for a word.
bool EqualPaths::walk(int at, int end, int to, std::uint64_t word, int length, Set& set) {
  if (at == end) {
    if (set.ports >= 0 && set.ports != length) return false;
    set.ports = length;
    words_.push_back(word);
    return words_.size() - set.first <= kMost;
  }
  if ((length + 2) * routes_.bits() > 64) return false;  // this port and the last one
  return std::ranges::all_of(ports(at, to), [&](int port) {
    const std::uint64_t more = static_cast<std::uint64_t>(port + 1) << (length * routes_.bits());
    return walk(topology_.graph.link(at, port).to, end, to, word | more, length + 1, set);
  });
}

const std::vector<int>& EqualPaths::ports(int at, int to) {
  const auto [entry, added] = ports_.try_emplace(pair_key(at, topology::common_end(topology_.graph, to)));
  if (added) entry->second = topology::equal_ports(topology_, at, to);
  return entry->second;
}

}  // namespace overture::network::packet
