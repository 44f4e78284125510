#include "overture/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace overture {

void check_failed(std::string_view what, const char* file, int line) {
  std::fprintf(stderr, "overture: internal error at %s:%d: does not hold: %.*s\n", file, line,
               static_cast<int>(what.size()), what.data());
  std::abort();
}

}  // namespace overture
