// A DLRM's look-ahead cache in a setup, `workload: {dlrm: ..., cache: ...}`: its keys, and the planned
// training that they describe. The planner runs over the data itself; what it decides is what is sent.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "overture/base/words.h"
#include "overture/lookahead/traffic.h"
#include "overture/setup/train_setup.h"
#include "overture/setup/visitors.h"
#include "overture/workload/cached_dlrm.h"
#include "overture/workload/dlrm_training.h"

namespace overture::setup {

enum class CacheMessages : std::uint8_t { automatic, exact, even };
constexpr auto vocabulary(CacheMessages) {
  return std::to_array<Word<CacheMessages>>({
      {CacheMessages::automatic, "auto"},
      {CacheMessages::exact, "exact"},
      {CacheMessages::even, "even"},
  });
}

struct CacheSetup {
  int lookahead = 200;
  std::optional<int> depth;
  int cleanup_interval = 1;
  std::optional<int> capacity;
  int servers = 0;  // 0: one beside every trainer
  bool apart = false;
  embedding::Sharding sharding = embedding::Sharding::hash;
  embedding::OptimizerKind optimizer = embedding::OptimizerKind::sgd;
  bool orders = true;
  CacheMessages messages = CacheMessages::automatic;
  std::optional<int> warm_up;
  TrainData data;
  std::string trace;
};

// What the planner decided for the steps that are simulated.
struct PlannedSteps {
  std::vector<lookahead::StepTraffic> steps;
  lookahead::TrafficPlanner::Totals totals;
};

// Planned steps by what they follow from: setups that differ in the network alone are planned once. For many
// threads.
class PlannedTraffic {
 public:
  using Planned = std::shared_ptr<const PlannedSteps>;
  template <class Make>
  Planned find_or(const std::string& key, Make make) {
    std::shared_ptr<Entry> entry;
    {
      const std::lock_guard lock(mutex_);
      auto& found = entries_[key];
      if (!found) found = std::make_shared<Entry>();
      entry = found;
    }
    const std::lock_guard lock(entry->mutex);
    if (!entry->planned) entry->planned = std::make_shared<const PlannedSteps>(make());
    return entry->planned;
  }

 private:
  struct Entry {
    std::mutex mutex;
    Planned planned;
  };
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Entry>> entries_;
};

struct CachedRun {
  workload::TaskGraph graph{0};
  std::string note;  // what the planner found, in a sentence
};

// On a network of so many ranks. `memo` may be null. Files are found beside `file`, the setup's own. Throws
// UserError that names its key.
struct CachedRunOptions {
  std::string file;
  std::uint64_t seed = 1;
  int ranks = 0;
  int steps = 1;
};
CachedRun make_cached_run(const CacheSetup& cache, const workload::DlrmTraining& training,
                          const CachedRunOptions& options, PlannedTraffic* memo);

template <class V>
void describe(V& v, CacheSetup& c) {
  v.from("Bagpipe (SOSP 2023): 200 batches ahead");
  v.field("lookahead", c.lookahead,
          "Batches that the planner looks ahead; 1: rows are fetched for every batch");
  v.field("depth", c.depth, "Batches by which a row may be fetched early; the lookahead if left out");
  v.field("cleanup_interval", c.cleanup_interval, "Batches between clean-ups");
  v.field("capacity", c.capacity, "Rows that the cache holds; as many as the lookahead needs if left out");
  v.from("ours");
  v.field("servers", c.servers, "Embedding servers; 0: one beside every trainer");
  v.field("apart", c.apart,
          "Servers and oracle have ranks of their own, the last ones; otherwise they share the trainers'");
  v.field("sharding", c.sharding,
          "How servers divide the rows: by id modulo servers, ranges of ids, whole tables, or columns");
  v.field("optimizer", c.optimizer, "Optimizer of the rows; what it remembers of a row travels with the row");
  v.field("orders", c.orders, "The oracle sends every trainer its part of the batch and of the plan");
  v.field(
      "messages", c.messages,
      "exact: every pair sends what the trainer sends; even: as much as the busiest party on the average; "
      "auto: exact up to 32 trainers");
  v.field("warm_up", c.warm_up,
          "Steps that are planned before the first simulated one; the lookahead if left out");
  v.group("data", "What the planner looks ahead in: a file, or synthetic data",
          [&](auto& group) { describe(group, c.data); });
  v.field("trace", c.trace,
          "In place of data: a lookup trace (JSON), beside the setup; see docs/reference/lookahead.md");
}

}  // namespace overture::setup
