#include "overture/system/chunk_queue.h"

#include <algorithm>
#include <optional>

#include "overture/base/check.h"

namespace overture::system {

// Behind all running chunks and every waiting one that `passes`, up to the first that does not.
template <class Passes>
ChunkQueue::Position ChunkQueue::after_waiting(Passes passes) {
  return std::find_if_not(chunks_.begin(), chunks_.end(),
                          [&](const QueuedChunk& other) { return other.running || passes(other); });
}

ChunkQueue::Position ChunkQueue::by_priority(const QueuedChunk& chunk) {
  const auto passes = [&](const QueuedChunk& other) { return other.priority >= chunk.priority; };
  // Where all go by priority they are sorted by it.
  if (order_ == IntraOrder::fifo)
    return std::partition_point(chunks_.begin() + running_, chunks_.end(), passes);
  return after_waiting(passes);
}

// RG: reduce-scatters and all-gathers in turn among equal priorities. Right behind the running chunks one
// waiting chunk is passed over whatever it is; that is how the original walks.
ChunkQueue::Position ChunkQueue::alternating(const QueuedChunk& chunk) {
  std::optional<CollectiveKind> before_last;
  std::optional<CollectiveKind> last;
  const auto end = chunks_.end();
  for (auto it = chunks_.begin(); it != end; ++it) {
    before_last = last;
    last = it->kind;
    if (it->running) {
      if (it + 1 != end && !(it + 1)->running) {
        ++it;
        before_last = last;
        last = it->kind;
      }
      continue;
    }
    if (it->priority > chunk.priority) continue;
    const bool in_turn =
        before_last && *last != *before_last &&
        (*last == CollectiveKind::reduce_scatter || *last == CollectiveKind::all_gather) &&
        (*before_last == CollectiveKind::reduce_scatter || *before_last == CollectiveKind::all_gather);
    if (!in_turn) return it;
  }
  return end;
}

void ChunkQueue::insert(const QueuedChunk& chunk) {
  const bool only_priority =
      chunk.kind == CollectiveKind::all_to_all || chunk.kind == CollectiveKind::all_reduce;
  Position position = chunks_.end();
  switch (only_priority ? IntraOrder::fifo : order_) {
    case IntraOrder::fifo: position = by_priority(chunk); break;
    case IntraOrder::rg: position = alternating(chunk); break;
    case IntraOrder::smallest_first:
      if (chunk.phases_left == 1) break;  // to the end
      position = after_waiting([&](const QueuedChunk& other) { return other.largest < chunk.largest; });
      break;
    case IntraOrder::less_remaining_phase_first:
      position =
          after_waiting([&](const QueuedChunk& other) { return other.phases_left < chunk.phases_left; });
      break;
  }
  chunks_.insert(position, chunk);
}

void ChunkQueue::remove(std::int32_t id) {
  const auto found =
      std::find_if(chunks_.begin(), chunks_.end(), [id](const QueuedChunk& c) { return c.id == id; });
  check(found != chunks_.end() && found->running, "only a running chunk leaves");
  chunks_.erase(found);
  --running_;
}

std::int32_t ChunkQueue::start_next() {
  if (running_ >= limit_ || static_cast<std::size_t>(running_) == chunks_.size()) return -1;
  QueuedChunk& chunk = chunks_[static_cast<std::size_t>(running_++)];
  chunk.running = true;
  return chunk.id;
}

}  // namespace overture::system
