// A list of flows and what became of them, on any network. Flows are messages that are known before the run;
// network/run_flows.h plays them on whichever backend a NetworkConfig names.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "overture/base/ids.h"
#include "overture/base/units.h"
#include "overture/network/network.h"
#include "overture/network/record.h"
#include "overture/sim/event_queue.h"

namespace overture::network {

struct FlowSpec {
  Rank from;
  Rank to;
  Bytes size;
  Time start{};
};

// What still leaves room to add sizes and times up.
inline constexpr Bytes kMostBytes{std::int64_t{1} << 50};
inline constexpr Time kLatestStart{std::chrono::seconds(1'000'000)};

// How far a run is.
struct RunSoFar {
  std::size_t finished = 0;  // flows
  Time now{};                // simulated
  Bytes delivered;           // payload; of flows under way, too, where packets are simulated
};

// A run can be cut short; it then reports what finished.
struct RunLimits {
  std::optional<Time> until;                 // simulated
  std::optional<std::chrono::seconds> wall;  // of this machine
  // If given, called now and then; false ends the run.
  std::function<bool(const RunSoFar&)> go_on;
};

// Asks the machine's clock and the caller whether a run is to go on.
class Patience {
 public:
  // `limits` outlives it.
  explicit Patience(const RunLimits& limits);
  // With nobody to ask, a run need not be cut into pieces.
  bool asks() const { return stop_ || limits_.go_on; }
  bool lasts(const RunSoFar& so_far) const;

 private:
  const RunLimits& limits_;
  std::optional<std::chrono::steady_clock::time_point> stop_;
};

struct FlowTimes {
  std::vector<std::optional<Duration>> completion;  // from start to last byte delivered; none: not finished
  Duration makespan{};                              // the last completion, from time 0
  std::size_t finished = 0;
  Duration simulated{};  // the makespan, or when the run was cut short
  bool locked = false;   // unfinished, and nothing can move any more: buffers wait for each other in a circle
};

struct FlowsResult : FlowTimes {
  NetworkRecord record;
};

// Throws UserError when a host does not exist, or a size or start is negative or beyond the limits.
void require_sound(const std::vector<FlowSpec>& flows, int hosts);

// Fills in what follows from the completion times: how many finished, and the makespan.
void summarise(const std::vector<FlowSpec>& flows, FlowTimes& times);

// Plays flows on a network in which nothing has happened yet; those with equal start in the order of the
// list. A flow to its own host takes no time. Throws UserError as require_sound().
FlowTimes play_flows(Network& network, sim::EventQueue& events, const std::vector<FlowSpec>& flows,
                     const RunLimits& limits = {});

}  // namespace overture::network
