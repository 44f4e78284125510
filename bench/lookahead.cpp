// The lookahead planner on a stream with the skew of Criteo Kaggle: nanoseconds of CPU time per lookup, all
// of it from raw ids to the finished plan of each step, in the steady state. Arguments: samples per batch,
// lookahead, trainers; `capped` with a cache of half the rows that the window would like, `indexed` with the
// place of every lookup.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include <benchmark/benchmark.h>

#include "overture/base/random.h"
#include "overture/lookahead/planner.h"

namespace overture::lookahead {
namespace {

struct SkewedTable {
  std::int64_t rows;
  double exponent;
};

// Rows and fitted exponents of the 26 tables of Criteo Kaggle.
constexpr std::array<SkewedTable, 26> kTables{
    {{1460, 1.98},  {583, 1.18},   {10131227, 0.96}, {2202608, 1.00}, {305, 2.00},  {24, 2.00},
     {12517, 0.82}, {633, 2.00},   {3, 2.00},        {93145, 1.02},   {5683, 0.86}, {8351593, 0.98},
     {3194, 0.88},  {27, 2.00},    {14992, 0.88},    {5461306, 0.98}, {10, 1.96},   {5652, 1.00},
     {2173, 1.62},  {4, 0.00},     {7046547, 0.98},  {18, 2.00},      {15, 2.00},   {286181, 1.06},
     {105, 2.00},   {142572, 1.26}}};

// A bounded power law over ranks by its inverse distribution, ranks scattered over the table.
std::int32_t draw(const SkewedTable& table, RandomStream& random) {
  const double u = random.unit();
  const double n = static_cast<double>(table.rows);
  const double power = 1 - table.exponent;
  const double x = std::abs(power) < 1e-9 ? std::pow(n + 1, u) - 1
                                          : std::pow(u * (std::pow(n + 1, power) - 1) + 1, 1 / power) - 1;
  const auto rank = std::min(static_cast<std::int64_t>(x), table.rows - 1);
  return static_cast<std::int32_t>(table.rows > 64 ? rank * 7919 % table.rows : rank);
}

// Enough batches that going round in them brings back no row within the window, by table and then by sample.
class Stream {
 public:
  Stream(std::int64_t samples, std::int64_t batches) : samples_(samples) {
    RandomStream random = RandomStreams(1).make("ids");
    ids_.reserve(static_cast<std::size_t>(samples * batches) * kTables.size());
    for (std::int64_t b = 0; b < batches; ++b) {
      for (const SkewedTable& table : kTables) {
        for (std::int64_t s = 0; s < samples; ++s) ids_.push_back(draw(table, random));
      }
    }
  }

  void feed(Planner& planner) {
    const std::int64_t trainers = planner.config().trainers;
    const auto share = static_cast<std::size_t>(samples_ / trainers);
    planner.begin_batch();
    for (std::size_t t = 0; t < kTables.size(); ++t) {
      for (int trainer = 0; trainer < trainers; ++trainer) {
        planner.add(trainer, static_cast<std::int64_t>(t), std::span(ids_).subspan(position_, share));
        position_ += share;
      }
    }
    planner.end_batch();
    if (position_ == ids_.size()) position_ = 0;
  }

  std::int64_t lookups_per_batch() const { return samples_ * static_cast<std::int64_t>(kTables.size()); }

 private:
  std::int64_t samples_;
  std::vector<std::int32_t> ids_;
  std::size_t position_ = 0;
};

struct Variant {
  bool capped = false;
  bool indexed = false;
};

PlannerConfig config(const benchmark::State& state, const Variant& variant) {
  PlannerConfig config{.lookahead = static_cast<std::int32_t>(state.range(1)),
                       .trainers = static_cast<std::int32_t>(state.range(2)),
                       .index_lookups = variant.indexed};
  if (variant.capped) config.capacity = state.range(0) * state.range(1);
  for (const SkewedTable& table : kTables) config.table_rows.push_back(table.rows);
  return config;
}

void plan(benchmark::State& state, const Variant& variant) {
  const std::int64_t lookahead = state.range(1);
  Stream stream(state.range(0), lookahead + 40);
  Planner planner(config(state, variant));
  StepPlan step;
  const auto one_step = [&] {
    while (!planner.next(step)) stream.feed(planner);
  };
  for (std::int64_t warm_up = 0; warm_up < 2 * lookahead; ++warm_up) one_step();
  std::int64_t hits = 0;
  std::int64_t rows = 0;
  for (auto _ : state) {
    one_step();
    hits += step.hits();
    rows += static_cast<std::int64_t>(step.rows.size());
  }
  const auto steps = static_cast<double>(state.iterations());
  const auto lookups = steps * static_cast<double>(stream.lookups_per_batch());
  state.counters["ns_per_lookup"] =
      benchmark::Counter(lookups * 1e-9, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["unique"] = static_cast<double>(rows) / lookups;
  state.counters["hit_rate"] = static_cast<double>(hits) / static_cast<double>(rows);
  state.counters["cache_rows"] = static_cast<double>(planner.slots());
}

BENCHMARK_CAPTURE(plan, unbounded, Variant{})
    ->Args({2048, 50, 1})
    ->Args({2048, 200, 1})
    ->Args({2048, 200, 8})
    ->Args({4096, 200, 8})
    ->Args({16384, 50, 8})
    ->Iterations(100)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(plan, capped, Variant{.capped = true})
    ->Args({2048, 200, 8})
    ->Iterations(100)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(plan, indexed, Variant{.indexed = true})
    ->Args({2048, 200, 8})
    ->Iterations(100)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace overture::lookahead
