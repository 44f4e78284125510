#include "overture/network/record.h"

namespace overture::network {

std::uint64_t NetworkRecord::count(std::string_view name) const {
  for (const Counter& counter : counters) {
    if (counter.name == name) return counter.value;
  }
  return 0;
}

}  // namespace overture::network
