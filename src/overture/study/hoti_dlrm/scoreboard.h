// The statements that the study's slides make or that follow from them (tests/golden/hoti-tcp/checks.csv):
// each evaluated, met or not, and why.
#pragma once

#include <vector>

#include "overture/study/hoti_dlrm/results.h"
#include "overture/study/study_report.h"

namespace overture::study::hoti {

// P01 to P14: the parameters, read from the setups as they are run.
std::vector<Claim> parameter_claims();

// R01 to R09 and I01 to I12. What needs a cell that was not run stays open.
std::vector<Claim> result_claims(const Results& results);

// Single all-to-alls against ns-3's, and bytes of a hierarchical all-reduce against its closed form.
std::vector<Claim> reference_claims(const Results& results);

}  // namespace overture::study::hoti
