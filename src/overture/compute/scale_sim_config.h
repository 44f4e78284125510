// Reads SCALE-Sim v2's description of an accelerator (.cfg).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "overture/compute/systolic.h"

namespace overture::compute {

// Sections [general], [architecture_presets] and [run_presets], lines `key: value` or `key = value`, keys in
// any case, comments behind # or ; at the start of a line. Throws UserError on an unknown, missing or
// repeated key, a bad value, and on `InterfaceBandwidth: USER`, whose stalls are not modelled.
SystolicArray parse_scale_sim_config(std::string_view text, const std::string& file);
SystolicArray read_scale_sim_config(const std::filesystem::path& path);

}  // namespace overture::compute
