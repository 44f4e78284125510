// BadRows: counts rows that cannot be used, remembers where the first ones are, and stops reading when there
// are more than the user allows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "overture/base/error.h"

namespace overture::data {

class BadRows {
 public:
  explicit BadRows(std::int64_t most) : most_(most) {}

  // Throws UserError when this is one too many.
  void add(const Where& where, const std::string& why);

  std::int64_t count() const { return count_; }
  // "day_0.tsv:17: 12 fields instead of 40", of the first few.
  const std::vector<std::string>& first() const { return first_; }

 private:
  std::int64_t most_;
  std::int64_t count_ = 0;
  std::vector<std::string> first_;
};

}  // namespace overture::data
