// Reads the network file of ASTRA-sim's Garnet backend: `key: value` tokens in any order.
#pragma once

#include <string>
#include <string_view>

#include "overture/network/garnet/config.h"

namespace overture::formats {

// `file` is for messages only. Throws UserError, with the line, on anything that could not run: also on what
// the original takes and then hangs or aborts on.
network::garnet::GarnetConfig parse_astra_garnet(std::string_view text, const std::string& file);

}  // namespace overture::formats
