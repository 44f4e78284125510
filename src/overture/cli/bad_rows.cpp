#include "overture/cli/bad_rows.h"

#include <fmt/format.h>

#include "overture/base/text.h"

namespace overture::cli {

void print_bad_rows(const data::BadRows* bad) {
  if (bad == nullptr || bad->count() == 0) return;
  fmt::print(stderr, "skipped {} bad rows:\n", with_commas(bad->count()));
  for (const std::string& row : bad->first()) fmt::print(stderr, "  {}\n", row);
  if (bad->count() > static_cast<std::int64_t>(bad->first().size())) fmt::print(stderr, "  ...\n");
}

}  // namespace overture::cli
