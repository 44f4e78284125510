#include "overture/network/packet/transport.h"

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/units.h"

namespace overture::network::packet {

void require_countable(std::int64_t packets, std::int64_t payload, std::int64_t most) {
  if (packets <= most) return;
  throw UserError(
      fmt::format("{} packets for one connection are more than the transport can number", packets),
      fmt::format("send at most {} at once", to_string(Bytes{most * payload})));
}

}  // namespace overture::network::packet
