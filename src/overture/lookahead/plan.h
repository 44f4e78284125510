// What the planner decides for one step: which rows leave the cache, which are brought in, and, for every row
// of the batch that runs, where it is, how long it stays and who must hear of its gradient. Plain data; a
// plan is enough to run the step, without the planner.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "overture/lookahead/row.h"

namespace overture::lookahead {

constexpr std::int32_t kNever = -1;

// When the gradients of a row's users must be brought together.
enum class Sync : std::uint8_t {
  now,    // the next batch uses the row: before that batch runs
  later,  // a later batch of the window does, or several trainers used it: behind the next batch
  none,   // one trainer used it and nobody in the window will: no exchange
};

enum class Event : std::uint8_t { hit, prefetch };

constexpr Sync sync_class(std::int32_t batch, std::int32_t next_use, Trainers users) {
  const int exchanged = next_use != kNever || several(users) ? 1 : 0;
  const int at_once = next_use == batch + 1 ? 1 : 0;
  return static_cast<Sync>(2 - exchanged - at_once);  // without a branch that nobody could predict
}

std::string_view name(Sync sync);
std::string_view name(Event event);

// A row of the batch that runs.
struct PlannedRow {
  Row row{};
  Trainers users = 0;              // who looks it up in this batch
  Trainers next_users = 0;         // who does in batch `next_use`
  std::uint32_t slot = 0;          // its place in the cache
  std::uint32_t count = 0;         // lookups in this batch
  std::int32_t ttl = 0;            // last batch of the window that uses it; >= this batch
  std::int32_t next_use = kNever;  // next batch of the window that uses it
  std::uint8_t owner = 0;          // the user that reduces its gradients and, in the end, writes it back
  Sync sync = Sync::none;
  Event event = Event::hit;

  bool operator==(const PlannedRow&) const = default;
};

// A row to read from the embedding servers into a free slot.
struct Fetch {
  Row row{};
  Trainers users = 0;  // who needs it in `for_batch`
  std::uint32_t slot = 0;
  std::int32_t for_batch = 0;

  bool operator==(const Fetch&) const = default;
};

// A row to write back to the embedding servers; its slot is free afterwards.
struct Eviction {
  Row row{};
  std::uint32_t slot = 0;
  std::uint8_t owner = 0;  // who writes it back

  bool operator==(const Eviction&) const = default;
};

// The order within a step: evict, fetch, run the batch. Rows stand in the order of their first lookup.
struct StepPlan {
  std::int32_t batch = 0;
  bool flush = false;     // the step after the last batch: everything left is written back, nothing runs
  bool clean_up = false;  // whether rows may leave and come at this step
  std::int32_t window_end = 0;  // the last batch the planner takes into account
  std::int32_t issue_step = 0;  // the step at which this batch came into the window
  std::int64_t lookups = 0;
  std::int64_t prefetches = 0;   // rows of this batch that were not kept for it
  std::int64_t window_rows = 0;  // different rows in the window
  std::int64_t occupancy = 0;    // rows that must be present while the batch runs
  std::int64_t resident = 0;     // rows that are, after this step's evictions and fetches
  std::vector<Eviction> evictions;
  std::vector<Fetch> fetches;
  std::vector<PlannedRow> rows;
  std::vector<std::uint32_t> lookup_rows;  // per lookup, its index in `rows`; only when asked for

  std::int64_t hits() const { return static_cast<std::int64_t>(rows.size()) - prefetches; }
  bool operator==(const StepPlan&) const = default;
};

}  // namespace overture::lookahead
