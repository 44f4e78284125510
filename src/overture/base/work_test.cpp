#include "overture/base/work.h"

#include <set>
#include <string_view>

#include <gtest/gtest.h>

namespace overture {
namespace {

TEST(WorkKinds, AreInTheOrderOfTheirNumbersWithNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kWorks; ++i) {
    EXPECT_EQ(static_cast<std::size_t>(work_kinds()[i].work), i);
    EXPECT_TRUE(names.insert(work_kinds()[i].name).second) << work_kinds()[i].name;
    EXPECT_FALSE(work_kinds()[i].help.empty());
  }
  EXPECT_EQ(kind_of(Work::gather).name, "gather");
}

TEST(WorkKinds, NumbersThatAreUsedStandBeforeThoseThatAreNot) {
  for (const WorkKind& kind : work_kinds()) {
    for (std::size_t i = 1; i < kWorkNumbers; ++i)
      EXPECT_FALSE(kind.units[i - 1].empty() && !kind.units[i].empty()) << kind.name;
  }
}

TEST(WorkKinds, LateRoundsCostWhatUrgentOnesCost) {
  EXPECT_EQ(priced_as(Work::late_pack_gradients), Work::pack_gradients);
  EXPECT_EQ(priced_as(Work::late_apply_gradients), Work::apply_gradients);
  EXPECT_EQ(priced_as(Work::late_take_updates), Work::take_updates);
  for (const WorkKind& kind : work_kinds()) {
    EXPECT_EQ(priced_as(priced_as(kind.work)), priced_as(kind.work)) << kind.name;
    EXPECT_EQ(kind_of(priced_as(kind.work)).units, kind.units) << "the same numbers: " << kind.name;
  }
}

}  // namespace
}  // namespace overture
