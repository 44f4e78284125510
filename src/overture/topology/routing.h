// Which way a packet goes. Each topology brings one Routing, which knows its equal ways; a Pick chooses among
// them: by destination, by a hash of the flow, or by a number drawn for every packet.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "overture/base/hash.h"
#include "overture/base/words.h"
#include "overture/topology/graph.h"

namespace overture::topology {

enum class PathRule : std::uint8_t {
  by_destination,  // d-mod-k: all packets for a host share one way from each switch
  hash_per_flow,   // ECMP: a flow keeps its way, which is a hash of it
  spray,           // every packet draws its own way
};
constexpr auto vocabulary(PathRule) {
  return std::to_array<Word<PathRule>>({
      {PathRule::by_destination, "by_destination"},
      {PathRule::hash_per_flow, "hash_per_flow"},
      {PathRule::spray, "spray"},
  });
}

// Goes through all that a routing may choose from, one after the other: its answers to the questions of one
// call are those of the last call but for the last one that has another answer left.
class Choices {
 public:
  int answer(int count) {
    if (next_ == answers_.size()) answers_.push_back({.choice = 0, .count = count});
    return answers_[next_++].choice;
  }
  // Prepares for the next call; false if there is nothing left to choose.
  bool advance() {
    next_ = 0;
    while (!answers_.empty() && ++answers_.back().choice == answers_.back().count) answers_.pop_back();
    return !answers_.empty();
  }

 private:
  struct Answer {
    int choice;
    int count;
  };
  std::vector<Answer> answers_;
  std::size_t next_ = 0;  // of this call
};

// A hash of a flow: of its two ends, its number among the flows between them, and the network's seed.
inline std::uint64_t flow_hash(std::uint64_t seed, int from, int to, std::uint64_t number = 0) {
  std::uint64_t x = seed;
  for (const std::uint64_t part :
       {static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to), number}) {
    x = split_mix(x + kGoldenStep * (part + 1));
  }
  return x;
}

class Pick {
 public:
  static Pick by_destination() { return Pick{}; }
  // The same entropy gives the same way.
  static Pick by_hash(std::uint64_t entropy) { return Pick{entropy}; }
  // As the choices say, which outlive the pick.
  static Pick by_choice(Choices& choices) { return Pick{choices}; }

  // One of `count` equal ways out of `node`. `preferred` is the way of the rule by destination.
  int among(int count, int preferred, int node) const {
    if (!hashed_) return choices_ == nullptr ? preferred : choices_->answer(count);
    // Mixed with the node, as every switch hashes with a seed of its own: else all switches of a layer that
    // see a flow choose alike and half of the network stays empty.
    const std::uint64_t x = split_mix(entropy_ + kGoldenStep * static_cast<std::uint64_t>(node + 1));
    return static_cast<int>((x >> 32) * static_cast<std::uint64_t>(count) >> 32);
  }

 private:
  Pick() = default;
  explicit Pick(std::uint64_t entropy) : entropy_(entropy), hashed_(true) {}
  explicit Pick(Choices& choices) : choices_(&choices) {}

  std::uint64_t entropy_ = 0;
  Choices* choices_ = nullptr;
  bool hashed_ = false;
};

class Routing {
 public:
  virtual ~Routing() = default;

  // The port of node `at` that leads towards host `to`, which is not `at`.
  virtual int port(int at, int to, const Pick& pick) const = 0;
};

struct Topology {
  Graph graph;
  std::unique_ptr<const Routing> routing;
};

// The ports of node `at` that some pick leads to on the way to host `to`, ascending.
std::vector<int> equal_ports(const Topology& topology, int at, int to);

// The links from host `from` to host `to`, in order.
std::vector<int> path(const Topology& topology, int from, int to, const Pick& pick);

}  // namespace overture::topology
