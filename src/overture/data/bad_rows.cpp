#include "overture/data/bad_rows.h"

#include <fmt/format.h>

namespace overture::data {

void BadRows::add(const Where& where, const std::string& why) {
  constexpr std::size_t kShown = 5;
  ++count_;
  if (first_.size() < kShown) first_.push_back(UserError(where, why).what());
  if (count_ <= most_) return;
  if (most_ == 0) throw UserError(where, why, "--max-bad-rows N skips up to N such rows");
  std::string hint = "the first ones:";
  for (const std::string& row : first_) hint += "\n    " + row;
  throw UserError(where, fmt::format("bad row {}, but --max-bad-rows allows {}: {}", count_, most_, why),
                  hint);
}

}  // namespace overture::data
