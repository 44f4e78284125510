// A place in a growing list for something that is under way: one that is no longer used, or a new one at the
// end.
#pragma once

#include <cstdint>
#include <vector>

namespace overture::network {

template <class T>
std::uint32_t take(std::vector<std::uint32_t>& unused, std::vector<T>& all) {
  if (unused.empty()) {
    all.emplace_back();
    return static_cast<std::uint32_t>(all.size() - 1);
  }
  const std::uint32_t id = unused.back();
  unused.pop_back();
  return id;
}

}  // namespace overture::network
