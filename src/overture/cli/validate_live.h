// `overture validate --live`: trainings for real beside their predictions.
#pragma once

#include "overture/cli/output.h"

namespace overture::cli {

struct LiveValidation {
  bool injected = false;
  bool quick = false;
  int steps = 80;
  int repeats = 4;
  bool keep = false;
  Output output;
};

int validate_live(const LiveValidation& options);

}  // namespace overture::cli
