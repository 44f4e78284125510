// What is in a recording, for `overture inspect`.
#pragma once

#include <string>

#include "overture/recording/recording.h"

namespace overture::cli {

void print_recording(const recording::Recording& recording, const std::string& folder);
std::string recording_json(const recording::Recording& recording, const std::string& folder);

}  // namespace overture::cli
