// What the fuzzers share: bytes as text, and a reader that may refuse its input but must not do anything
// else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "overture/base/error.h"

namespace overture::fuzz {

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Runs `read`; true unless it threw a UserError. Any other exception goes on and ends the fuzzer.
template <class Read>
bool accepts(Read read) {
  try {
    read();
    return true;
  } catch (const UserError&) {
    return false;
  }
}

// A property that does not hold is a finding.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

}  // namespace overture::fuzz
