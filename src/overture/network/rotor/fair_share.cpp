#include "overture/network/rotor/fair_share.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace overture::network::rotor {
namespace {

constexpr int kRounds = 5;

int wanting(std::span<const int> demand) {
  return static_cast<int>(std::ranges::count_if(demand, [](int n) { return n > 0; }));
}

}  // namespace

void FairShare::take(std::span<int> demand, int capacity) {
  const std::int64_t all = std::accumulate(demand.begin(), demand.end(), std::int64_t{0});
  if (capacity <= 0) return;
  if (all <= capacity) {
    std::ranges::fill(demand, 0);
    return;
  }
  for (;;) {
    const int share = capacity / wanting(demand);
    bool excess = false;
    for (int& n : demand) {
      if (n <= 0) continue;
      const int taken = std::min(n, share);
      excess |= n < share;
      n -= taken;
      capacity -= taken;
    }
    if (!excess || wanting(demand) == 0) break;
  }
  deal_remainder(demand, capacity);
}

void FairShare::deal_remainder(std::span<int> demand, int capacity) {
  if (capacity <= 0) return;
  wanting_.clear();
  for (std::size_t i = 0; i < demand.size(); ++i) {
    if (demand[i] > 0) wanting_.push_back(i);
  }
  for (; capacity > 0 && !wanting_.empty(); --capacity) {
    const std::size_t pick = random_.below(wanting_.size());
    if (--demand[wanting_[pick]] > 0) continue;
    wanting_[pick] = wanting_.back();
    wanting_.pop_back();
  }
}

std::span<const int> FairShare::matrix(std::span<const int> demand, std::span<const int> row_capacity,
                                       std::span<const int> column_capacity) {
  const std::size_t rows = row_capacity.size();
  const std::size_t columns = column_capacity.size();
  left_.assign(demand.begin(), demand.end());
  granted_.assign(demand.size(), 0);
  for (int round = 0; round < kRounds && wanting(left_) > 0; ++round) {
    round_ = left_;  // becomes what the rows would leave, then what this round grants
    for (std::size_t r = 0; r < rows; ++r) {
      const auto begin = granted_.begin() + static_cast<std::ptrdiff_t>(r * columns);
      const int used = std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(columns), 0);
      take(std::span(round_).subspan(r * columns, columns), row_capacity[r] - used);
    }
    for (std::size_t i = 0; i < round_.size(); ++i) round_[i] = left_[i] - round_[i];
    for (std::size_t c = 0; c < columns; ++c) {
      column_.clear();
      int used = 0;
      for (std::size_t r = 0; r < rows; ++r) {
        column_.push_back(round_[r * columns + c]);
        used += granted_[r * columns + c];
      }
      take(column_, column_capacity[c] - used);
      for (std::size_t r = 0; r < rows; ++r) {
        const std::size_t i = r * columns + c;
        const int now = round_[i] - column_[r];
        granted_[i] += now;
        left_[i] -= now;
        used += now;
      }
      if (used < column_capacity[c]) continue;
      for (std::size_t r = 0; r < rows; ++r) left_[r * columns + c] = 0;
    }
    for (std::size_t r = 0; r < rows; ++r) {
      const auto begin = granted_.begin() + static_cast<std::ptrdiff_t>(r * columns);
      const int used = std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(columns), 0);
      if (used >= row_capacity[r]) std::fill_n(&left_[r * columns], columns, 0);
    }
  }
  return granted_;
}

void FairShare::shared(std::span<Element> elements, int capacity, std::span<const int> room) {
  order_.resize(elements.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::ranges::sort(order_, {}, [&](std::size_t i) { return std::pair(elements[i].column, i); });
  left_.clear();
  for (const Element& element : elements) left_.push_back(element.demand);
  int used = 0;
  for (int round = 0; round < kRounds && used < capacity && wanting(left_) > 0; ++round) {
    round_ = left_;
    take(round_, capacity - used);
    for (std::size_t i = 0; i < round_.size(); ++i) round_[i] = left_[i] - round_[i];
    limit_columns(elements, room);
    used = 0;
    for (const Element& element : elements) used += element.granted;
  }
}

// Grants what `round_` holds as far as the columns have room, and clears the demand of full columns.
void FairShare::limit_columns(std::span<Element> elements, std::span<const int> room) {
  for (std::size_t begin = 0; begin < order_.size();) {
    std::size_t end = begin;
    const int column = elements[order_[begin]].column;
    column_.clear();
    int used = 0;
    for (; end < order_.size() && elements[order_[end]].column == column; ++end) {
      column_.push_back(round_[order_[end]]);
      used += elements[order_[end]].granted;
    }
    take(column_, room[column] - used);
    for (std::size_t k = begin; k < end; ++k) {
      const std::size_t i = order_[k];
      const int now = round_[i] - column_[k - begin];
      elements[i].granted += now;
      left_[i] -= now;
      used += now;
    }
    if (used >= room[column]) {
      for (std::size_t k = begin; k < end; ++k) left_[order_[k]] = 0;
    }
    begin = end;
  }
}

}  // namespace overture::network::rotor
