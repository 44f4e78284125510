#include "overture/lookahead/forecast.h"

#include <gtest/gtest.h>

namespace overture::lookahead {
namespace {

TEST(Forecast, RowsThatComeEarlyCountFromNowOn) {
  Forecast forecast(3, 3, 5);

  EXPECT_TRUE(forecast.admit(0, 0, {.fresh = 2, .kept_since = {0, 0, 0}}));
  EXPECT_TRUE(forecast.admit(0, 1, {.fresh = 3, .kept_since = {1, 0, 0}}));
  EXPECT_FALSE(forecast.admit(0, 2, {.fresh = 1, .kept_since = {0, 0, 0}}));
  forecast.pass(0);  // one of two rows leaves
  EXPECT_TRUE(forecast.admit(1, 2, {.fresh = 1, .kept_since = {0, 0, 0}}));
}

TEST(Forecast, RowsThatComeLateCountOnlyThen) {
  Forecast forecast(3, 1, 3);

  EXPECT_TRUE(forecast.admit(0, 0, {.fresh = 3, .kept_since = {0, 0, 0}}));
  EXPECT_TRUE(forecast.admit(0, 1, {.fresh = 2, .kept_since = {1, 0, 0}}));
  EXPECT_TRUE(forecast.admit(0, 2, {.fresh = 3, .kept_since = {0, 0, 0}}));
}

TEST(Forecast, ARowKeptThroughABatchTakesItsPlace) {
  Forecast forecast(3, 1, 3);

  EXPECT_TRUE(forecast.admit(0, 0, {.fresh = 1, .kept_since = {0, 0, 0}}));
  EXPECT_TRUE(forecast.admit(0, 1, {.fresh = 3, .kept_since = {0, 0, 0}}));
  EXPECT_FALSE(forecast.admit(0, 2, {.fresh = 0, .kept_since = {1, 0, 0}}));  // a fourth row during batch 1
}

}  // namespace
}  // namespace overture::lookahead
