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
constexpr std::size_t kTableBytes = std::size_t{1} << 30;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// The best of several rounds: what other programs on the machine take is not ours.
double best(const std::function<void(int)>& work) {
  double least = 1e9;
  for (int round = 0; round < 15; ++round) {
    const double started = cpu_seconds();
    work(round);
    least = std::min(least, cpu_seconds() - started);
  }
  return least;
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
    for (int round = 0; round < 16; ++round) {
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

void prefetch(const float* row, std::int32_t floats) {
  for (std::int32_t i = 0; i < floats; i += 16) __builtin_prefetch(row + i);
}

typedef float Eight __attribute__((vector_size(32)));

// Reads every row and copies it out, in order, with nothing else to do.
void bare_gather(Bench& bench, int round) {
  const std::vector<float*>& rows = bench.places[static_cast<std::size_t>(round)];
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i + 16 < rows.size()) prefetch(rows[i + 16], bench.dim);
    float* const out = bench.out.data() + i * static_cast<std::size_t>(bench.dim);
    for (std::int32_t c = 0; c < bench.dim; c += 8) {
      Eight value;
      __builtin_memcpy(&value, rows[i] + c, sizeof value);
      __builtin_memcpy(out + c, &value, sizeof value);
    }
  }
}

// Reads and writes every number of a row and of its state.
void bare_update(Bench& bench, int round) {
  const std::vector<float*>& rows = bench.places[static_cast<std::size_t>(round)];
  const std::int32_t used = bench.layout.used();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i + 16 < rows.size()) prefetch(rows[i + 16], used);
    const float* const from = bench.out.data() + i * static_cast<std::size_t>(bench.dim);
    for (std::int32_t c = 0; c + 8 <= used; c += 8) {
      Eight value;
      Eight change;
      __builtin_memcpy(&value, rows[i] + c, sizeof value);
      __builtin_memcpy(&change, from + c % bench.dim, sizeof change);
      value += change;
      __builtin_memcpy(rows[i] + c, &value, sizeof value);
    }
    if (used % 8 != 0) rows[i][used - 1] += from[0];
  }
}

void add_line(Table& table, const std::string& what, std::int32_t dim, double ours, double limit) {
  const auto ns = [](double seconds) { return fmt::format("{:.1f}", seconds * 1e9 / kSamples); };
  table.add({what, std::to_string(dim), ns(ours), ns(limit), fmt::format("{:.0f} %", 100 * limit / ours)});
}

}  // namespace
}  // namespace overture::embedding

int main() {
  using namespace overture::embedding;
  overture::Table table({"loop", "dim", "ns/row", "bare loop", "of limit"});
  for (const std::int32_t dim : {16, 48, 64, 128}) {
    Bench bench(dim, OptimizerKind::sgd);
    add_line(table, "pool", dim, best([&](int round) {
               bench.lookups.pool(bench.places[static_cast<std::size_t>(round)], bench.out, bench.workers);
             }),
             best([&](int round) { bare_gather(bench, round); }));
  }
  for (const auto& [kind, name] : {std::pair(OptimizerKind::sgd, "update, sgd"),
                                   std::pair(OptimizerKind::adagrad, "update, row-wise adagrad"),
                                   std::pair(OptimizerKind::adam, "update, adam")}) {
    for (const std::int32_t dim : {16, 48, 64}) {
      Bench bench(dim, kind);
      const UpdateRule rule = update_rule(bench.config.optimizer, 10);
      add_line(table, name, dim, best([&](int round) {
                 bench.lookups.update(rule, bench.out, bench.places[static_cast<std::size_t>(round)],
                                      bench.workers);
               }),
               best([&](int round) { bare_update(bench, round); }));
    }
  }
  fmt::print("{}", table.text());
}
