#include "overture/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace overture {

void check_failed(std::string_view what, const std::source_location& where) {
  std::fprintf(stderr, "overture: internal error at %s:%u: %.*s does not hold\n", where.file_name(),
               static_cast<unsigned>(where.line()), static_cast<int>(what.size()), what.data());
  std::abort();
}

}  // namespace overture
