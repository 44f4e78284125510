// Records a simulated run as it happens, for traces and digests: what rank 0 computed, and every phase of
// every chunk.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "overture/report/results_folder.h"
#include "overture/report/trace.h"
#include "overture/workload/simulation.h"

namespace overture::report {

// NCCL's name of the kernel, "ncclKernel_AllReduce", so that HTA and people take it for what it is.
std::string kernel_name(system::CollectiveKind kind);

class Recorder {
 public:
  // Beyond `max_events` phases and computations, only the digest goes on.
  explicit Recorder(std::size_t max_events = Trace::kMaxEvents) : max_events_(max_events) {}

  // Hand these to simulate(); the recorder outlives the run.
  workload::Observers observers();

  // The same for the same run, whatever machine: what ran when, folded into 64 bits.
  std::uint64_t digest() const { return digest_.value(); }

  // Rank 0's timeline: a stream for compute, one or more per dimension for communication.
  Trace trace(const workload::Workload& workload, const workload::SimulationResult& result) const;

 private:
  struct PhaseRecord {
    system::CollectiveId collective;
    std::int32_t chunk;
    int number;
    bool last;
    system::Phase phase;
    Time queued;
    Time started;
    Time finished;
  };

  void computed(const workload::ComputeEvent& event);
  void chunk(const system::ChunkEvent& event);
  void add_compute(Trace& trace, const workload::Workload& workload) const;
  void add_phases(Trace& trace, const workload::Workload& workload) const;
  void add_steps(Trace& trace, const workload::SimulationResult& result) const;

  std::size_t max_events_;
  Digest digest_;
  std::vector<workload::ComputeEvent> compute_;
  std::vector<PhaseRecord> phases_;
  std::map<system::CollectiveId, workload::CollectiveEvent> collectives_;
};

}  // namespace overture::report
