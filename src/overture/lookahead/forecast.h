// Forecast: how many rows the cache will hold at each step of the window, if no further batch comes into it.
// A batch may come in only when none of these would exceed the capacity; so what has once been promised to a
// row can always be kept. With a prefetch depth equal to the lookahead this is the rule that the different
// rows of the window fit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace overture::lookahead {

// What one more batch would change. Counted by the window, judged by the forecast.
struct Arrivals {
  std::int64_t fresh = 0;                // rows that are not in the window
  std::vector<std::int64_t> kept_since;  // rows whose last use so far is batch step+i, by i
};

class Forecast {
 public:
  Forecast(std::int32_t lookahead, std::int32_t prefetch_depth, std::int64_t capacity);

  // Whether `batch` = window_end+1 may come in at `step`; if so, it is counted in.
  bool admit(std::int32_t step, std::int32_t batch, const Arrivals& arrivals);

  // `step` is over.
  void pass(std::int32_t step) { rows_[place(step)] = 0; }

 private:
  std::size_t place(std::int32_t step) const { return static_cast<std::size_t>(step) % rows_.size(); }

  std::int32_t prefetch_depth_;
  std::int64_t capacity_;
  std::vector<std::int64_t> rows_;   // per step of the window, a ring
  std::vector<std::int64_t> added_;  // per step from now, while a batch is judged
};

}  // namespace overture::lookahead
