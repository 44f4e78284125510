// Carries out collectives: cuts them into chunks, queues the chunks per dimension, and plays each phase on
// the network. Every rank runs the same program and a chunk moves on when the last rank is done with its
// phase, so one set of queues stands for all ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "overture/network/network.h"
#include "overture/sim/event_queue.h"
#include "overture/system/chunk_queue.h"
#include "overture/system/config.h"
#include "overture/system/dimension_order.h"
#include "overture/system/logical_dimensions.h"
#include "overture/system/phase_plan.h"
#include "overture/system/phase_run.h"
#include "overture/system/request.h"
#include "overture/topology/hierarchy.h"

namespace overture::system {

enum class CollectiveId : std::int32_t {};

// Means over the chunks of a collective, in nanoseconds. Phase 0 of the queueing delay is the time before the
// first queue.
struct CollectiveStats {
  int chunks = 0;
  std::vector<double> queueing_ns;
  std::vector<double> network_ns;
};

// What the system tells about chunks, for traces and statistics.
struct ChunkEvent {
  CollectiveId collective;
  std::int32_t chunk;
  int phase_number;  // from 0
  bool last_phase;
  const Phase& phase;
  Time queued;
  Time started;
  Time finished;
};

// How much of the run each logical dimension was in use, and how long chunks took there.
struct DimensionUse {
  struct Interval {
    Time from;
    Time to;
  };
  std::vector<Interval> busy;  // at least one chunk queued or running
  std::int64_t chunks = 0;
  Duration running{};  // summed over chunks, queueing excluded
};

class System {
 public:
  struct Setup {
    SystemConfig config;
    LogicalDimensions logical;
    std::vector<double> gib_per_s;  // per logical dimension: what a rank can send into it
    Scope scope = Scope::rank_0;
    bool uniform = true;  // rank 0 alone would be exact, whatever the scope
    // With scope `all`: in dimension 0 the first group stands for all others, which are machines that do the
    // same; see machines_alike().
    bool first_machine = false;
  };
  // The collective is complete on all ranks. Called from inside the system: issuing the next one is fine.
  using Finished = std::function<void(CollectiveId, const CollectiveStats&)>;

  // `machine`, `events` and `network` outlive the system.
  System(Setup setup, const topology::Hierarchy& machine, sim::EventQueue& events, network::Network& network);

  void on_finished(Finished finished) { finished_ = std::move(finished); }
  void on_chunk(std::function<void(const ChunkEvent&)> observer) { chunk_observer_ = std::move(observer); }
  void on_send(SendObserver observer) { context_.sent = std::move(observer); }

  // Makes a group of ranks known, in the order in which a ring goes, for collectives that are not along
  // dimensions. They have queues of their own and go by the algorithm of the outermost dimension.
  GroupNumber add_group(std::vector<Rank> ranks);

  // Nothing when the collective spans no dimension of more than one rank.
  std::optional<CollectiveId> issue(const CollectiveRequest& request);

  // Something happens at every rank now that is not the system's doing, such as the end of a computation.
  void all_ranks_act();

  CycleClock& clock() { return clock_; }
  int ranks() const { return machine_.ranks(); }
  const LogicalDimensions& logical() const { return setup_.logical; }
  Scope scope() const { return setup_.scope; }
  // Of the logical dimensions.
  std::span<const DimensionUse> use() const {
    return std::span(use_).first(static_cast<std::size_t>(setup_.logical.count()));
  }

  // What has not finished and who waits for what, for a deadlock report; empty when all is done.
  std::string stuck() const;

 private:
  struct Collective {
    CollectiveId id;
    CollectiveRequest request;
    int chunks = 0;
    int chunks_finished = 0;
    std::vector<double> queueing_ns;
    std::vector<double> network_ns;
  };
  struct Chunk {
    std::int32_t id = 0;
    CollectiveId collective{};
    std::int64_t priority = 0;
    std::vector<Phase> phases;
    int current = -1;  // phase
    Time queued{};
    Time started{};
    std::vector<double> queueing_ns;
    std::vector<double> network_ns;
    std::unique_ptr<PhaseRun> run;
  };

  std::int64_t next_priority(SchedulingPolicy policy);
  std::vector<std::vector<Phase>> cut(const CollectiveRequest& request);
  std::vector<Phase> next_chunk(const CollectiveRequest& request, Bytes left, Bytes nominal);
  Phase group_phase(const CollectiveRequest& request, Bytes size);
  void add_queues();
  const std::vector<network::GroupId>& exchanging_groups(const Phase& phase);
  void advance(std::int32_t chunk);
  void enqueue(Chunk& chunk);
  void start_waiting(int dimension, int queue);
  void start(Chunk& chunk);
  int machines_of(const Phase& phase) const;
  void phase_finished(std::int32_t chunk);
  void leave(Chunk& chunk);
  void report(Chunk& chunk);
  ChunkQueue& queue(int dimension, int queue);
  void occupy(int dimension, int change);
  Endpoint& endpoint(Rank rank);

  Setup setup_;
  const topology::Hierarchy& machine_;
  CycleClock clock_;                                  // of all ranks
  std::vector<std::unique_ptr<Endpoint>> endpoints_;  // per rank, made when first needed
  PhaseContext context_;
  DimensionOrder order_;
  DimensionOrder flat_order_;
  PhaseResources resources_;
  std::vector<std::shared_ptr<const NamedGroup>> groups_;
  // By what a phase's groups depend on: size and stride of the dimension, or the named group.
  std::map<std::tuple<int, int, const NamedGroup*>, std::vector<network::GroupId>> exchanging_;
  std::vector<ChunkQueue> queues_;  // per dimension, then per named group
  std::vector<DimensionUse> use_;
  std::vector<int> occupancy_;  // chunks queued or running, per dimension
  std::map<CollectiveId, Collective> collectives_;
  std::map<std::int32_t, Chunk> chunks_;
  std::vector<std::unique_ptr<PhaseRun>> finished_runs_;  // kept until nothing of theirs is on the stack
  std::int64_t priority_counter_ = 0;
  std::int32_t next_collective_ = 0;
  std::int32_t next_chunk_ = 0;
  Finished finished_;
  std::function<void(const ChunkEvent&)> chunk_observer_;
};

}  // namespace overture::system
