// Logs that the Opera study's simulator leaves: a line per finished flow ("FCT 0 15 1000000 0.0956 0.001")
// and one per finished task ("0x7ffd finished one task, nfin 1 ntot 34358 type 0 now 33972400128"). Fat-tree
// runs have them in two files, Opera's in one. Read line by line: such files have hundreds of gigabytes.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace overture::formats {

// As the simulator numbers them.
enum class HtsimTask : std::uint8_t {
  forward,
  backward,
  communication,
  update,
  barrier,
  latency,
  all_reduce
};
inline constexpr int kHtsimTasks = 7;
std::string_view name(HtsimTask task);

// All flows of one size.
struct HtsimFlows {
  std::uint64_t count = 0;
  std::uint64_t task_count = 0;             // of these, flows that are known to be a task of their own
  std::uint64_t to_next = 0;                // from i to i + 1
  std::map<int, std::uint64_t> to_first{};  // by sender: those to node 0, which is next to the last one
  bool one_successor = true;                // no node sends to two others
  std::map<int, int> successor{};           // of every node that sends

  // Flows to the next node, of so many nodes in a circle.
  std::uint64_t to_next_of(int nodes) const;

  // Every node that sends has one successor, and following them visits all of them and comes back.
  bool is_ring() const;
};

struct HtsimLog {
  std::string file;
  int nodes = 0;                             // given, or one more than the largest that is named
  std::map<std::int64_t, HtsimFlows> flows;  // by size in bytes
  std::array<std::vector<double>, kHtsimTasks> task_ends_s{};  // by HtsimTask, in the order of the log
  std::uint64_t flow_lines = 0;
  std::uint64_t task_lines = 0;
  std::optional<double> final_finish_s;  // "FinalFinish", if the log has it

  // Flows and tasks stand in one file, so that a flow that is a task is followed by that task's line.
  bool has_both() const { return flow_lines > 0 && task_lines > 0; }
};

// Shares of all bytes that all-reduces send.
struct HtsimTraffic {
  double bytes = 0;
  double next_node_share = 0;  // of all that goes from a node to the next one
  double script_share = 0;     // est_ring_allreduce_traffic.py: sizes that only ever go to the next node
  double ring_share = 0;       // sizes that go round one ring, which may leave nodes out
  std::optional<double> exact_share;  // what is no task of its own; only where has_both()
};
HtsimTraffic traffic_of(const HtsimLog& log);

struct HtsimReading {
  std::optional<int> nodes;  // needed where the last nodes send nothing
  bool partial = false;      // a log that was cut is taken as far as it goes
};

// Throws UserError with file and line for a line that is cut or damaged, for a node beyond `nodes`, for a log
// that ends before its last task, and for a file without flows and tasks.
HtsimLog read_htsim_log(const std::filesystem::path& file, const HtsimReading& reading = {});

}  // namespace overture::formats
