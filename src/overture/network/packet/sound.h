// For configurations: refuses what cannot work.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string_view>

#include "overture/base/error.h"
#include "overture/base/units.h"

namespace overture::network::packet {

inline constexpr std::int64_t kMaxPacket = std::numeric_limits<std::uint16_t>::max();  // bytes

inline void require(bool sound, std::string_view what) {
  if (!sound) throw UserError(what);
}

// As wires: longer times would not leave room to add them up.
void require_short(std::initializer_list<Duration> times);

}  // namespace overture::network::packet
