// The roofline model: a GEMM takes as long as its arithmetic at the peak rate or its memory traffic at the
// memory's bandwidth, whichever is longer (Williams, Waterman & Patterson, CACM 2009).
#pragma once

#include "overture/base/units.h"
#include "overture/compute/gemm.h"
#include "overture/compute/rates.h"

namespace overture::compute {

struct Roofline {
  FlopRate peak;          // more than zero
  Bandwidth memory;       // zero: never the limit
  double efficiency = 1;  // the share of the peak that real kernels reach, above 0 and at most 1

  // Each of the three matrices crosses the memory interface once; rounded up to a picosecond.
  Duration time(const Gemm& gemm, Bytes element) const;
};

}  // namespace overture::compute
