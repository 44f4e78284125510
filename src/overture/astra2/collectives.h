// The system layer of one NPU: chunks of its collectives in queues, a few of each queue under way, and their
// algorithms played message by message. Every NPU has its own; they meet only in the messages.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "overture/astra2/custom.h"
#include "overture/astra2/plan.h"
#include "overture/astra2/transport.h"
#include "overture/base/pool.h"
#include "overture/system/endpoint.h"
#include "overture/system/schedule.h"

namespace overture::astra2 {

// What the system layers of all NPUs share. Everything in it outlives them.
struct Shared {
  const Config& config;
  const std::array<std::vector<LogicalDimension>, kPlayed>& logical;
  Transport& transport;
  CustomPrograms& custom;
  bool mirrored = false;  // NPU 0 stands for all
  // Told when an NPU first plays a kind of collective in a group that is not everybody.
  std::function<void(int npu, int size, int coordinate)> ring_made;
};

class Collectives {
 public:
  using Finished = std::function<void(std::uint32_t node)>;

  Collectives(Shared& shared, system::CycleClock& clock, int npu, Finished finished);

  // `finished` is called with `node` when all chunks are through.
  void start(const Request& request, std::uint32_t node, int explicit_priority);

  // What the oldest chunk under way waits for, for a deadlock report.
  std::string stuck() const;

 private:
  enum class TreeState : std::uint8_t {
    begin,
    to_parent,
    two_children,
    one_child,
    from_parent,
    to_children,
    end
  };
  struct Stream {
    std::int32_t tag = 0;
    int priority = 0;
    std::uint32_t collective = 0;
    bool initialized = false;
    int phase = -1;
    std::vector<Phase> phases;
    // Of the phase under way.
    std::optional<system::Schedule> schedule;
    std::int32_t prepared = 0;
    std::int32_t sent = 0;
    std::int32_t credits = 0;
    std::int32_t received = 0;
    TreeState tree = TreeState::begin;
    system::TreeNode relatives;
    int reductions = 0;
    std::unique_ptr<CustomRun> custom;

    const Phase& now() const { return phases[static_cast<std::size_t>(phase)]; }
  };
  struct Running {
    std::uint32_t node = 0;
    std::uint64_t chunks = 0;  // that are not through yet
  };
  struct Queue {
    std::vector<std::uint32_t> streams;  // those under way first
    std::size_t running = 0;
  };
  enum class Event : std::uint8_t { passed, received };

  int priority(int explicit_priority);
  std::shared_ptr<const Program> custom_program(const Request& request);
  void tell_ring(const std::vector<int>& ranks) const;
  std::int32_t next_tag(const Request& request);
  void start_stream(std::vector<Phase> phases, std::int32_t tag, int priority, std::uint32_t collective);
  void enqueue(std::uint32_t stream);
  void proceed(std::uint32_t stream);
  void chunk_finished(std::uint32_t collective);
  void fill(Queue& queue);
  void removed(int queue);
  void begin(std::uint32_t stream);

  void pass(std::uint32_t stream, std::int32_t packet, Bytes size, const system::Preparation& preparation);
  void passed(std::uint32_t stream, std::int32_t packet);
  void processed(std::uint32_t stream);
  void received(std::uint32_t stream);

  void window_prepare(std::uint32_t stream);
  void window_ready(std::uint32_t stream);
  void window_send(std::uint32_t stream);

  void tree_run(std::uint32_t stream, Event event);
  void tree_leaf(std::uint32_t stream);
  void tree_inner(std::uint32_t stream, Event event);
  void tree_root(std::uint32_t stream);
  void tree_pass(std::uint32_t stream, bool own, bool reduce);
  void tree_send(std::uint32_t stream, int coordinate);
  void tree_receive(std::uint32_t stream, int coordinate);

  Stream& at(std::uint32_t stream) { return *streams_[stream]; }
  Letter letter_to(const Stream& stream, int to, Bytes size) const;
  Letter letter_from(const Stream& stream, int from, Bytes size) const;
  Duration reduction(Bytes size) const;
  bool named(const Stream& stream) const { return stream.now().members.named != nullptr; }

  Shared& shared_;
  const Config& config_;
  system::CycleClock& clock_;
  int npu_;
  Finished finished_;
  Planner planner_;
  std::unique_ptr<system::Endpoint> bus_;  // null: a constant delay
  std::size_t most_running_;
  std::vector<Queue> queues_;
  Pool<std::unique_ptr<Stream>> streams_;
  Pool<Running> running_;
  std::int32_t next_stream_ = 0;
  std::map<int, std::int32_t> next_stream_of_group_;
  // ASTRA-sim keeps the first plan of a group for each kind of collective, whatever later nodes ask for.
  std::map<std::pair<int, Played>, std::string> group_plans_;
  int priorities_ = 0;
};

}  // namespace overture::astra2
