// All equal ways between two switches, as words of ports, for transports that spray: finding the way of a
// packet is then a look into a table. Sets are made when first asked for, and shared by all hosts of the two
// switches, or of one switch to a host (common_end.h).
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "overture/network/packet/routes.h"
#include "overture/topology/routing.h"

namespace overture::network::packet {

// Where a host's packets to another one start, and how they may go on.
struct Spread {
  std::uint32_t set = 0;    // in EqualPaths; kFixed, kDrawn or kDealt
  std::uint32_t port = 0;   // of the first host, from 0: one for all packets
  std::uint64_t state = 0;  // a bit per way or hash taken in this round; the way itself if it is fixed
  // The port at the end, where it belongs in the word. kDealt: above, the flow's number; below, how many of
  // its hashes are before those of this round.
  std::uint64_t last = 0;
};

class EqualPaths {
 public:
  // `topology` and `routes` outlive the ways.
  EqualPaths(const topology::Topology& topology, Routes& routes);

  // For one flow from host `from` to host `to`.
  Spread spread(int from, int to);

  // The ports after the first one, for the next packet: each way once in random order, then again.
  std::uint64_t next(Spread& spread, int from, int to) {
    if (spread.set >= kDrawn) [[unlikely]]
      return without_set(spread, from, to);
    const Set& set = sets_[spread.set];
    if (set.count == 1) return words_[set.first] | spread.last;
    return words_[set.first + take(spread.state, set.all)] | spread.last;
  }

  std::size_t memory() const;

 private:
  static constexpr std::uint32_t kMost = 64;    // ways in a set, or hashes in a round
  static constexpr std::uint32_t kDrawn = ~2U;  // more: every packet draws one
  static constexpr std::uint32_t kDealt = ~1U;  // a flow with several hashes: each once in random order
  static constexpr std::uint32_t kFixed = ~0U;  // no spraying

  struct Set {
    std::uint32_t first = 0;  // in words_
    std::uint32_t count = 0;
    std::uint64_t all = 0;  // a bit per way
    int ports = 0;          // in a word
  };

  // One of `all` that this round has not taken, at random.
  std::uint32_t take(std::uint64_t& taken, std::uint64_t all) {
    std::uint64_t left = ~taken & all;
    if (left == 0) {
      taken = 0;
      left = all;
    }
    const auto count = static_cast<std::uint64_t>(__builtin_popcountll(left));
    for (std::uint64_t skip = (routes_.draw() >> 32) * count >> 32; skip > 0; --skip) left &= left - 1;
    taken |= left & (~left + 1);
    return static_cast<std::uint32_t>(__builtin_ctzll(left));
  }

  std::uint64_t without_set(Spread& spread, int from, int to);
  std::uint64_t deal(Spread& spread);
  std::uint32_t find(int at, int end, int to);
  bool walk(int at, int end, int to, std::uint64_t word, int ports, Set& set);
  const std::vector<int>& ports(int at, int to);
  int last_switch(int host) const;

  const topology::Topology& topology_;
  Routes& routes_;
  std::vector<Set> sets_;
  std::vector<std::uint64_t> words_;
  std::unordered_map<std::uint64_t, std::uint32_t> known_;     // sets by switch and common end
  std::unordered_map<std::uint64_t, std::vector<int>> ports_;  // likewise
};

}  // namespace overture::network::packet
