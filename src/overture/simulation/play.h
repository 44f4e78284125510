// One graph on one network through one system layer, run to the end.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "overture/network/network.h"
#include "overture/sim/event_queue.h"
#include "overture/simulation/stragglers.h"
#include "overture/simulation/timeline.h"
#include "overture/system/system.h"
#include "overture/workload/task_graph.h"

namespace overture::simulation {

// The machine as the system layer sees it.
struct SystemView {
  topology::Hierarchy dimensions;
  system::LogicalDimensions logical;
  std::vector<double> gib_per_s;  // per logical dimension: what a rank can send into it
  // Which ranks must be simulated: nothing is known of most networks, so all. See system/scope.h.
  system::Scope scope = system::Scope::all;
  bool uniform = false;     // rank 0 alone would be exact, whatever the scope
  bool every_rank = false;  // is played, even where the first machine tells what all do
  Duration start{};         // when its ranks begin; counts as part of the run
  Stragglers stragglers{};  // ranks that compute slower, or die
};

// All ranks of a network in one dimension, as on a switch.
SystemView one_dimension(int ranks);

struct Observers {
  std::function<void(const system::ChunkEvent&)> chunk{};
  // The network before its first message and after its last: to watch it, and to ask what it saw.
  std::function<void(const workload::TaskGraph&, network::Network&)> before{};
  std::function<void(network::Network&)> after{};
};

// A run can be cut short; the timeline then has what ended.
struct Limits {
  std::optional<Time> until;                                    // simulated
  std::function<bool(Time now, std::uint32_t finished)> go_on;  // asked now and then; false ends the run
};

// The sizes of the graph's groups that are not along dimensions of a machine of so many ranks.
std::vector<int> named_group_sizes(const workload::TaskGraph& graph, int ranks);

// `config` has been fitted to the machine (system/fit.h). Throws UserError for a deadlock, with who waits for
// what; but where a fault is the reason, the timeline has what ended, and says so.
Timeline play(const workload::TaskGraph& graph, const system::SystemConfig& config, const SystemView& machine,
              network::Network& network, sim::EventQueue& events, const Observers& observers = {},
              const Limits& limits = {});

// On a network whose ranks stand in one dimension. Fits the system to it; throws UserError if it does not
// fit, or if the graph has more ranks than the network.
Timeline play(const workload::TaskGraph& graph, const system::SystemConfig& config, network::Network& network,
              sim::EventQueue& events);

}  // namespace overture::simulation
