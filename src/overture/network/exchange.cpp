#include "overture/network/exchange.h"

namespace overture::network {

std::int64_t messages(Pattern pattern, std::size_t group_size) {
  const auto size = static_cast<std::int64_t>(group_size);
  if (size < 2) return 0;
  switch (pattern) {
    case Pattern::ring: return size;
    case Pattern::all_pairs: return size * (size - 1);
    case Pattern::to_first:
    case Pattern::from_first: return size - 1;
  }
  return 0;
}

}  // namespace overture::network
