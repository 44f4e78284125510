// The planner against the rules of docs/reference/lookahead.md, applied to random traces in the slowest and
// most literal way.
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "overture/lookahead/testing.h"

namespace overture::lookahead {
namespace {

struct Use {
  Trainers users = 0;
  std::uint32_t count = 0;
};

class Oracle {
 public:
  explicit Oracle(const LookupTrace& trace) : config_(trace.config) {
    for (const TraceBatch& batch : trace.batches) {
      auto& uses = uses_.emplace_back();
      for (std::size_t s = 0; s < batch.size(); ++s) {
        const std::size_t trainer = s / (batch.size() / static_cast<std::size_t>(config_.trainers));
        for (std::size_t t = 0; t < batch[s].size(); ++t) {
          for (const std::int64_t id : batch[s][t]) {
            Use& use = uses[make_row(static_cast<std::int64_t>(t), id)];
            use.users |= only(static_cast<int>(trainer));
            ++use.count;
          }
        }
      }
    }
  }

  std::int32_t batches() const { return static_cast<std::int32_t>(uses_.size()); }
  const std::map<Row, Use>& uses(std::int32_t batch) const { return uses_[static_cast<std::size_t>(batch)]; }
  bool hit(std::int32_t step, Row row) const { return ttl_.contains(row) && ttl_.at(row) >= step; }

  // Of the rows that the window [step, end] uses, those present at `when` if no other batch comes in.
  std::int64_t present(std::int32_t step, std::int32_t end, std::int32_t when) const {
    std::set<Row> rows;
    for (std::int32_t y = when; y <= end; ++y) {
      for (const auto& [row, use] : uses(y)) {
        const std::int32_t first = next_use(step, end, row);
        if (hit(step, row) || first - config_.depth() + 1 <= when) rows.insert(row);
      }
    }
    return static_cast<std::int64_t>(rows.size());
  }

  std::int32_t window_end(std::int32_t step) const {
    std::int32_t end = step;
    while (end + 1 < std::min(step + config_.lookahead, batches()) && fits(step, end + 1)) ++end;
    return end;
  }

  // The first batch in [from, to] that uses the row.
  std::int32_t next_use(std::int32_t from, std::int32_t to, Row row) const {
    for (std::int32_t y = from; y <= to; ++y) {
      if (uses(y).contains(row)) return y;
    }
    return kNever;
  }
  std::int32_t last_use(std::int32_t from, std::int32_t to, Row row) const {
    while (to > from && !uses(to).contains(row)) --to;
    return to;
  }
  std::int64_t different_rows(std::int32_t from, std::int32_t to) const {
    std::set<Row> rows;
    for (std::int32_t y = from; y <= to; ++y) {
      for (const auto& [row, use] : uses(y)) rows.insert(row);
    }
    return static_cast<std::int64_t>(rows.size());
  }

  void finish(std::int32_t step) {
    const std::int32_t end = window_end(step);
    std::map<Row, std::int32_t> ttl;
    for (const auto& [row, use] : uses(step)) ttl[row] = last_use(step, end, row);
    for (const auto& [row, batch] : ttl) ttl_[row] = batch;
  }
  std::int64_t occupancy(std::int32_t step) const {
    return std::count_if(ttl_.begin(), ttl_.end(), [&](const auto& entry) { return entry.second >= step; });
  }

 private:
  bool fits(std::int32_t step, std::int32_t end) const {
    for (std::int32_t when = step; config_.capacity && when <= end; ++when) {
      if (present(step, end, when) > *config_.capacity) return false;
    }
    return true;
  }

  PlannerConfig config_;
  std::vector<std::map<Row, Use>> uses_;
  std::map<Row, std::int32_t> ttl_;
};

void compare(const PlannedRow& row, std::int32_t step, std::int32_t end, const Oracle& oracle) {
  const Use& use = oracle.uses(step).at(row.row);
  EXPECT_EQ(row.users, use.users);
  EXPECT_EQ(row.count, use.count);
  EXPECT_EQ(row.event, oracle.hit(step, row.row) ? Event::hit : Event::prefetch);
  EXPECT_EQ(row.ttl, oracle.last_use(step, end, row.row));
  const std::int32_t next = oracle.next_use(step + 1, end, row.row);
  EXPECT_EQ(row.next_use, next);
  EXPECT_EQ(row.next_users, next == kNever ? 0 : oracle.uses(next).at(row.row).users);
  const bool alone = std::popcount(use.users) == 1;
  const Sync unused = alone ? Sync::none : Sync::later;
  EXPECT_EQ(row.sync, next == kNever ? unused : next == step + 1 ? Sync::now : Sync::later);
  EXPECT_NE(row.users & only(row.owner), 0);
}

void compare(const StepPlan& plan, Oracle& oracle) {
  const std::int32_t step = plan.batch;
  EXPECT_EQ(plan.window_end, oracle.window_end(step));
  EXPECT_EQ(plan.rows.size(), oracle.uses(step).size());
  EXPECT_EQ(plan.window_rows, oracle.different_rows(step, plan.window_end));
  for (const PlannedRow& row : plan.rows) compare(row, step, plan.window_end, oracle);
  oracle.finish(step);
  EXPECT_EQ(plan.occupancy, oracle.occupancy(step));
}

TEST(PlannerProperty, DecidesAsTheRulesSay) {
  for (std::uint64_t seed = 0; seed < 1000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const LookupTrace trace = random_trace(seed);
    Oracle oracle(trace);
    std::vector<std::int32_t> issue_steps;
    std::int32_t step = 0;
    for (const StepPlan& plan : plan_all(trace)) {
      ASSERT_EQ(plan.batch, step++);
      ASSERT_EQ(plan.flush, plan.batch == oracle.batches());
      if (plan.flush) break;
      compare(plan, oracle);
      issue_steps.resize(static_cast<std::size_t>(plan.window_end) + 1, plan.batch);
      EXPECT_EQ(plan.issue_step, issue_steps[static_cast<std::size_t>(plan.batch)]);
    }
  }
}

}  // namespace
}  // namespace overture::lookahead
