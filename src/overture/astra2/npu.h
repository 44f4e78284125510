// One NPU that follows its trace: nodes start when all that they wait for has ended and their lane is free,
// in ascending id. It counts what ASTRA-sim 2 reports at the end.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "overture/astra2/collectives.h"
#include "overture/astra2/program.h"
#include "overture/astra2/remote_memory.h"

namespace overture::astra2 {

// What the report tells apart; the time in which at least one such node was under way.
enum class Use : std::uint8_t { cpu, gpu, communication, remote_memory, invalid };
constexpr std::size_t kUses = 5;

struct NpuResult {
  bool finished = false;
  std::int64_t cycles = 0;            // when it was done
  std::uint64_t computed_cycles = 0;  // of its GPU nodes, added up
  std::array<std::int64_t, kUses> used{};
  std::array<bool, kUses> has{};
  // Roofline: sums over compute nodes, each weighted with its duration.
  double compute_bound = 0;
  double compute_use = 0;
  double memory_use = 0;
  double intensity = 0;
  std::int64_t compute_nodes_cycles = 0;
  std::uint64_t collectives = 0;
  Use last_started = Use::gpu;

  // As the original counts it: idle time is in it, and it wraps round when all nodes are replayed.
  std::uint64_t exposed() const { return static_cast<std::uint64_t>(cycles) - computed_cycles; }
  std::int64_t overlap() const;
};

// Told of every node as it ends.
using NodeObserver =
    std::function<void(int npu, std::uint32_t node, std::int64_t start_ns, std::int64_t end_ns)>;

class Npu {
 public:
  // All references outlive it.
  Npu(Shared& shared, std::shared_ptr<const Program> program, int npu, sim::EventQueue& events,
      RemoteMemory& memory, const NodeObserver& observer);
  Npu(const Npu&) = delete;
  Npu& operator=(const Npu&) = delete;

  // Before start(): called when the trace has been followed to its end.
  void on_finished(std::function<void(int npu)> finished) { finished_ = std::move(finished); }
  void start();
  // A remote-memory access has ended.
  void memory_done(std::uint32_t node) { ended(node); }

  system::CycleClock& clock() { return clock_; }
  const NpuResult& result() const { return result_; }
  const Program& program() const { return *program_; }
  // Nodes under way, in ascending id; of a run that does not end.
  std::vector<std::uint32_t> under_way() const;
  std::string stuck() const { return collectives_.stuck(); }

 private:
  void scan();
  bool free(Lane lane) const { return lane == Lane::none || !busy_[static_cast<std::size_t>(lane)]; }
  void make_ready(std::uint32_t node);
  void issue(std::uint32_t node);
  void replay(std::uint32_t node);
  void compute(std::uint32_t node);
  void collective(std::uint32_t node);
  void point_to_point(std::uint32_t node);
  void ended(std::uint32_t node);
  void finish_node(std::uint32_t node);
  void check_finished();
  void note_start(std::uint32_t node);
  void note_end(std::uint32_t node);
  std::int64_t now_ns() const { return clock_.now().time_since_epoch().count() / 1000; }

  Shared& shared_;
  const Config& config_;
  std::shared_ptr<const Program> program_;
  int npu_;
  system::CycleClock clock_;
  RemoteMemory& memory_;
  const NodeObserver& observer_;
  Collectives collectives_;
  std::vector<std::uint32_t> missing_;                    // of every node: parents that have not ended
  std::array<std::vector<std::uint32_t>, kLanes> ready_;  // heaps, the smallest id on top
  std::vector<std::uint32_t> freed_;                      // while a scan is under way: for the next
  std::array<bool, kLanes> busy_{};
  bool scanning_ = false;
  std::uint32_t ongoing_ = 0;
  std::array<std::uint32_t, kUses> using_{};  // nodes under way of each use
  std::array<std::int64_t, kUses> since_{};
  std::vector<std::int64_t> started_;  // of every node; only for an observer
  std::vector<bool> running_;
  NpuResult result_;
  std::function<void(int npu)> finished_;
};

}  // namespace overture::astra2
