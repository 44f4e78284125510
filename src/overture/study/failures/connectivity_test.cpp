#include "overture/study/failures/connectivity.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace overture::study::failures {
namespace {

topology::Opera small_opera() { return topology::generate_opera({.tors = 24, .ports = 8}); }

TEST(OperaConnectivity, WithNothingDownItIsThatOfTheSchedule) {
  const topology::Opera opera = small_opera();
  const topology::HopCount hops = count_hops(opera);
  for (const OperaPart part : {OperaPart::cable, OperaPart::tor, OperaPart::rotor}) {
    const Connectivity found = connectivity(opera, part, 0, 1);
    EXPECT_EQ(found.whole, 1);
    EXPECT_EQ(found.any_slice, 0);
    EXPECT_NEAR(found.mean_hops, hops.mean, 1e-9);
    EXPECT_EQ(found.worst_hops, hops.worst);
  }
}

TEST(OperaConnectivity, WithEverythingDownNobodyReachesAnybody) {
  for (const OperaPart part : {OperaPart::cable, OperaPart::rotor}) {
    const Connectivity found = connectivity(small_opera(), part, 1, 2);
    EXPECT_EQ(found.worst_slice, 1);
    EXPECT_EQ(found.any_slice, 1);
    EXPECT_EQ(found.whole, 0);
  }
  EXPECT_EQ(connectivity(small_opera(), OperaPart::tor, 1, 2).any_slice, 0)
      << "no pair is left to be cut off";
}

TEST(OperaConnectivity, MoreFailuresCutMoreOffAndSomeSliceIsNoBetterThanTheWorst) {
  const topology::Opera opera = small_opera();
  double before = 0;
  for (const double share : {0.1, 0.3, 0.6, 0.9}) {
    const Connectivity found = connectivity(opera, OperaPart::cable, share, 5);
    EXPECT_GE(found.any_slice, found.worst_slice);
    EXPECT_GE(found.any_slice, before);
    before = found.any_slice;
  }
  EXPECT_GT(before, 0.5);
}

TEST(OperaConnectivity, ThePublishedSharesCutNobodyOff) {
  StudyReport report;
  std::vector<Connectivity> found;
  const topology::Opera opera = published_opera();
  for (const auto& [part, share] : {std::pair{OperaPart::cable, 0.04}, std::pair{OperaPart::tor, 0.07},
                                    std::pair{OperaPart::rotor, 2.0 / 6}})
    found.push_back(connectivity(opera, part, share, 3));
  add_connectivity(found, report);
  ASSERT_EQ(report.claims.size(), 3u);
  for (const Claim& claim : report.claims) EXPECT_EQ(claim.verdict, Verdict::met) << claim.text << claim.ours;
  EXPECT_EQ(report.figures.size(), 2u);
}

}  // namespace
}  // namespace overture::study::failures
