// What a summary.json says of its run as a whole, whichever command wrote it.
#pragma once

#include "overture/base/json.h"

namespace overture {

// False for a run that was cut short: by Ctrl-C, a signal or a limit. What is cut short is shown, but never
// counts as done.
bool is_complete(const Json& summary);

}  // namespace overture
