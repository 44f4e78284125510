// How a collective becomes chunks and phases: which dimensions a chunk visits in which order, on which queue
// and which way round. ASTRA-sim 2's rules, among them its oddities; no clock, no network.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "overture/astra2/config.h"
#include "overture/astra2/program.h"
#include "overture/system/tree.h"

namespace overture::astra2 {

// Those who play a phase together, seen from one of them.
struct Members {
  int size = 1;
  int mine = 0;  // my coordinate
  int first = 0;
  int stride = 1;
  const std::vector<int>* named = nullptr;  // of a group, in the order of its file

  int rank(int coordinate) const {
    if (named != nullptr) return (*named)[static_cast<std::size_t>(coordinate)];
    return first + coordinate * stride;
  }
  int neighbour(int offset) const { return rank(((mine + offset) % size + size) % size); }
};

struct Phase {
  system::CollectiveKind kind = system::CollectiveKind::all_reduce;
  system::Algorithm algorithm;
  Members members;
  int queue = 0;  // counted through all dimensions
  int direction = 1;
  system::TreeRoot root = system::TreeRoot::largest;
  std::uint64_t input = 0;
  std::uint64_t output = 0;
  std::shared_ptr<const Program> custom;  // the algorithm is a trace of its own
};

// One dimension as a collective's algorithms see it.
struct LogicalDimension {
  Implementation implementation;
  int size = 1;
  int stride = 1;
};

// Of one kind of collective: dimension by dimension, or everybody at once. Throws UserError when there are
// more implementations than dimensions, or an algorithm cannot work there.
std::vector<LogicalDimension> logical_dimensions(const Config& config, Played collective);

// What a collective of one NPU is to be.
struct Request {
  Played collective = Played::all_reduce;
  std::uint64_t size = 0;
  std::uint32_t dimensions = 0xffff'ffff;  // bit d: dimension d takes part
  int group = 0;                           // 0: everybody
  std::uint64_t node_id = 0;
};

// How large a chunk is and how many there are. The last one is not shortened.
struct Chunks {
  std::uint64_t size = 0;
  std::uint64_t count = 0;
};
Chunks chunks_of(const Config& config, Played collective, std::uint64_t size);

// What one NPU knows of its queues and trees; asked chunk by chunk.
class Planner {
 public:
  // `config` and `logical` outlive it.
  Planner(const Config& config, const std::array<std::vector<LogicalDimension>, kPlayed>& logical, int npu);

  // Empty when nobody has a peer.
  std::vector<Phase> phases(const Request& request, std::uint64_t chunk);

 private:
  struct Queues {
    int next = 0;
    int first = 0;
    int last = 0;
  };
  struct Slot {
    int queue;
    int direction;
  };

  Slot any_queue(int dimension);
  Slot first_half(int dimension);
  Slot second_half(int dimension);
  std::vector<LogicalDimension> dimensions_for(const Request& request) const;
  Members members(const Request& request, const LogicalDimension& dimension) const;
  Phase phase(system::CollectiveKind kind, const Request& request, const LogicalDimension& dimension,
              int number, Slot slot, std::uint64_t input);

  const Config& config_;
  const std::array<std::vector<LogicalDimension>, kPlayed>& logical_;
  int npu_;
  std::vector<Queues> queues_;
  std::array<std::vector<int>, kPlayed> trees_;  // how often each dimension's tree was asked for
};

}  // namespace overture::astra2
