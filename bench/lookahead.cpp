// The lookahead planner on a stream with the skew of Criteo Kaggle: nanoseconds of CPU time per lookup, all
// of it from raw ids to the finished plan of each step, in the steady state. Arguments: samples per batch,
// lookahead, trainers; `capped` with a cache of half the rows that the window would like, `indexed` with the
// place of every lookup. `ns_each` is the mean, `ns_quiet` that of the tenth of the steps that other programs
// on the machine disturbed least.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <ctime>
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

  template <class Visit>
  void for_each(std::int64_t batch, Visit visit) const {
    auto id = ids_.begin() + batch * lookups_per_batch();
    for (std::size_t t = 0; t < kTables.size(); ++t) {
      for (std::int64_t s = 0; s < samples_; ++s) visit(static_cast<std::int64_t>(t), *id++);
    }
  }

  std::int64_t lookups_per_batch() const { return samples_ * static_cast<std::int64_t>(kTables.size()); }

 private:
  std::int64_t samples_;
  std::vector<std::int32_t> ids_;
  std::size_t position_ = 0;
};

void set_rate(benchmark::State& state, double per_iteration) {
  state.counters["ns_each"] =
      benchmark::Counter(per_iteration * static_cast<double>(state.iterations()) * 1e-9,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

double cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

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
  // Until the window is full, and then until the memory is as large as it gets.
  for (std::int64_t warm_up = 0; warm_up < 4 * lookahead + 200; ++warm_up) one_step();
  std::int64_t hits = 0;
  std::int64_t rows = 0;
  std::vector<double> times;
  for (auto _ : state) {
    const double started = cpu_ns();
    one_step();
    times.push_back(cpu_ns() - started);
    hits += step.hits();
    rows += static_cast<std::int64_t>(step.rows.size());
  }
  const auto lookups = static_cast<double>(stream.lookups_per_batch());
  set_rate(state, lookups);
  const auto tenth = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 10);
  std::nth_element(times.begin(), tenth, times.end());
  state.counters["ns_quiet"] = *tenth / lookups;
  state.counters["unique"] = static_cast<double>(rows) / (lookups * static_cast<double>(state.iterations()));
  state.counters["hit_rate"] = static_cast<double>(hits) / static_cast<double>(rows);
  state.counters["cache_rows"] = static_cast<double>(planner.slots());
}

void unique(benchmark::State& state) {
  struct Entry {
    std::uint64_t row;
    std::uint32_t batch;
    std::uint32_t count;
  };
  const Stream stream(state.range(0), 40);
  std::vector<Entry> table(static_cast<std::size_t>(state.range(0)) * 32);  // a power of two, half empty
  std::uint32_t batch = 0;
  for (auto _ : state) {
    ++batch;
    stream.for_each(batch % 40, [&](std::int64_t t, std::int32_t id) {
      const Row row = make_row(t, id);
      std::size_t i = hash(row) % table.size();
      while (table[i].batch == batch && table[i].row != static_cast<std::uint64_t>(row))
        i = (i + 1) % table.size();
      if (table[i].batch != batch) table[i] = {static_cast<std::uint64_t>(row), batch, 0};
      ++table[i].count;
    });
  }
  benchmark::DoNotOptimize(table.data());
  set_rate(state, static_cast<double>(stream.lookups_per_batch()));
}

void random_read(benchmark::State& state) {
  const std::vector<std::uint64_t> words(std::size_t{1} << 25, 1);
  std::uint64_t place = 1;
  std::uint64_t sum = 0;
  for (auto _ : state) {
    for (int i = 0; i < 100'000; ++i) {
      place = place * 6364136223846793005 + 1442695040888963407;
      sum += words[place >> 39];
    }
  }
  benchmark::DoNotOptimize(sum);
  set_rate(state, 100'000);
}

void settings(benchmark::internal::Benchmark* bench) {
  bench->Iterations(200)->Unit(benchmark::kMillisecond);
}

BENCHMARK(random_read)->Apply(settings);
BENCHMARK(unique)->Arg(2048)->Apply(settings);
BENCHMARK_CAPTURE(plan, unbounded, Variant{})
    ->Args({2048, 50, 1})
    ->Args({2048, 200, 1})
    ->Args({2048, 200, 8})
    ->Args({4096, 200, 8})
    ->Args({16384, 50, 8})
    ->Apply(settings);
BENCHMARK_CAPTURE(plan, capped, Variant{.capped = true})->Args({2048, 200, 8})->Apply(settings);
BENCHMARK_CAPTURE(plan, indexed, Variant{.indexed = true})->Args({2048, 200, 8})->Apply(settings);

}  // namespace
}  // namespace overture::lookahead
