#include "overture/setup/sweep_setup.h"

#include <gtest/gtest.h>

#include "overture/base/error.h"

namespace overture::setup {
namespace {

using Points = std::vector<std::vector<std::string>>;

SweepSetup parse(const std::string& rest) {
  return parse_sweep_setup("setup: x.yaml\nfixed: [c=3]\n" + rest, "sweep.yaml");
}

TEST(SweepSetup, CombinesAllOrAsListed) {
  const std::string axes = "axes: [{key: a, values: [1, 2]}, {key: b.0, values: [4 KiB, 8 KiB]}]\n";
  EXPECT_EQ(sweep_points(parse(axes)), (Points{{"c=3", "a=1", "b.0=4 KiB"},
                                               {"c=3", "a=1", "b.0=8 KiB"},
                                               {"c=3", "a=2", "b.0=4 KiB"},
                                               {"c=3", "a=2", "b.0=8 KiB"}}));
  EXPECT_EQ(sweep_points(parse(axes + "combination: listed\n")),
            (Points{{"c=3", "a=1", "b.0=4 KiB"}, {"c=3", "a=2", "b.0=8 KiB"}}));
}

TEST(SweepSetup, RefusesWhatIsNoSweep) {
  EXPECT_THROW(parse(""), UserError);
  EXPECT_THROW(parse("axes: [{key: a, values: []}]\n"), UserError);
  EXPECT_THROW(parse("axes: [{key: a, values: 1}]\ncommand: sing\n"), UserError);
  EXPECT_THROW(parse("axes: [{key: a, values: [1]}, {key: b, values: [1, 2]}]\ncombination: listed\n"),
               UserError);
  std::string many = "axes:\n";
  for (int i = 0; i < 8; ++i) many += "  - {key: k, values: [1,2,3,4,5,6,7,8,9,10]}\n";
  EXPECT_THROW(parse(many), UserError);
}

}  // namespace
}  // namespace overture::setup
