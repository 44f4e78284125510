#include "overture/lookahead/window.h"

#include <algorithm>
#include <array>

namespace overture::lookahead {
namespace {

// In Criteo three lookups of four go to tables this small. What is kept for all of them is 32 MiB at most.
constexpr std::int64_t kSmallTable = 1 << 19;
constexpr std::int64_t kSmallRows = 1 << 21;
// In tables that have fewer rows than this, most lookups of a batch find a row that it has seen.
constexpr std::int64_t kTinyTable = 1 << 11;

// How far ahead memory is asked for: enough to hide a miss, little enough to be still there.
constexpr std::uint32_t kAhead = 32;

// `one` if `condition`, else `other`, without the branch that compilers like to make of it.
std::uint32_t pick(bool condition, std::uint32_t one, std::uint32_t other) {
  return other ^ ((one ^ other) & (0u - static_cast<std::uint32_t>(condition)));
}

}  // namespace

Window::Window(const WindowConfig& config)
    : several_trainers_(config.several_trainers), index_lookups_(config.index_lookups) {
  std::int64_t small_end = 0;
  std::int64_t large_end = 0;
  for (const std::int64_t rows : config.table_rows) {
    if (rows <= kSmallTable && small_end + rows <= kSmallRows) {
      const auto kind = rows < kTinyTable ? Place::Kind::tiny : Place::Kind::small;
      tables_.push_back({kind, static_cast<std::uint32_t>(small_end)});
      small_end += rows;
    } else if (large_end + rows <= std::int64_t{1} << 32) {
      tables_.push_back({Place::Kind::large, static_cast<std::uint32_t>(large_end)});
      large_end += rows;
    } else {
      tables_.push_back({Place::Kind::vast, 0});
    }
  }
  known_.resize(static_cast<std::size_t>(small_end));
}

void Window::begin_batch() {
  WindowBatch& batch = batches_.push();
  batch.from = batch.to = places_end_;
}

// Writes uses down: whether the newest batch has seen a row is anybody's guess, so there is no branch. Every
// row is written as a new one, and the next goes behind it only if it was. Keeps in registers what the
// compiler would read again after every write.
template <bool kSeveralTrainers>
class Window::Writer {
 public:
  Writer(Window& window, std::int32_t now, Trainers user)
      : uses_(window.uses_.places()),
        next_use_(window.next_use_.places()),
        users_(window.users_.places()),
        next_users_(window.next_users_.places()),
        from_(window.batches_[now].from),
        before_(window.before_.data()),
        now_(now),
        user_(user),
        end_(window.places_end_) {}

  // A lookup of the row of this number; gives the place of its use.
  std::uint32_t add(Row row, std::uint32_t known, LastUse& last) {
    const bool seen = last.batch == now_;
    const std::uint32_t place = pick(seen, last.place, end_);
    before_[end_ - from_] = last;
    uses_[end_] = {.row = row, .known = known, .count = 0};
    next_use_[end_] = kNever;
    if constexpr (kSeveralTrainers) users_[end_] = next_users_[end_] = 0;
    last = {now_, place};
    end_ += static_cast<std::uint32_t>(!seen);
    count(place);
    return place;
  }
  // The same for a row that has most likely been seen.
  std::uint32_t add_popular(Row row, std::uint32_t known, LastUse& last) {
    if (last.batch != now_) return add(row, known, last);
    count(last.place);
    return last.place;
  }

  std::uint32_t end() const { return end_; }

 private:
  void count(std::uint32_t place) {
    ++uses_[place].count;
    if constexpr (kSeveralTrainers) users_[place] |= user_;
  }

  WindowColumn<WindowRow>::Places uses_;
  WindowColumn<std::int32_t>::Places next_use_;
  WindowColumn<Trainers>::Places users_;
  WindowColumn<Trainers>::Places next_users_;
  std::uint32_t from_;
  LastUse* before_;
  std::int32_t now_;
  Trainers user_;
  std::uint32_t end_;
};

template <class Id>
void Window::read(std::int64_t table, int trainer, std::span<const Id> ids) {
  WindowBatch& batch = batches_[batches_.end() - 1];
  make_room(batch, ids.size());
  std::vector<std::uint32_t>& places = index_lookups_ ? batch.lookup_rows : places_;
  const std::size_t before = index_lookups_ ? places.size() : 0;
  places.resize(before + ids.size());
  const Reading<Id> reading{.table = table,
                            .where = tables_[static_cast<std::size_t>(table)],
                            .now = batches_.end() - 1,
                            .user = only(trainer),
                            .ids = ids,
                            .places = places.data() + before};
  if (several_trainers_) {
    read<true>(reading);
  } else {
    read<false>(reading);
  }
  if (index_lookups_) {
    for (std::size_t i = before; i < places.size(); ++i) places[i] -= batch.from;
  }
  batch.lookups += static_cast<std::int64_t>(ids.size());
  batch.to = places_end_;
}

template void Window::read(std::int64_t, int, std::span<const std::int32_t>);
template void Window::read(std::int64_t, int, std::span<const std::int64_t>);

// For all lookups to be different, and one more that is written and not kept.
void Window::make_room(const WindowBatch& batch, std::size_t lookups) {
  uses_.reserve(places_begin_, places_end_, lookups + 1);
  next_use_.reserve(places_begin_, places_end_, lookups + 1);
  if (several_trainers_) {
    users_.reserve(places_begin_, places_end_, lookups + 1);
    next_users_.reserve(places_begin_, places_end_, lookups + 1);
  }
  before_.resize(std::max(before_.size(), batch.rows() + lookups + 1));
}

template <bool kSeveralTrainers, class Id>
void Window::read(const Reading<Id>& reading) {
  Writer<kSeveralTrainers> writer(*this, reading.now, reading.user);
  switch (reading.where.kind) {
    case Place::Kind::tiny: read_tiny(reading, writer); break;
    case Place::Kind::small: read_small(reading, writer); break;
    case Place::Kind::large: read_large(reading, large_, writer); break;
    case Place::Kind::vast: read_large(reading, vast_, writer); break;
  }
  places_end_ = writer.end();
}

template <class Out, class Id>
void Window::read_tiny(const Reading<Id>& reading, Out& writer) {
  KnownRow* const known = known_.data();
  for (std::size_t i = 0; i < reading.ids.size(); ++i) {
    const std::uint32_t number = reading.where.from + static_cast<std::uint32_t>(reading.ids[i]);
    reading.places[i] =
        writer.add_popular(make_row(reading.table, reading.ids[i]), number, known[number].last);
  }
}

template <class Out, class Id>
void Window::read_small(const Reading<Id>& reading, Out& writer) {
  KnownRow* const known = known_.data();
  const std::span<const Id> ids = reading.ids;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (i + kAhead < ids.size())
      __builtin_prefetch(&known[reading.where.from + static_cast<std::uint32_t>(ids[i + kAhead])], 1);
    const std::uint32_t number = reading.where.from + static_cast<std::uint32_t>(ids[i]);
    reading.places[i] = writer.add(make_row(reading.table, ids[i]), number, known[number].last);
  }
}

// In blocks, one kind of memory access after the other, so that the misses of each overlap.
template <class Out, class Id, class Key>
void Window::read_large(const Reading<Id>& reading, RowIndex<Key>& index, Out& writer) {
  constexpr std::size_t kBlock = 512;
  const auto key_of = [&](Id id) {
    return sizeof(Key) == 4 ? static_cast<Key>(reading.where.from + static_cast<std::uint32_t>(id))
                            : static_cast<Key>(make_row(reading.table, id));
  };
  std::array<std::uint32_t, kBlock> numbers;
  for (std::size_t from = 0; from < reading.ids.size(); from += kBlock) {
    if (!index.has_room(kBlock)) sweep(index);
    const std::span<const Id> ids = reading.ids.subspan(from, std::min(kBlock, reading.ids.size() - from));
    for (const Id id : ids) index.prefetch(key_of(id));
    for (std::size_t i = 0; i < ids.size(); ++i) {
      numbers[i] = index.find_or_insert(key_of(ids[i]), [this] { return add_known(); });
      __builtin_prefetch(&known_[numbers[i]], 1);
    }
    KnownRow* const known = known_.data();
    for (std::size_t i = 0; i < ids.size(); ++i) {
      reading.places[from + i] =
          writer.add(make_row(reading.table, ids[i]), numbers[i], known[numbers[i]].last);
    }
  }
}

std::uint32_t Window::add_known() {
  if (free_.empty()) {
    known_.push_back({});
    return static_cast<std::uint32_t>(known_.size() - 1);
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  known_[number] = {};
  return number;
}

template <class Key>
void Window::sweep(RowIndex<Key>& index) {
  const auto is_stale = [this](std::uint32_t known) {
    if (known_[known].last.batch >= begin_) return false;
    free_.push_back(known);
    return true;
  };
  index.sweep(is_stale, [this](std::uint32_t known) { __builtin_prefetch(&known_[known]); });
}

void Window::count(Arrivals& arrivals) const {
  arrivals.fresh = 0;
  std::fill(arrivals.kept_since.begin(), arrivals.kept_since.end(), 0);
  for (std::uint32_t i = 0; i < batches_[end_ + 1].rows(); ++i) {
    const std::int32_t previous = before_[i].batch;
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
  batch.fresh.resize(batch.rows() + 1);
  if (several_trainers_) {
    link<true>(batch);
  } else {
    link<false>(batch);
  }
  rows_ += static_cast<std::int64_t>(batch.fresh.size());
}

// A row without a use before in the window writes to its own place what is there already: no branch, since
// nobody could predict it.
template <bool kSeveralTrainers>
void Window::link(WindowBatch& batch) {
  const auto next_use = next_use_.places();
  const auto users = users_.places();
  const auto next_users = next_users_.places();
  const LastUse* const before = before_.data();
  const std::int32_t begin = begin_;
  const std::int32_t end = end_;
  std::uint32_t* fresh = batch.fresh.data();
  for (std::uint32_t i = 0; i < batch.rows(); ++i) {
    if (i + kAhead < batch.rows()) __builtin_prefetch(&next_use[before[i + kAhead].place], 1);
    const std::uint32_t place = batch.from + i;
    const bool is_fresh = before[i].batch < begin;
    const std::uint32_t linked = pick(is_fresh, place, before[i].place);
    *fresh = place;
    fresh += static_cast<int>(is_fresh);
    next_use[linked] = static_cast<std::int32_t>(
        pick(is_fresh, static_cast<std::uint32_t>(kNever), static_cast<std::uint32_t>(end)));
    if constexpr (kSeveralTrainers) next_users[linked] = users[place] & (Trainers{is_fresh} - 1);
  }
  batch.fresh.resize(static_cast<std::size_t>(fresh - batch.fresh.data()));
}

void Window::pop(std::int64_t leaving) {
  rows_ -= leaving;
  places_begin_ = batches_[begin_].to;
  batches_.pop();
  ++begin_;
}

}  // namespace overture::lookahead
