// How configs and steps of a plan become bytes. Whole numbers of seven bits a byte; what follows from the
// rest (owner, sync class) is not stored. Internal to the folder; plan_file.h is the file.
#pragma once

#include <string>
#include <string_view>

#include "overture/lookahead/config.h"
#include "overture/lookahead/plan.h"

namespace overture::lookahead {

// Append to `bytes`.
void encode(const PlannerConfig& config, std::string& bytes);
void encode(const StepPlan& plan, std::string& bytes);

// False when `bytes` is not what encode() wrote. Safe for any bytes.
bool decode(std::string_view bytes, PlannerConfig& config);
bool decode(std::string_view bytes, const PlannerConfig& config, StepPlan& plan);

}  // namespace overture::lookahead
