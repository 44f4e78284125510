// Everything a user can say about how collectives are carried out. Plain data with its defaults; the readers
// fill it in, system.h acts on it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "overture/base/units.h"
#include "overture/base/words.h"
#include "overture/system/collective.h"

namespace overture::system {

// Every algorithm; what is known of it stands in its own file (algorithms.h). A new one is that file, and its
// name in these two lists.
struct AlgorithmFacts;
extern const AlgorithmFacts kRing, kDirect, kNaiveDirect, kHalvingDoubling, kDoubleBinaryTree, kPairwise,
    kBruck, kLockstepRing, kParameterServer, kDistributedParameterServer, kBinomialTree, kDissemination,
    kFromFile;
inline constexpr std::array kAlgorithms{
    &kRing,         &kDirect,        &kNaiveDirect,  &kHalvingDoubling, &kDoubleBinaryTree,
    &kPairwise,     &kBruck,         &kLockstepRing, &kParameterServer, &kDistributedParameterServer,
    &kBinomialTree, &kDissemination, &kFromFile};

// One of them.
class AlgorithmKind {
 public:
  constexpr AlgorithmKind(const AlgorithmFacts& facts) : facts_(&facts) {}  // NOLINT: reads as its name
  constexpr const AlgorithmFacts* operator->() const { return facts_; }
  friend bool operator==(AlgorithmKind, AlgorithmKind) = default;

 private:
  const AlgorithmFacts* facts_;
};

struct Steps;

struct Algorithm {
  AlgorithmKind kind = kRing;
  // direct, naive_direct: at most so many messages outstanding, 0 means all at once; ring: pieces of a
  // message that follow each other round the ring, 0 means one.
  int window = 0;
  std::shared_ptr<const Steps> steps{};  // of kFromFile
  std::string file{};                    // likewise: where they come from
  friend bool operator==(const Algorithm&, const Algorithm&) = default;
};

std::string_view name(AlgorithmKind kind);

// How one kind of collective is carried out: an algorithm per dimension, or one over all ranks as if they
// stood in a single dimension.
struct Implementation {
  std::vector<Algorithm> per_dimension;
  bool flat = false;  // then per_dimension has exactly one entry
  friend bool operator==(const Implementation&, const Implementation&) = default;
};

// Which collective goes first when several wait for a dimension: the newest or the oldest.
enum class SchedulingPolicy : std::uint8_t { lifo, fifo, highest };
constexpr auto vocabulary(SchedulingPolicy) {
  return std::to_array<Word<SchedulingPolicy>>({
      {SchedulingPolicy::lifo, "lifo"},
      {SchedulingPolicy::fifo, "fifo"},
  });
}

// An all-reduce over several dimensions: whole on each in turn, or reduce-scatter inwards, all-gather back.
enum class Optimization : std::uint8_t { baseline, local_bandwidth_aware };
constexpr auto vocabulary(Optimization) {
  return std::to_array<Word<Optimization>>({
      {Optimization::baseline, "baseline"},
      {Optimization::local_bandwidth_aware, "local_bandwidth_aware"},
  });
}

// The order of chunks that wait for one dimension.
enum class IntraOrder : std::uint8_t { fifo, rg, smallest_first, less_remaining_phase_first };
constexpr auto vocabulary(IntraOrder) {
  return std::to_array<Word<IntraOrder>>({
      {IntraOrder::fifo, "fifo"},
      {IntraOrder::rg, "rg"},
      {IntraOrder::smallest_first, "smallest_first"},
      {IntraOrder::less_remaining_phase_first, "less_remaining_phase_first"},
  });
}

// The order in which a chunk visits the dimensions.
enum class InterOrder : std::uint8_t { ascending, round_robin, themis, themis_flex };
constexpr auto vocabulary(InterOrder) {
  return std::to_array<Word<InterOrder>>({
      {InterOrder::ascending, "ascending"},
      {InterOrder::round_robin, "round_robin"},
      {InterOrder::themis, "themis"},
      {InterOrder::themis_flex, "themis_flex"},
  });
}

// The endpoint as a LogGP bus between NPU and network interface, instead of a constant delay.
struct SharedBus {
  Duration latency{};                         // L
  Duration overhead{};                        // o
  Duration gap{};                             // g
  double gap_per_byte_ns = 0;                 // G
  Duration local_reduction = Duration{1000};  // per 100 bytes
};

// How the lock-step ring and the parameter servers cut an all-reduce into messages. The defaults are what a
// real library does; the others are those of FlexFlow's simulator in the Opera study.
struct RoundRules {
  // Messages are rounded down to size / ranks, what is left over is never sent.
  bool drop_remainder = false;
  // A ring whose messages would be shorter than this is one round only, with all bytes that a rank would
  // send, divided once more by the number of ranks. 0: never.
  Bytes end_ring_early_below{};
  // Shorter messages are sent as this much.
  Bytes smallest_message{1};

  friend bool operator==(const RoundRules&, const RoundRules&) = default;
};

// None but for broadcast and barrier, for which one algorithm over all ranks always does.
std::array<Implementation, kCollectiveKinds> default_implementations();

// The queues of one dimension. Half of them play their algorithms the other way round, unless all go one way.
struct DimensionQueues {
  int count = 1;
  bool one_way = false;
};

struct SystemConfig {
  SchedulingPolicy scheduling = SchedulingPolicy::lifo;
  Duration endpoint_delay = Duration{10'000};  // before every send and after every receive
  int active_chunks = 1;                       // per dimension, shared by its queues
  int splits = 1;                              // chunks per collective
  int all_to_all_splits = 0;                   // chunks per all-to-all; 0: as many as of the others
  int queues_per_dimension = 1;
  std::vector<DimensionQueues> queues;  // by dimension; empty means queues_per_dimension in each
  // Indexed by CollectiveKind.
  std::array<Implementation, kCollectiveKinds> implementations = default_implementations();
  Optimization optimization = Optimization::baseline;
  IntraOrder intra_order = IntraOrder::fifo;
  InterOrder inter_order = InterOrder::ascending;
  std::optional<SharedBus> shared_bus;
  bool rendezvous = false;
  std::optional<Duration> reduction;  // of a message, whatever its size; none is ASTRA-sim's memory model
  RoundRules rounds;
  // ASTRA-sim's double binary tree does a whole all-reduce whatever it is asked for (1.0, quirk 7). Without
  // this, other collectives by that tree are refused.
  bool tree_always_reduces = false;
  // ASTRA-sim counts whole nanoseconds and runs what falls into one of them together; finer is more exact.
  Duration cycle = Duration{1};

  const Implementation& implementation(CollectiveKind kind) const {
    return implementations[static_cast<std::size_t>(kind)];
  }
  Implementation& implementation(CollectiveKind kind) {
    return implementations[static_cast<std::size_t>(kind)];
  }
  int splits_of(CollectiveKind kind) const {
    return kind == CollectiveKind::all_to_all && all_to_all_splits > 0 ? all_to_all_splits : splits;
  }
  // Also of a named group, which comes behind the dimensions.
  DimensionQueues queues_of(int dimension) const {
    const auto d = static_cast<std::size_t>(dimension);
    return d < queues.size() ? queues[d] : DimensionQueues{queues_per_dimension};
  }
};

}  // namespace overture::system
