#include "overture/report/miss_ratio.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "overture/base/hash.h"

namespace overture::report {
namespace {

constexpr int kPerOctave = 8;

// Rows are numbered in order of their frequency, so the bits must be mixed.
std::uint64_t hash_of(std::int64_t table, std::int64_t row) {
  return split_mix(static_cast<std::uint64_t>(row) + (static_cast<std::uint64_t>(table) + 1) * kGoldenStep);
}

std::size_t bucket(double rows) {
  return static_cast<std::size_t>(std::ceil(kPerOctave * std::log2(std::max(1.0, rows)) - 1e-9));
}

}  // namespace

void MissRatioCurve::add(std::int64_t table, std::int64_t row) {
  const std::uint64_t hash = hash_of(table, row);
  if (hash > threshold_) return;
  const auto [found, is_new] = rows_.try_emplace(hash);
  if (!is_new && found->second.batch == batch_) return;
  if (is_new) {
    ++first_uses_;
  } else {
    // The cache needs room for what was used since, and for the row itself.
    const double needed = static_cast<double>(used_since(found->second.last) + 1) / rate_;
    const std::size_t at = bucket(needed);
    if (at >= reused_.size()) reused_.resize(at + 1);
    ++reused_[at];
    mark(found->second.last, -1);
  }
  use(found->second);
  if (rows_.size() > most_rows_) lower_rate();
}

void MissRatioCurve::use(Row& row) {
  row.batch = batch_;
  row.last = uses_;  // the latest
  if (uses_ == tree_.size()) return compact();
  mark(uses_++, 1);
}

// Half of the rows go, and with them half of what they counted.
void MissRatioCurve::lower_rate() {
  threshold_ /= 2;
  rate_ /= 2;
  std::erase_if(rows_, [this](const auto& row) { return row.first > threshold_; });
  for (double& count : reused_) count /= 2;
  first_uses_ /= 2;
  compact();
}

// Numbers the uses anew, in their order, with as much room again.
void MissRatioCurve::compact() {
  std::vector<Row*> order;
  order.reserve(rows_.size());
  for (auto& [hash, row] : rows_) order.push_back(&row);
  std::ranges::sort(order, {}, [](const Row* row) { return row->last; });
  tree_.assign(std::max<std::size_t>(1024, 4 * order.size()), 0);
  uses_ = 0;
  for (Row* row : order) {
    row->last = uses_++;
    mark(row->last, 1);
  }
}

void MissRatioCurve::mark(std::size_t place, std::int32_t change) {
  for (std::size_t i = place + 1; i <= tree_.size(); i += i & (~i + 1)) tree_[i - 1] += change;
}

// Rows whose last use is later than `place`.
std::size_t MissRatioCurve::used_since(std::size_t place) const {
  std::int64_t before = 0;
  for (std::size_t i = place + 1; i > 0; i -= i & (~i + 1)) before += tree_[i - 1];
  return rows_.size() - static_cast<std::size_t>(before);
}

std::string MissRatioCurve::csv() const {
  std::string text = "cache_rows,miss_ratio\n";
  const double all = std::accumulate(reused_.begin(), reused_.end(), first_uses_);
  double missed = all;
  std::int64_t last = 0;
  for (std::size_t i = 0; i < reused_.size(); ++i) {
    missed -= reused_[i];
    const auto rows = static_cast<std::int64_t>(std::pow(2.0, static_cast<double>(i) / kPerOctave) + 1e-9);
    if (rows > last) text += fmt::format("{},{:.6f}\n", rows, missed / all);
    last = rows;
  }
  return text;
}

}  // namespace overture::report
