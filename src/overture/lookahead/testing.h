// For the tests of this folder: random traces and whole plans.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "overture/base/random.h"
#include "overture/lookahead/planner.h"
#include "overture/lookahead/trace.h"

namespace overture::lookahead {

// Every step of the trace's plan, the flush included.
inline std::vector<StepPlan> plan_all(const LookupTrace& trace) {
  Planner planner(trace.config);
  std::vector<StepPlan> steps;
  StepPlan plan;
  std::size_t batch = 0;
  while (!planner.done()) {
    while (!planner.next(plan)) {
      if (batch == trace.batches.size()) {
        planner.end_of_stream();
      } else {
        add_batch(planner, trace.batches[batch++]);
      }
    }
    steps.push_back(plan);
  }
  return steps;
}

// One table, one trainer, a lookup per sample.
inline LookupTrace simple_trace(PlannerConfig config, const std::vector<std::vector<std::int64_t>>& batches) {
  if (config.table_rows.empty()) config.table_rows = {1000};
  LookupTrace trace{.config = std::move(config)};
  for (const auto& ids : batches) {
    auto& batch = trace.batches.emplace_back();
    for (const std::int64_t id : ids) batch.push_back({{id}});
  }
  return trace;
}

inline std::int64_t most_different_rows(const LookupTrace& trace) {
  std::size_t most = 1;
  for (const TraceBatch& batch : trace.batches) {
    std::vector<Row> rows;
    for (const TraceSample& sample : batch) {
      for (std::size_t t = 0; t < sample.size(); ++t) {
        for (const std::int64_t id : sample[t]) rows.push_back(make_row(static_cast<std::int64_t>(t), id));
      }
    }
    std::sort(rows.begin(), rows.end());
    most = std::max(most, static_cast<std::size_t>(std::unique(rows.begin(), rows.end()) - rows.begin()));
  }
  return static_cast<std::int64_t>(most);
}

// Multi-hot, some features empty, popular ids first; tables small enough for an array, and larger ones; a run
// may be shorter than its lookahead and have empty batches; the capacity is often as tight as possible.
inline LookupTrace random_trace(std::uint64_t seed) {
  RandomStream random = RandomStreams(seed).make("trace");
  const auto draw = [&](std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most - least + 1)));
  };
  PlannerConfig config{.lookahead = static_cast<std::int32_t>(draw(1, 9)),
                       .trainers = static_cast<std::int32_t>(draw(1, 5)),
                       .index_lookups = true};
  if (draw(0, 1) == 0) config.prefetch_depth = static_cast<std::int32_t>(draw(1, config.lookahead));
  config.cleanup_interval = static_cast<std::int32_t>(draw(1, config.lookahead));
  const std::int64_t ids = draw(2, 60);
  const std::int64_t sizes[] = {ids, 1 << 12, 1 << 20, kMostRows};  // the window treats all differently
  for (std::int64_t t = draw(1, 4); t > 0; --t) config.table_rows.push_back(sizes[draw(0, 3)]);
  LookupTrace trace{.config = std::move(config)};
  trace.batches.resize(static_cast<std::size_t>(draw(0, 25)));
  for (TraceBatch& batch : trace.batches) {
    batch.resize(static_cast<std::size_t>(draw(0, 3) * trace.config.trainers),
                 TraceSample(trace.config.table_rows.size()));
    for (TraceSample& sample : batch) {
      for (auto& feature : sample) {
        for (std::int64_t n = draw(0, 3); n > 0; --n) feature.push_back(draw(0, draw(0, ids - 1)));
      }
    }
  }
  if (draw(0, 2) > 0) trace.config.capacity = most_different_rows(trace) + draw(0, 2) * draw(0, 30);
  return trace;
}

}  // namespace overture::lookahead
