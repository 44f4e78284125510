// What is known of every algorithm: its word, what it can do, what it needs of a group, who plays it. The
// list of all is in config.h.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "overture/base/units.h"
#include "overture/system/collective.h"
#include "overture/system/config.h"
#include "overture/system/rounds.h"
#include "overture/system/steps.h"

namespace overture::system {

// One phase, as an algorithm that keeps a window of messages under way sees it. `lay_out` fills in what comes
// below the line.
struct WindowPhase {
  CollectiveKind kind;
  int ranks;
  Bytes data;
  int direction;  // +1 or -1: which way round the dimension
  // ---
  std::int64_t messages = 0;      // that a rank sends, and so receives
  std::int64_t middle = 0;        // sends from this one on wait for as many arrivals; 0: no such barrier
  int window = 1;                 // messages that may be under way at once
  int pieces = 1;                 // of what a ring hands on
  std::int64_t own_packets = 1;   // of each period, so many carry the rank's own data ...
  std::int64_t period = 1;        // ... out of this many
  std::int64_t named_period = 0;  // the period in a group that ASTRA-sim 2 knows by name, if another
};

// Where the k-th message of a rank goes, and where the one comes from that it waits for at the same time, as
// steps along the dimension.
struct Peers {
  int to;
  int from;
};

// Of n ranks with the same data each: one share, or in an all-gather all that a rank has.
Bytes equal_share(const WindowPhase& phase, std::int64_t k);
// A message has the same number at both ends.
std::int64_t same_number(const WindowPhase& phase, std::int64_t k, int coordinate);

struct WindowAlgorithm {
  // `window` is what a user wrote behind the colon; 0: nothing.
  void (*lay_out)(WindowPhase& phase, int window);
  // `coordinate` is the sender's own.
  Peers (*peers)(const WindowPhase& phase, std::int64_t k, int coordinate);
  Bytes (*size)(const WindowPhase& phase, std::int64_t k) = equal_share;
  // Under which number the receiver waits for the k-th message of the rank with this coordinate.
  std::int64_t (*number_at_receiver)(const WindowPhase& phase, std::int64_t k, int coordinate) = same_number;
};

// A set of kinds of collectives.
class Kinds {
 public:
  constexpr Kinds(std::initializer_list<CollectiveKind> kinds) {
    for (const CollectiveKind kind : kinds) bits_ |= bit(kind);
  }
  constexpr bool has(CollectiveKind kind) const { return (bits_ & bit(kind)) != 0; }

 private:
  static constexpr unsigned bit(CollectiveKind kind) { return 1U << static_cast<unsigned>(kind); }
  unsigned bits_ = 0;
};

// There is one of each, which is told from others by where it is.
class NeverCopied {
 public:
  NeverCopied() = default;
  NeverCopied(const NeverCopied&) = delete;
};

// Exactly one of `window`, `rounds`, `steps`, `tree` and `from_file` is set: it says who plays the algorithm.
struct AlgorithmFacts {
  std::string_view word;  // in setups
  Kinds can_do;
  std::string_view parameter{};             // what a number behind the word and a colon is: ring:<pieces>
  bool power_of_two = false;                // as many ranks
  const WindowAlgorithm* window = nullptr;  // window_run.h
  Rounds (*rounds)(Bytes size, int ranks, const RoundRules& rules) = nullptr;  // round_run.h
  Steps (*steps)(int ranks) = nullptr;                                         // step_run.h
  bool tree = false;                                                           // tree_run.h
  bool from_file = false;                                                      // step_run.h
  [[no_unique_address]] NeverCopied identity{};
};

// How a user asks for it: "ring" and "ring:<pieces>", or "file:<name>" only.
std::vector<std::string> words_of(const AlgorithmFacts& algorithm);

}  // namespace overture::system
