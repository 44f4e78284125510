// Everything a user can say about how collectives are carried out. Plain data with its defaults; the readers
// fill it in, system.h acts on it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "overture/base/units.h"
#include "overture/system/collective.h"

namespace overture::system {

enum class AlgorithmKind : std::uint8_t { ring, direct, halving_doubling, double_binary_tree };

struct Algorithm {
  AlgorithmKind kind = AlgorithmKind::ring;
  int window = 0;  // direct: at most so many messages outstanding; 0 means all at once
  friend bool operator==(const Algorithm&, const Algorithm&) = default;
};

// How one kind of collective is carried out: an algorithm per dimension, or one over all ranks as if they
// stood in a single dimension.
struct Implementation {
  std::vector<Algorithm> per_dimension;
  bool flat = false;  // then per_dimension has exactly one entry
  friend bool operator==(const Implementation&, const Implementation&) = default;
};

// Which collective goes first when several wait for a dimension: the newest or the oldest.
enum class SchedulingPolicy : std::uint8_t { lifo, fifo, highest };

// An all-reduce over several dimensions: whole on each in turn, or reduce-scatter inwards, all-gather back.
enum class Optimization : std::uint8_t { baseline, local_bandwidth_aware };

// The order of chunks that wait for one dimension.
enum class IntraOrder : std::uint8_t { fifo, rg, smallest_first, less_remaining_phase_first };

// The order in which a chunk visits the dimensions.
enum class InterOrder : std::uint8_t { ascending, round_robin, themis, themis_flex };

// The endpoint as a LogGP bus between NPU and network interface, instead of a constant delay.
struct SharedBus {
  Duration latency{};                         // L
  Duration overhead{};                        // o
  Duration gap{};                             // g
  double gap_per_byte_ns = 0;                 // G
  Duration local_reduction = Duration{1000};  // per 100 bytes
};

struct SystemConfig {
  SchedulingPolicy scheduling = SchedulingPolicy::lifo;
  Duration endpoint_delay = Duration{10'000};  // before every send and after every receive
  int active_chunks = 1;                       // per dimension, shared by its queues
  int splits = 1;                              // chunks per collective
  int queues_per_dimension = 1;
  std::array<Implementation, 4> implementations;  // indexed by CollectiveKind
  Optimization optimization = Optimization::baseline;
  IntraOrder intra_order = IntraOrder::fifo;
  InterOrder inter_order = InterOrder::ascending;
  std::optional<SharedBus> shared_bus;
  bool rendezvous = false;
  // ASTRA-sim counts whole nanoseconds and runs what falls into one of them together; finer is more exact.
  Duration cycle = Duration{1};

  const Implementation& implementation(CollectiveKind kind) const {
    return implementations[static_cast<std::size_t>(kind)];
  }
  Implementation& implementation(CollectiveKind kind) {
    return implementations[static_cast<std::size_t>(kind)];
  }
};

}  // namespace overture::system
