#include "overture/lookahead/window.h"

#include <algorithm>
#include <array>
#include <utility>

namespace overture::lookahead {
namespace {

// In Criteo three lookups of four go to tables this small. What is kept for all of them is 80 MiB at most.
constexpr std::int64_t kSmallTable = 1 << 18;
constexpr std::int64_t kSmallRows = 1 << 21;

// How far ahead memory is asked for: enough to hide a miss, little enough to be still there.
constexpr std::uint32_t kAhead = 32;

}  // namespace

Window::Window(const std::vector<std::int64_t>& table_rows, bool index_lookups)
    : index_lookups_(index_lookups) {
  std::int64_t end = 0;
  for (const std::int64_t rows : table_rows) {
    const bool small = rows <= kSmallTable && end + rows <= kSmallRows;
    small_from_.push_back(small ? end : -1);
    if (small) end += rows;
  }
  seen_.resize(static_cast<std::size_t>(end));
  known_.resize(static_cast<std::size_t>(end));
}

void Window::begin_batch() {
  WindowBatch& batch = batches_.push();
  batch.from = batch.to = uses_.end();
}

template <class Id>
void Window::read(std::int64_t table, int trainer, std::span<const Id> ids) {
  WindowBatch& batch = batches_[batches_.end() - 1];
  batch.lookups += static_cast<std::int64_t>(ids.size());
  if (small_from_[static_cast<std::size_t>(table)] >= 0) {
    read_small(table, only(trainer), ids, batch);
  } else {
    read_large(table, only(trainer), ids, batch);
  }
  batch.to = uses_.end();
}

template void Window::read(std::int64_t, int, std::span<const std::int32_t>);
template void Window::read(std::int64_t, int, std::span<const std::int64_t>);

// Where the numbers of so many lookups go; null when nobody wants them.
std::uint32_t* Window::room_for_numbers(WindowBatch& batch, std::size_t lookups) const {
  if (!index_lookups_) return nullptr;
  batch.lookup_rows.resize(batch.lookup_rows.size() + lookups);
  return batch.lookup_rows.data() + batch.lookup_rows.size() - lookups;
}

template <class Id>
void Window::read_small(std::int64_t table, Trainers user, std::span<const Id> ids, WindowBatch& batch) {
  const auto known_from = static_cast<std::uint32_t>(small_from_[static_cast<std::size_t>(table)]);
  Seen* const seen = seen_.data() + known_from;
  const std::int32_t now = batches_.end() - 1;
  const std::uint32_t first_new = uses_.end();
  std::uint32_t* numbers = room_for_numbers(batch, ids.size());
  for (const Id id : ids) {
    Seen& last = seen[id];
    if (last.batch == now) {
      WindowRow& use = uses_[last.place];
      use.users |= user;
      ++use.count;
    } else {
      last = {now, uses_.end()};
      uses_.push({.users = user, .known = known_from + static_cast<std::uint32_t>(id), .count = 1});
    }
    if (numbers != nullptr) *numbers++ = last.place - batch.from;
  }
  for (std::uint32_t place = first_new; place != uses_.end(); ++place) {
    if (uses_.end() - place > kAhead) __builtin_prefetch(&known_[uses_[place + kAhead].known], 1);
    const std::uint32_t known = uses_[place].known;
    known_[known].row = make_row(table, known - known_from);
    note_use(known_[known], place);
  }
}

// In blocks, one kind of memory access after the other, so that the misses of each overlap.
template <class Id>
void Window::read_large(std::int64_t table, Trainers user, std::span<const Id> ids, WindowBatch& batch) {
  const std::int32_t now = batches_.end() - 1;
  std::uint32_t* numbers = room_for_numbers(batch, ids.size());
  std::array<std::uint32_t, 64> halves;
  std::array<std::uint32_t, halves.size()> guesses;
  for (; !ids.empty(); ids = ids.subspan(std::min(ids.size(), halves.size()))) {
    const std::size_t size = std::min(ids.size(), halves.size());
    for (std::size_t i = 0; i < size; ++i) {
      halves[i] = hash(make_row(table, ids[i]));
      index_.prefetch(halves[i]);
    }
    for (std::size_t i = 0; i < size; ++i) {
      guesses[i] = index_.find(halves[i], [](std::uint32_t) { return true; });
      if (guesses[i] != RowIndex::kAbsent) __builtin_prefetch(&known_[guesses[i]], 1);
    }
    for (std::size_t i = 0; i < size; ++i) {
      const Row row = make_row(table, ids[i]);
      const bool right = guesses[i] != RowIndex::kAbsent && known_[guesses[i]].row == row;
      const std::uint32_t known = right ? guesses[i] : find_or_add(row, halves[i]);
      std::uint32_t place = known_[known].last_place;
      if (known_[known].last_use == now) {
        uses_[place].users |= user;
        ++uses_[place].count;
      } else {
        place = uses_.end();
        uses_.push({.users = user, .known = known, .count = 1});
        note_use(known_[known], place);
      }
      if (numbers != nullptr) *numbers++ = place - batch.from;
    }
  }
}

// Tells a row of its new use, and the use of the row's last one.
inline void Window::note_use(KnownRow& known, std::uint32_t place) {
  uses_[place].other_use = known.last_use;
  uses_[place].previous_place = known.last_place;
  known.previous_use = known.last_use;
  known.last_use = batches_.end() - 1;
  known.last_place = place;
}

std::uint32_t Window::find_or_add(Row row, std::uint32_t half) {
  const std::uint32_t found = index_.find(
      half, [&](std::uint32_t known) { return known != RowIndex::kAbsent && known_[known].row == row; });
  return found != RowIndex::kAbsent ? found : add(row, half);
}

std::uint32_t Window::add(Row row, std::uint32_t half) {
  if (index_.full()) sweep();
  auto place = static_cast<std::uint32_t>(known_.size());
  if (free_.empty()) {
    known_.push_back({.row = row});
  } else {
    place = free_.back();
    free_.pop_back();
    known_[place] = {.row = row};
  }
  index_.insert(half, place);
  return place;
}

void Window::sweep() {
  const auto is_stale = [this](std::uint32_t known) {
    if (known_[known].last_use >= begin_) return false;
    known_[known].row = kNoRow;  // so that nobody takes it for what it was
    free_.push_back(known);
    return true;
  };
  index_.sweep(is_stale, [this](std::uint32_t known) { __builtin_prefetch(&known_[known], 1); });
}

void Window::count(Arrivals& arrivals) const {
  const WindowBatch& batch = batches_[end_ + 1];
  arrivals.fresh = 0;
  std::fill(arrivals.kept_since.begin(), arrivals.kept_since.end(), 0);
  for (std::uint32_t place = batch.from; place != batch.to; ++place) {
    const std::int32_t previous = uses_[place].other_use;
    if (previous < begin_) {
      ++arrivals.fresh;
    } else {
      ++arrivals.kept_since[static_cast<std::size_t>(previous - begin_)];
    }
  }
}

void Window::enter() {
  WindowBatch& batch = batches_[++end_];
  batch.issue_step = begin_;
  for (std::uint32_t place = batch.from; place != batch.to; ++place) {
    if (batch.to - place > kAhead) {
      const WindowRow& soon = uses_[place + kAhead];
      if (soon.other_use >= begin_) __builtin_prefetch(&uses_[soon.previous_place], 1);
    }
    WindowRow& use = uses_[place];
    if (std::exchange(use.other_use, kNever) < begin_) {
      batch.fresh.push_back(place);
    } else {
      WindowRow& before = uses_[use.previous_place];
      before.other_use = end_;
      before.next_users = use.users;
    }
  }
  rows_ += static_cast<std::int64_t>(batch.fresh.size());
}

void Window::pop() {
  uses_.pop_until(batches_[begin_].to);
  batches_.pop();
  ++begin_;
}

}  // namespace overture::lookahead
