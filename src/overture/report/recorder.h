// Records a simulated run as it happens, for traces and digests: every phase of every chunk. What was
// computed is in the run's timeline.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "overture/base/hash.h"
#include "overture/report/trace.h"
#include "overture/simulation/simulation.h"

namespace overture::report {

// NCCL's name of the kernel, "ncclKernel_AllReduce", so that HTA and people take it for what it is.
std::string kernel_name(system::CollectiveKind kind);

class Recorder {
 public:
  // Beyond `max_events` phases, only the digest goes on.
  explicit Recorder(std::size_t max_events = Trace::kMaxEvents) : max_events_(max_events) {}

  // Hand these to simulate(); the recorder outlives the run.
  simulation::Observers observers();

  // The same for the same run, whatever machine: what ran when, folded into 64 bits.
  std::uint64_t digest(const simulation::SimulationResult& result) const;

  // Rank 0's timeline: a stream for compute, one or more per dimension for communication.
  Trace trace(const simulation::SimulationResult& result) const;

 private:
  struct PhaseRecord {
    std::int32_t chunk;
    int number;
    bool last;
    system::Phase phase;
    Time queued;
    Time started;
    Time finished;
  };

  void chunk(const system::ChunkEvent& event);
  void add_phases(Trace& trace, const workload::TaskGraph& graph) const;

  std::size_t max_events_;
  Digest digest_;
  std::vector<PhaseRecord> phases_;
};

}  // namespace overture::report
