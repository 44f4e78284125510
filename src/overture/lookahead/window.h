// Window: the different rows of the batches that have been read and not yet planned, each with its last two
// uses. A batch is read, which finds its different rows, and then enters, which links every row to its use
// before; so that planning a batch searches nothing. At most one batch has been read that has not entered:
// the one that waits for room. Knows no capacity and no cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "overture/lookahead/batch_ring.h"
#include "overture/lookahead/forecast.h"
#include "overture/lookahead/huge_pages.h"
#include "overture/lookahead/row_index.h"
#include "overture/lookahead/window_batch.h"
#include "overture/lookahead/window_rows.h"

namespace overture::lookahead {

// What the window knows of one row. Half a cache line.
struct alignas(32) KnownRow {
  Row row{};
  std::int32_t last_use = kNever;      // a batch,
  std::uint32_t last_place = 0;        // and the place of that use
  std::int32_t previous_use = kNever;  // the batch that used it before
  std::uint32_t slot = 0;              // in the cache, once it has been fetched
};
static_assert(sizeof(KnownRow) == 32);

class Window {
 public:
  Window(const std::vector<std::int64_t>& table_rows, bool index_lookups);

  BatchRing& batches() { return batches_; }
  WindowRow& use(std::uint32_t place) { return uses_[place]; }
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
  // Takes the oldest batch away.
  void pop();

  KnownRow& operator[](std::uint32_t known) { return known_[known]; }
  // The last batch in the window that uses the row.
  std::int32_t last_use(const KnownRow& known) const {
    return known.last_use <= end_ ? known.last_use : known.previous_use;
  }
  void prefetch(const WindowRow& use) const { __builtin_prefetch(&known_[use.known]); }
  // A row of the batch that is planned is not used again in the window.
  void leave() { --rows_; }

 private:
  template <class Id>
  void read_small(std::int64_t table, Trainers user, std::span<const Id> ids, WindowBatch& batch);
  template <class Id>
  void read_large(std::int64_t table, Trainers user, std::span<const Id> ids, WindowBatch& batch);
  std::uint32_t* room_for_numbers(WindowBatch& batch, std::size_t lookups) const;
  void note_use(KnownRow& known, std::uint32_t place);
  std::uint32_t find_or_add(Row row, std::uint32_t half);
  std::uint32_t add(Row row, std::uint32_t half);
  void sweep();

  // The last use of a row: small enough that those of all small tables stay near the core.
  struct Seen {
    std::int32_t batch = kNever;
    std::uint32_t place = 0;
  };

  BatchRing batches_;
  WindowRows uses_;
  bool index_lookups_;
  // Rows of small tables are known by their place, table after table; only those of the others are searched.
  std::vector<std::int64_t> small_from_;  // per table; -1 for the others
  HugeVector<Seen> seen_;                 // per row of a small table
  RowIndex index_;                        // into known_
  HugeVector<KnownRow> known_;
  std::vector<std::uint32_t> free_;  // places in known_
  std::int32_t begin_ = 0;           // the batch that is planned next
  std::int32_t end_ = -1;
  std::int64_t rows_ = 0;
};

}  // namespace overture::lookahead
