// For configurations: refuses what cannot work.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "overture/base/error.h"

namespace overture::network::packet {

inline constexpr std::int64_t kMaxPacket = std::numeric_limits<std::uint16_t>::max();  // bytes

inline void require(bool sound, std::string_view what) {
  if (!sound) throw UserError(what);
}

}  // namespace overture::network::packet
