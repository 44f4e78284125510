// A batch as the planner keeps it while it is in the window. Internal to the folder.
#pragma once

#include <cstdint>
#include <vector>

namespace overture::lookahead {

struct WindowBatch {
  std::int64_t lookups = 0;
  std::int32_t issue_step = 0;
  std::uint32_t from = 0;                  // its rows in WindowRows: this place
  std::uint32_t to = 0;                    // to before this one
  std::vector<std::uint32_t> fresh;        // places of the rows that were not kept for this batch
  std::vector<std::uint32_t> lookup_rows;  // per lookup, the place of its row, from the batch's first

  std::uint32_t rows() const { return to - from; }

  // Empties the batch but keeps its memory.
  void clear() {
    lookups = 0;
    fresh.clear();
    lookup_rows.clear();
  }
};

}  // namespace overture::lookahead
