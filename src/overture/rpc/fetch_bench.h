// What a transport does with the traffic of training: one party asks another for rows at random places of a
// table, many at a time or one, as trainers ask servers. For `overture bench transport` and bench/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "overture/rpc/transport.h"

namespace overture::rpc {

struct FetchBench {
  std::int64_t rows = 50'000;  // of a request
  std::int64_t columns = 48;   // numbers of a row
  int requests = 40;           // that are timed
  int under_way = 2;           // at once, as prefetching has them
};

struct FetchMeasured {
  double seconds = 0;             // from one large answer to the next: the mean
  double one_row_seconds = 0;     // from asking for one row to having it: the median
  double cpu_seconds = 0;         // of both processes, while large answers came
  std::int64_t answer_bytes = 0;  // of one large answer
  std::int64_t answers = 0;       // while CPU time was counted

  double bytes_per_second() const { return static_cast<double>(answer_bytes) / seconds; }
  double cpu_seconds_per_gigabyte() const {
    return cpu_seconds * 1e9 / static_cast<double>(answer_bytes * answers);
  }
};

// As servers copy their answers: `columns` numbers of each of these rows. Throws BadMessage for one that is
// not in the table.
inline constexpr std::int64_t kFetchTableRows = 200'000;
void copy_rows(std::span<const float> table, std::span<const std::int64_t> places, std::size_t columns,
               float* to);

// Throws std::runtime_error when `server` is gone.
FetchMeasured measure_fetches(Transport& transport, Address server, const FetchBench& bench);

// The other side: answers until it is told to stop. `own_process`: its CPU time is not that of who asks.
void serve_fetches(Transport& transport, bool own_process);
void stop_serving(Transport& transport, Address server);

}  // namespace overture::rpc
