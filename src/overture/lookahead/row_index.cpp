#include "overture/lookahead/row_index.h"

#include "overture/base/check.h"

namespace overture::lookahead {

void RowIndex::grow() {
  check(shift_ > 0, "an index holds fewer than 2^31 rows");
  HugeVector<Entry> old(entries_.size() * 2);
  old.swap(entries_);
  --shift_;
  for (const Entry& entry : old) {
    if (entry.number != kAbsent) place(entry);
  }
}

}  // namespace overture::lookahead
