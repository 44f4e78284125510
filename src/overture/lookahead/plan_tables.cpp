#include "overture/lookahead/plan_tables.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/append.h"
#include "overture/base/json.h"

namespace overture::lookahead {
namespace {

template <class Item, class Key>
std::vector<Item> sorted(std::vector<Item> items, Key key) {
  std::sort(items.begin(), items.end(), [&](const Item& a, const Item& b) { return key(a) < key(b); });
  return items;
}

// "0|1|3"
std::string list(Trainers trainers) {
  std::string text;
  for (; trainers != 0; trainers &= trainers - 1) {
    append_format(text, "{}{}", text.empty() ? "" : "|", std::countr_zero(trainers));
  }
  return text;
}

double rounded(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : std::round(1e6 * static_cast<double>(part) / static_cast<double>(whole)) / 1e6;
}

}  // namespace

PlanTables::PlanTables(const PlannerConfig& config)
    : bounded_(config.capacity.has_value()),
      batches_("batch,window_end,issue_step,lookups,unique,hits,prefetches,occupancy,evictions\n"),
      decisions_(
          "batch,table,id,event,ttl,prev_use,updates_before,occurrences_before,count,contributors,next_use,"
          "next_users,sync\n"),
      evictions_("after_batch,table,id\n"),
      cleanup_("cleanup_at,action,table,id,for_batch,resident_after\n") {}

void PlanTables::add(const StepPlan& plan) {
  totals_.peak_resident = std::max(totals_.peak_resident, plan.resident);
  if (plan.clean_up) add_clean_up(plan);
  if (plan.flush) return;
  const std::int64_t evicted_before = totals_.evictions;
  for (const PlannedRow& row : sorted(plan.rows, [](const PlannedRow& r) { return r.row; })) {
    add_row(plan.batch, row);
  }
  append_format(batches_, "{},{},{},{},{},{},{},{},{}\n", plan.batch, plan.window_end, plan.issue_step,
                plan.lookups, plan.rows.size(), plan.hits(), plan.prefetches, plan.occupancy,
                totals_.evictions - evicted_before);
  ++totals_.batches;
  totals_.lookups += plan.lookups;
  totals_.rows += static_cast<std::int64_t>(plan.rows.size());
  totals_.hits += plan.hits();
  totals_.prefetches += plan.prefetches;
  totals_.peak_occupancy = std::max(totals_.peak_occupancy, plan.occupancy);
  totals_.peak_window_rows = std::max(totals_.peak_window_rows, plan.window_rows);
}

void PlanTables::add_row(std::int32_t batch, const PlannedRow& row) {
  History& past = history_[row.row];
  append_format(decisions_, "{},{},{},{},{},{},{},{},{},{},{},{},{}\n", batch, table(row.row), id(row.row),
                name(row.event), row.ttl, past.last_use, past.batches, past.lookups, row.count,
                list(row.users), row.next_use, list(row.next_users), name(row.sync));
  past.last_use = batch;
  ++past.batches;
  past.lookups += row.count;
  ++totals_.syncs[static_cast<int>(row.sync)];
  if (row.ttl > batch) return;
  append_format(evictions_, "{},{},{}\n", batch, table(row.row), id(row.row));
  ++totals_.evictions;
}

void PlanTables::add_clean_up(const StepPlan& plan) {
  for (const Eviction& eviction : sorted(plan.evictions, [](const Eviction& e) { return e.row; })) {
    append_format(cleanup_, "{},evict,{},{},,{}\n", plan.batch, table(eviction.row), id(eviction.row),
                  plan.resident);
  }
  const auto key = [](const Fetch& fetch) { return std::tuple(fetch.for_batch, fetch.row); };
  for (const Fetch& fetch : sorted(plan.fetches, key)) {
    append_format(cleanup_, "{},prefetch,{},{},{},{}\n", plan.batch, table(fetch.row), id(fetch.row),
                  fetch.for_batch, plan.resident);
  }
}

std::string PlanTables::totals() const {
  const auto syncs = [&](Sync sync) { return totals_.syncs[static_cast<int>(sync)]; };
  const Json totals{{"batches", totals_.batches},
                    {"lookups", totals_.lookups},
                    {"unique_accesses", totals_.rows},
                    {"hits", totals_.hits},
                    {"prefetches", totals_.prefetches},
                    {"evictions", totals_.evictions},
                    {"peak_occupancy", totals_.peak_occupancy},
                    {"peak_resident_batched", bounded_ ? Json() : Json(totals_.peak_resident)},
                    {"distinct_rows", history_.size()},
                    {"sync_now", syncs(Sync::now)},
                    {"sync_later", syncs(Sync::later)},
                    {"sync_none", syncs(Sync::none)},
                    {"hit_rate_unique", rounded(totals_.hits, totals_.rows)},
                    {"peak_resident_early_prefetch", totals_.peak_window_rows}};
  return write_json(totals, 1) + "\n";
}

}  // namespace overture::lookahead
