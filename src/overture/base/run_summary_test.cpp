#include "overture/base/run_summary.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace overture {
namespace {

TEST(RunSummary, WhatWasCutShortIsNotComplete) {
  EXPECT_TRUE(is_complete(Json::object()));
  EXPECT_TRUE(is_complete({{"complete", true}}));
  EXPECT_FALSE(is_complete({{"complete", false}}));
  EXPECT_FALSE(is_complete({{"stopped_early", true}}));
  EXPECT_TRUE(is_complete({{"stopped_early", true}, {"out_of_patience", true}})) << "it was asked to";
  EXPECT_FALSE(is_complete({{"complete", false}, {"stopped_early", true}, {"out_of_patience", true}}));
  EXPECT_TRUE(is_complete({{"complete", "no"}})) << "only true and false count";
  EXPECT_FALSE(is_complete(Json::array()));
}

}  // namespace
}  // namespace overture
