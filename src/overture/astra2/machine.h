// A whole run of ASTRA-sim 2: its NPUs, their traces, the network and the remote memory, put together and run
// to the end. Cycle for cycle what the original counts; where that crashes, hangs or lies, see
// docs/guides/astra-sim-2.md.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "overture/astra2/config.h"
#include "overture/astra2/npu.h"
#include "overture/astra2/program.h"
#include "overture/network/record.h"

namespace overture::astra2 {

struct RunOptions {
  bool simulate_all = false;  // even where one NPU tells all
  bool mirror = false;        // let one NPU stand for all wherever it may, however small the run
  NodeObserver observer;
  std::function<void(int npu, int size, int coordinate)> ring_made;  // see Shared
};

struct MachineResult {
  std::vector<NpuResult> npus;    // of every NPU; of a mirrored run all alike
  bool complete = true;           // nobody interrupted it
  bool mirrored = false;          // NPU 0 was simulated and stands for all
  std::vector<int> finish_order;  // who was done first; of a mirrored run by number
  std::uint64_t messages = 0;     // that were simulated
  std::uint64_t events = 0;
  network::NetworkRecord network;
  std::int64_t cycles() const;
};

// One program for every NPU; equal ones may be shared. Throws UserError for what cannot run, before time
// zero, and for a run that does not end, with who waits for whom.
MachineResult run(const Config& config, const std::vector<std::shared_ptr<const Program>>& programs,
                  const RunOptions& options = {});

// Can NPU 0 stand for all? So it can when all do the same and the network looks the same from everywhere.
bool all_alike(const Config& config, const std::vector<std::shared_ptr<const Program>>& programs);

}  // namespace overture::astra2
