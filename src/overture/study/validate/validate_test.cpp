// The references of `overture validate`, as tests: the same comparisons, made once. Those that run the whole
// program are in tests/ (golden_astra, golden_garnet).
#include "overture/study/validate/validate.h"

#include <gtest/gtest.h>

namespace overture::study {
namespace {

const std::filesystem::path kGolden = OVERTURE_GOLDEN;

// Every check of `validate` passes, and there are at least so many.
template <class Validate>
void expect_all_pass(Validate validate, int least) {
  int count = 0;
  validate(kGolden, [&](const Check& check) {
    ++count;
    EXPECT_TRUE(check.passes()) << check.source << ", " << check.scenario << ", " << check.what << ": "
                                << check.ours << ", not " << check.reference << " within "
                                << 100 * check.allowed << " %";
  });
  EXPECT_GE(count, least);
}

TEST(Validate, PacketsAgreeWithNs3) { expect_all_pass(validate_ns3, 9); }
TEST(Validate, PacketsAgreeWithHtsim) { expect_all_pass(validate_htsim, 10); }
TEST(Validate, RotorsAgreeWithTheOperaSimulator) { expect_all_pass(validate_opera, 9); }
TEST(Validate, ComputeTimesAgreeWithScaleSim) { expect_all_pass(validate_scale_sim, 1); }
TEST(Validate, PlansAgreeWithTheReference) { expect_all_pass(validate_lookahead, 1); }

TEST(Check, WithoutAToleranceWantsTheVeryNumber) {
  EXPECT_TRUE((Check{.reference = 3, .ours = 3}.passes()));
  EXPECT_FALSE((Check{.reference = 3, .ours = 3.0000001}.passes()));
}

TEST(Check, ToleranceIsRelativeToTheReference) {
  EXPECT_TRUE((Check{.reference = 100, .ours = 101, .allowed = 0.0100001}.passes()));
  EXPECT_FALSE((Check{.reference = 100, .ours = 98, .allowed = 0.01}.passes()));
}

TEST(Check, AReferenceOfZeroIsMetByZeroOnly) {
  EXPECT_TRUE((Check{.reference = 0, .ours = 0}.passes()));
  EXPECT_FALSE((Check{.reference = 0, .ours = 1, .allowed = 0.5}.passes()));
}

}  // namespace
}  // namespace overture::study
