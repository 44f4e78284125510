// The embedding loops against what the memory of this machine gives: rows at random from a table of a
// gigabyte, read and summed, or read, changed and written, by a bare loop on the same addresses. Prints a
// table; "of limit" is the bare loop's CPU time over ours, both measured here, one after the other. One
// thread.
#include <algorithm>
#include <cstdint>
#include <ctime>
#include <functional>
#include <vector>

#include <fmt/format.h>

#include "overture/base/random.h"
#include "overture/base/table.h"
#include "overture/embedding/arena.h"
#include "overture/embedding/lookups.h"

namespace overture::embedding {
namespace {

constexpr std::int64_t kSamples = 1 << 16;
constexpr int kRounds = 24;
constexpr std::size_t kTableBytes = std::size_t{1} << 30;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double timed(const std::function<void(int)>& work, int round) {
  const double started = cpu_seconds();
  work(round);
  return cpu_seconds() - started;
}

struct Bench {
  Bench(std::int32_t width, OptimizerKind kind)
      : layout(row_layout(kind, width)), arena(kTableBytes), dim(width) {
    const auto stride = static_cast<std::size_t>(layout.stride);
    const std::size_t rows = kTableBytes / sizeof(float) / stride;
    std::fill_n(arena.floats(), rows * stride, 0.5f);
    RandomStream random = RandomStreams(1).make("rows");
    config.tables = {{.rows = static_cast<std::int64_t>(rows), .dim = width}};
    config.optimizer.kind = kind;
    for (int round = 0; round < kRounds; ++round) {
      auto& batch = places.emplace_back();
      for (std::int64_t s = 0; s < kSamples; ++s)
        batch.push_back(arena.floats() + random.below(rows) * stride);
    }
    for (std::uint32_t s = 0; s < kSamples; ++s) numbers.push_back(s);
    out.resize(static_cast<std::size_t>(kSamples * dim));
    std::fill(out.begin(), out.end(), 1e-6f);
    const TableLookups tables[] = {{.rows = numbers}};
    lookups.assign(config, kSamples, kSamples, tables);
  }

  RowLayout layout;
  Arena arena;
  std::int32_t dim;
  TablesConfig config;
  std::vector<std::vector<float*>> places;  // per round, so that no round finds rows in a cache
  std::vector<std::uint32_t> numbers;
  std::vector<float> out;
  Lookups lookups;
  Workers workers;
};

// All cache lines of a row, whatever its alignment; to read, or to write too.
template <int kWrite>
void prefetch(const float* row, std::int32_t floats) {
  for (std::int32_t i = 0; i < floats; i += 16) __builtin_prefetch(row + i, kWrite);
  if (floats % 16 != 1) __builtin_prefetch(row + floats - 1, kWrite);
}

typedef float Eight __attribute__((vector_size(32)));

// Reads every row and copies it out, in order, with nothing else to do.
template <std::int32_t kDim>
void bare_gather(Bench& bench, int round) {
  const std::vector<float*>& rows = bench.places[static_cast<std::size_t>(round)];
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i + 16 < rows.size()) prefetch<0>(rows[i + 16], kDim);
    float* const out = bench.out.data() + i * kDim;
    for (std::int32_t c = 0; c < kDim; c += 8) {
      Eight value;
      __builtin_memcpy(&value, rows[i] + c, sizeof value);
      __builtin_memcpy(out + c, &value, sizeof value);
    }
  }
}

// Reads and writes every number of a row and of its state.
template <std::int32_t kDim, std::int32_t kState>
void bare_update(Bench& bench, int round) {
  constexpr std::int32_t kUsed = kDim + kState;
  const std::vector<float*>& rows = bench.places[static_cast<std::size_t>(round)];
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i + 16 < rows.size()) prefetch<1>(rows[i + 16], kUsed);
    const float* const from = bench.out.data() + i * kDim;
    for (std::int32_t c = 0; c + 8 <= kUsed; c += 8) {
      Eight value;
      Eight change;
      __builtin_memcpy(&value, rows[i] + c, sizeof value);
      __builtin_memcpy(&change, from + c % kDim, sizeof change);
      value += change;
      __builtin_memcpy(rows[i] + c, &value, sizeof value);
    }
    if (kUsed % 8 != 0) rows[i][kUsed - 1] += from[0];
  }
}

// In turns, each on rows that the other has not touched, and the best of several rounds of each: what other
// programs on the machine take is not ours.
void add_line(Table& table, const std::string& what, std::int32_t dim, const std::function<void(int)>& work,
              const std::function<void(int)>& bare) {
  double ours = 1e9;
  double limit = 1e9;
  for (int round = 0; round < kRounds; round += 2) {
    ours = std::min(ours, timed(work, round));
    limit = std::min(limit, timed(bare, round + 1));
  }
  const auto ns = [](double seconds) { return fmt::format("{:.1f}", seconds * 1e9 / kSamples); };
  table.add({what, std::to_string(dim), ns(ours), ns(limit), fmt::format("{:.0f} %", 100 * limit / ours)});
}

template <std::int32_t kDim>
void compare_pool(Table& table) {
  Bench bench(kDim, OptimizerKind::sgd);
  add_line(
      table, "pool", kDim,
      [&](int round) {
        bench.lookups.pool(bench.places[static_cast<std::size_t>(round)], bench.out, bench.workers);
      },
      [&](int round) { bare_gather<kDim>(bench, round); });
}

template <std::int32_t kDim, std::int32_t kState>
void compare_update(Table& table, OptimizerKind kind, const char* name) {
  Bench bench(kDim, kind);
  const UpdateRule rule = update_rule(bench.config.optimizer, 10);
  add_line(
      table, name, kDim,
      [&](int round) {
        bench.lookups.update(rule, bench.lookups.as_pooled(bench.out),
                             bench.places[static_cast<std::size_t>(round)], bench.workers);
      },
      [&](int round) { bare_update<kDim, kState>(bench, round); });
}

}  // namespace
}  // namespace overture::embedding

int main() {
  using namespace overture::embedding;
  overture::Table table({"loop", "dim", "ns/row", "bare loop", "of limit"});
  compare_pool<16>(table);
  compare_pool<48>(table);
  compare_pool<64>(table);
  compare_pool<128>(table);
  compare_update<16, 0>(table, OptimizerKind::sgd, "update, sgd");
  compare_update<48, 0>(table, OptimizerKind::sgd, "update, sgd");
  compare_update<64, 0>(table, OptimizerKind::sgd, "update, sgd");
  compare_update<16, 1>(table, OptimizerKind::adagrad, "update, row-wise adagrad");
  compare_update<48, 1>(table, OptimizerKind::adagrad, "update, row-wise adagrad");
  compare_update<64, 1>(table, OptimizerKind::adagrad, "update, row-wise adagrad");
  compare_update<16, 32>(table, OptimizerKind::adam, "update, adam");
  compare_update<48, 96>(table, OptimizerKind::adam, "update, adam");
  compare_update<64, 128>(table, OptimizerKind::adam, "update, adam");
  fmt::print("{}", table.text());
}
