// Window: the different rows of the batches that have been read and not yet planned, each with its last use.
// A batch is read, which finds its different rows, and then enters, which links every row to its use before;
// so that planning a batch searches nothing. At most one batch has been read that has not entered: the one
// that waits for room. Knows no capacity and no cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "overture/lookahead/batch_ring.h"
#include "overture/lookahead/forecast.h"
#include "overture/base/huge_pages.h"
#include "overture/lookahead/plan.h"
#include "overture/lookahead/row_index.h"
#include "overture/lookahead/window_batch.h"
#include "overture/lookahead/window_column.h"

namespace overture::lookahead {

// The last use of a row: a batch, and the place of the use.
struct LastUse {
  std::int32_t batch = kNever;
  std::uint32_t place = 0;
};

// What the window knows of a row: a quarter of a cache line.
struct alignas(16) KnownRow {
  LastUse last;
  std::uint32_t slot = 0;  // in the cache, once it has been fetched
};
static_assert(sizeof(KnownRow) == 16);

// The use of one row in one batch. What is read or written at random has columns of its own, which are small
// enough to stay near the core.
struct alignas(16) WindowRow {
  Row row{};
  std::uint32_t known = 0;  // number of what the window knows of the row
  std::uint32_t count = 0;  // lookups
};
static_assert(sizeof(WindowRow) == 16);

// All that the window has to say of a row of a batch that is planned.
struct RowUse {
  Row row;
  std::uint32_t count;
  std::uint32_t slot;
  std::int32_t last_use;  // the last batch in the window that uses the row
  std::int32_t next_use;  // the next one
  Trainers users;
  Trainers next_users;
};

struct WindowConfig {
  std::vector<std::int64_t> table_rows;
  bool several_trainers = false;
  bool index_lookups = false;
};

class Window {
 public:
  explicit Window(const WindowConfig& config);

  BatchRing& batches() { return batches_; }
  std::int32_t begin() const { return begin_; }  // the batch to plan next
  std::int32_t end() const { return end_; }      // the last batch that has entered
  std::int64_t rows() const { return rows_; }    // different rows of the batches that have

  // A new batch, to be filled by read().
  void begin_batch();
  // Adds lookups of `trainer` in `table` to the newest batch. Needs every id to be that of a row.
  template <class Id>
  void read(std::int64_t table, int trainer, std::span<const Id> ids);

  // What the entry of the next batch would change.
  void count(Arrivals& arrivals) const;
  // Takes the next batch in: links each row to its use before, and lists the rows that have none in the
  // window.
  void enter();
  // Takes the oldest batch away, whose rows but so many are used again in the window.
  void pop(std::int64_t leaving);

  // Calls visit(use) for every row of the oldest batch, in order.
  template <class Visit>
  void for_each_row(Visit visit) {
    if (several_trainers_) {
      for_each_row<true>(visit);
    } else {
      for_each_row<false>(visit);
    }
  }

  // A row of a batch in the window: which it is, who uses it, and where it lies.
  Row row(std::uint32_t place) const { return uses_[place].row; }
  Trainers users(std::uint32_t place) const { return several_trainers_ ? users_[place] : only(0); }
  void set_slot(std::uint32_t place, std::uint32_t slot) { known_[uses_[place].known].slot = slot; }

 private:
  // Where the rows of a table are found.
  struct Place {
    enum class Kind : std::uint8_t { tiny, small, large, vast } kind;
    std::uint32_t from;  // the first row's number when tiny or small, its key when large
  };
  // Lookups to be read, and where to tell the place of each.
  template <class Id>
  struct Reading {
    std::int64_t table;
    Place where;
    std::int32_t now;  // the batch
    Trainers user;
    std::span<const Id> ids;
    std::uint32_t* places;
  };

  template <bool kSeveralTrainers>
  class Writer;

  template <bool kSeveralTrainers, class Id>
  void read(const Reading<Id>& reading);
  template <class Out, class Id>
  void read_tiny(const Reading<Id>& reading, Out& writer);
  template <class Out, class Id>
  void read_small(const Reading<Id>& reading, Out& writer);
  template <class Out, class Id, class Key>
  void read_large(const Reading<Id>& reading, RowIndex<Key>& index, Out& writer);
  void make_room(const WindowBatch& batch, std::size_t lookups);
  std::uint32_t add_known();
  template <class Key>
  void sweep(RowIndex<Key>& index);
  template <bool kSeveralTrainers>
  void link(WindowBatch& batch);
  template <bool kSeveralTrainers, class Visit>
  void for_each_row(Visit visit);

  BatchRing batches_;
  std::uint32_t places_begin_ = 0;
  std::uint32_t places_end_ = 0;
  WindowColumn<WindowRow> uses_;
  WindowColumn<std::int32_t> next_use_;
  WindowColumn<Trainers> users_;       // only with several trainers,
  WindowColumn<Trainers> next_users_;  // as this
  std::vector<LastUse> before_;        // of the newest batch's rows, until it has entered
  bool several_trainers_;
  bool index_lookups_;
  // Rows of small tables are known by their number, table after table; those of the others are searched, and
  // numbered behind them.
  std::vector<Place> tables_;
  RowIndex<std::uint32_t> large_;
  RowIndex<std::uint64_t> vast_;
  HugeVector<KnownRow> known_;
  std::vector<std::uint32_t> free_;    // numbers
  std::vector<std::uint32_t> places_;  // of lookups, when nobody wants to know
  std::int32_t begin_ = 0;             // the batch that is planned next
  std::int32_t end_ = -1;
  std::int64_t rows_ = 0;
};

template <bool kSeveralTrainers, class Visit>
void Window::for_each_row(Visit visit) {
  constexpr std::uint32_t kAhead = 32;
  const WindowBatch& batch = batches_[begin_];
  const auto uses = uses_.places();
  const auto next_uses = next_use_.places();
  const auto users = users_.places();
  const auto next_users = next_users_.places();
  const KnownRow* const known_rows = known_.data();
  const std::int32_t end = end_;
  for (std::uint32_t place = batch.from; place != batch.to; ++place) {
    if (batch.to - place > kAhead) __builtin_prefetch(known_rows + uses[place + kAhead].known);
    const WindowRow use = uses[place];
    const KnownRow known = known_rows[use.known];
    const std::int32_t next_use = next_uses[place];
    // A batch that has been read but not entered does not count: then it is the use before.
    const bool entered = known.last.batch <= end;
    visit(RowUse{
        .row = use.row,
        .count = use.count,
        .slot = known.slot,
        .last_use = entered ? known.last.batch : before_[known.last.place - batches_[end + 1].from].batch,
        .next_use = next_use,
        .users = kSeveralTrainers ? users[place] : only(0),
        .next_users = kSeveralTrainers ? next_users[place] : Trainers{next_use != kNever}});
  }
}

}  // namespace overture::lookahead
