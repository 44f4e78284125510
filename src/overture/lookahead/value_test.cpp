// Plans carried out on numbers: every row counts its lookups, in a cache and on a server, so that a row read
// too early, twice or from the wrong place is seen at once. This is what makes cached training equal to
// uncached.
#include <map>

#include <gtest/gtest.h>

#include "overture/lookahead/testing.h"

namespace overture::lookahead {
namespace {

class CountingCache {
 public:
  explicit CountingCache(const PlannerConfig& config) : config_(config) {}

  void run(const StepPlan& plan) {
    apply_delayed(plan.batch);
    for (const Eviction& eviction : plan.evictions) evict(eviction, plan.batch);
    for (const Fetch& fetch : plan.fetches) bring(fetch, plan.batch);
    EXPECT_EQ(plan.resident, static_cast<std::int64_t>(slots_.size()));
    EXPECT_LE(plan.resident, config_.capacity.value_or(plan.resident));
    EXPECT_TRUE(plan.clean_up || (plan.evictions.empty() && plan.fetches.empty()));
    EXPECT_TRUE(plan.clean_up || plan.batch % config_.cleanup_interval != 0);
    for (const PlannedRow& row : plan.rows) use(row, plan);
  }

  void expect_all_written_back() const {
    EXPECT_TRUE(slots_.empty());
    EXPECT_EQ(server_, lookups_);
  }

 private:
  struct Slot {
    Row row{};
    std::int64_t value = 0;
    std::int64_t delayed = 0;       // a gradient that is still being exchanged
    std::int32_t applied_from = 0;  // the first batch that sees it
    std::int32_t needed_until = 0;
    int owner = 0;
    Trainers awaited_by = 0;  // users it was fetched for, until it is used
  };

  void apply_delayed(std::int32_t batch) {
    for (auto& [number, slot] : slots_) {
      if (slot.applied_from <= batch) slot.value += std::exchange(slot.delayed, 0);
    }
  }

  void evict(const Eviction& eviction, std::int32_t step) {
    ASSERT_TRUE(slots_.contains(eviction.slot));
    const Slot& slot = slots_.at(eviction.slot);
    EXPECT_EQ(slot.row, eviction.row);
    EXPECT_EQ(slot.owner, eviction.owner);
    EXPECT_LT(slot.needed_until, step) << "evicted before its last use in the window";
    EXPECT_EQ(slot.awaited_by, 0) << "evicted without having been used";
    server_[slot.row] = slot.value + slot.delayed;
    slots_.erase(eviction.slot);
  }

  void bring(const Fetch& fetch, std::int32_t step) {
    EXPECT_FALSE(slots_.contains(fetch.slot)) << "the slot is taken";
    for (const auto& [number, slot] : slots_) EXPECT_NE(slot.row, fetch.row) << "fetched twice";
    EXPECT_GE(fetch.for_batch, step);
    EXPECT_LE(fetch.for_batch, step + config_.depth() - 1);
    slots_[fetch.slot] = {.row = fetch.row,
                          .value = server_[fetch.row],
                          .needed_until = fetch.for_batch,
                          .awaited_by = fetch.users};
  }

  void use(const PlannedRow& row, const StepPlan& plan) {
    ASSERT_TRUE(slots_.contains(row.slot));
    Slot& slot = slots_.at(row.slot);
    ASSERT_EQ(slot.row, row.row);
    EXPECT_EQ(slot.value, lookups_[row.row]) << "misses an update of an earlier batch";
    EXPECT_EQ(slot.awaited_by, row.event == Event::prefetch ? row.users : 0);
    slot.awaited_by = 0;
    slot.needed_until = row.ttl;
    slot.owner = row.owner;
    slot.delayed += row.count;
    slot.applied_from = plan.batch + (row.sync == Sync::later ? 2 : 1);
    lookups_[row.row] += row.count;
  }

  PlannerConfig config_;
  std::map<std::uint32_t, Slot> slots_;
  std::map<Row, std::int64_t> server_;
  std::map<Row, std::int64_t> lookups_;  // the truth
};

TEST(PlannerValues, EveryReadHoldsAllUpdatesBeforeAndTheFlushLeavesNothingBehind) {
  for (std::uint64_t seed = 0; seed < 4000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const LookupTrace trace = random_trace(seed);
    CountingCache cache(trace.config);
    for (const StepPlan& plan : plan_all(trace)) cache.run(plan);
    cache.expect_all_written_back();
  }
}

TEST(PlannerValues, LookupsPointToTheirRows) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const LookupTrace trace = random_trace(seed);
    for (const StepPlan& plan : plan_all(trace)) {
      if (plan.flush) continue;
      std::size_t lookup = 0;
      for (const TraceSample& sample : trace.batches[static_cast<std::size_t>(plan.batch)]) {
        for (std::size_t t = 0; t < sample.size(); ++t) {
          for (const std::int64_t id : sample[t]) {
            ASSERT_EQ(plan.rows[plan.lookup_rows.at(lookup++)].row,
                      make_row(static_cast<std::int64_t>(t), id));
          }
        }
      }
      EXPECT_EQ(plan.lookups, static_cast<std::int64_t>(lookup));
      EXPECT_EQ(plan.lookup_rows.size(), lookup);
    }
  }
}

// Enough rows that the index is swept and grows, against a planner that searches nothing.
TEST(PlannerValues, LargeAndSmallTablesGiveTheSamePlan) {
  RandomStream random = RandomStreams(11).make("ids");
  std::vector<std::vector<std::int64_t>> batches(300);
  for (auto& batch : batches) {
    for (int i = 0; i < 200; ++i)
      batch.push_back(static_cast<std::int64_t>(random.below(1 + random.below(20'000))));
  }
  const PlannerConfig config{.lookahead = 20, .prefetch_depth = 5, .cleanup_interval = 3, .capacity = 1500};
  PlannerConfig large = config;
  PlannerConfig small = config;
  large.table_rows = {kMostRows};
  small.table_rows = {20'000};

  EXPECT_EQ(plan_all(simple_trace(large, batches)), plan_all(simple_trace(small, batches)));
}

}  // namespace
}  // namespace overture::lookahead
