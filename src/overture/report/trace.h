// What a rank did and when, and the file of it that Perfetto, Chrome and HTA open: the JSON that PyTorch's
// Kineto writes, gzipped, of one rank or of several. Plain data; it knows nothing of how the run was made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "overture/base/units.h"

namespace overture::report {

// The stream of what the host does. Those of the device count from 1: HTA takes no row of stream 0 for a
// kernel.
inline constexpr int kHostStream = 0;
inline constexpr int kComputeStream = 1;
// Of all ranks of a run together: as many as a page draws.
inline constexpr std::size_t kMostTraceEvents = 200'000;

// What a communication kernel carries, counted as HTA does: from the side of this rank.
struct TraceCollective {
  std::string collective;  // "all_to_all"
  Bytes in;
  Bytes out;
  int group_size = 0;
  std::string group = "default";
};

// One thing that took time. Those of one stream follow or contain each other; viewers cannot draw a partial
// overlap.
struct TraceSlice {
  std::string
      name;  // HTA's kinds: "nccl..." communicates, "Memcpy..." and "Memset..." copy, the rest computes
  std::string category = "kernel";  // what Kineto calls the work of a device
  int stream = 1;
  Time start{};
  Duration length{};
  std::vector<std::pair<std::string, std::string>> args;  // shown when the slice is clicked
  std::optional<TraceCollective> collective;
  // An arrow goes from the slice with this flow_out to the one with the same flow_in. 0 is none; another id
  // names one arrow. One whose other end is missing, perhaps in another rank's file, is left out.
  std::uint64_t flow_out = 0;
  std::uint64_t flow_in = 0;
};

// A step of a curve: the value holds until the next one of the same name.
struct TraceCounter {
  std::string name;
  Time when{};
  double value = 0;
};

// One iteration of the training loop. HTA counts a kernel to the step in which it starts, and leaves out the
// last step unless told otherwise (include_last_profiler_step).
struct TraceStep {
  int number = 0;
  Time start{};
  Duration length{};
};

class Trace {
 public:
  // Perfetto's page fails somewhere below 900 MB of JSON; this many events are some 300 MB, 15 MB gzipped.
  static constexpr std::size_t kMaxEvents = 1'000'000;

  Trace(int rank, int world_size, std::size_t max_events = kMaxEvents);

  void name_stream(int stream, std::string name) { streams_[stream] = std::move(name); }

  // In any order. Beyond max_events, all kinds together, they are counted and dropped.
  void add(TraceSlice slice);
  void add(TraceCounter counter);
  void add(TraceStep step);

  // What viewers call the rank; "rank 3" unless told otherwise.
  void name_process(std::string name) { process_ = std::move(name); }
  const std::string& process() const { return process_; }

  // What a reader of the file should know, such as for whom this rank stands.
  void set_note(std::string note) { note_ = std::move(note); }
  const std::string& note() const { return note_; }

  int rank() const { return rank_; }
  int world_size() const { return world_size_; }
  const std::map<int, std::string>& streams() const { return streams_; }
  const std::vector<TraceSlice>& slices() const { return slices_; }
  const std::vector<TraceCounter>& counters() const { return counters_; }
  const std::vector<TraceStep>& steps() const { return steps_; }
  std::size_t events() const { return slices_.size() + counters_.size() + steps_.size(); }
  std::size_t dropped() const { return dropped_; }

 private:
  bool has_room();

  int rank_;
  int world_size_;
  std::size_t max_events_;
  std::size_t dropped_ = 0;
  std::string process_;
  std::string note_;
  std::map<int, std::string> streams_;
  std::vector<TraceSlice> slices_;
  std::vector<TraceCounter> counters_;
  std::vector<TraceStep> steps_;
};

struct TraceWritten {
  std::size_t events = 0;
  std::size_t dropped = 0;  // more than 0: tell the user; the file says it too, as "overture_note"
};

// Writes `trace` to `path`, which should end in ".json.gz" for HTA to see it. The same trace gives the same
// bytes. Throws UserError when the file cannot be written.
TraceWritten write_trace(const Trace& trace, const std::filesystem::path& path);
// Several ranks of one world in one file, as Perfetto shows them; arrows may go from one to another.
TraceWritten write_trace(std::span<const Trace> ranks, const std::filesystem::path& path);
// All of them as trace.json.gz, and for HTA, which wants a file a rank, hta/rank_<n>.json.gz where there are
// several.
TraceWritten write_trace_files(std::span<const Trace> ranks, const std::filesystem::path& folder);

// Streams for what may overlap, numbered from `first`: the lowest on which nothing is running. Ask in order
// of time.
class StreamLanes {
 public:
  explicit StreamLanes(int first) : first_(first) {}
  int take(Time start, Time end);

 private:
  int first_;
  std::vector<Time> free_at_;
};

// Of 0 to ranks-1 at most `most`: half of them the first, who often talk to each other, half evenly spread.
std::vector<int> sampled_ranks(int ranks, int most);

}  // namespace overture::report
