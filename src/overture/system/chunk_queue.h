// The chunks that run or wait in one queue of one dimension. Running ones stand first and are never
// preempted; where a new one is put among the waiting ones is the intra-dimension order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "overture/base/units.h"
#include "overture/system/collective.h"
#include "overture/system/config.h"

namespace overture::system {

// What the order depends on. The id is the caller's.
struct QueuedChunk {
  std::int32_t id = 0;
  std::int64_t priority = 0;  // larger is served first
  CollectiveKind kind = CollectiveKind::all_reduce;
  Bytes largest;        // of what goes in and what comes out
  int phases_left = 0;  // after this one
  bool running = false;
};

class ChunkQueue {
 public:
  // At most `limit` chunks run at a time.
  ChunkQueue(IntraOrder order, int limit) : order_(order), limit_(limit) {}

  void insert(const QueuedChunk& chunk);
  void remove(std::int32_t id);
  // Marks the next waiting chunk as running and returns its id, or -1 when none may start.
  std::int32_t start_next();
  std::size_t size() const { return chunks_.size(); }

 private:
  using Position = std::deque<QueuedChunk>::iterator;
  Position by_priority(const QueuedChunk& chunk);
  Position alternating(const QueuedChunk& chunk);
  template <class Passes>
  Position after_waiting(Passes passes);

  IntraOrder order_;
  int limit_;
  int running_ = 0;
  // Chunks leave from among the running ones and come, last in first out, right behind them: at the front of
  // ten thousand that wait.
  std::deque<QueuedChunk> chunks_;
};

}  // namespace overture::system
