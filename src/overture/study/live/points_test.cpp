#include "overture/study/live/points.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "overture/setup/train_setup.h"
#include "overture/study/live/live.h"

namespace overture::study {
namespace {

setup::TrainSetup setup_of(const LivePoint& point, int steps, bool injected) {
  return setup::parse_train_setup(train_yaml(point, steps, injected), "train.yaml");
}

TEST(LiveGrid, AtMostAThirdOfThePointsCalibrate) {
  for (const bool quick : {false, true}) {
    const std::vector<LivePoint> grid = live_grid(quick);
    const auto calibrating = std::ranges::count_if(grid, &LivePoint::calibrates);
    EXPECT_GE(calibrating, 2);
    EXPECT_LE(3 * calibrating, std::ssize(grid));
  }
}

TEST(LiveGrid, PredictedPointsDifferInWhateverMatters) {
  std::set<LiveModel> models;
  std::set<int> batches;
  std::set<int> trainers;
  std::set<int> servers;
  std::set<int> lookaheads;
  std::set<std::int64_t> links;
  for (const LivePoint& point : live_grid(false)) {
    if (point.calibrates) continue;
    models.insert(point.model);
    batches.insert(point.batch);
    trainers.insert(point.trainers);
    servers.insert(point.servers);
    lookaheads.insert(point.lookahead);
    links.insert(point.link.bits_per_second());
  }
  EXPECT_EQ(models.size(), 2u);
  EXPECT_GE(batches.size(), 2u);
  EXPECT_EQ(trainers, (std::set{1, 2}));
  EXPECT_EQ(servers, (std::set{1, 3}));
  EXPECT_EQ(lookaheads, (std::set{1, 20, 200}));
  EXPECT_EQ(links, (std::set<std::int64_t>{0, 100'000'000, 1'000'000'000}));
}

TEST(LiveGrid, NoPointIsThereTwice) {
  for (const bool quick : {false, true}) {
    std::set<std::string> names;
    const std::vector<LivePoint> grid = live_grid(quick);
    for (const LivePoint& point : grid) names.insert(point.name());
    EXPECT_EQ(names.size(), grid.size());
  }
}

TEST(LivePoint, ItsSetupIsWhatItsNameSays) {
  const LivePoint point{LiveModel::wide_and_deep, 1024, 2, 3, 20, Bandwidth::bits_per_second(100'000'000)};
  EXPECT_EQ(point.name(), "wide b1024 t2 s3 L20 100.0 Mbps");
  EXPECT_EQ(point.parties(), 6);
  const setup::TrainSetup setup = setup_of(point, 80, false);
  EXPECT_EQ(setup.name, point.name());
  EXPECT_EQ(setup.batch_size, 1024);
  EXPECT_EQ(setup.steps, 80);
  EXPECT_EQ(setup.trainers, 2);
  EXPECT_EQ(setup.servers, 3);
  EXPECT_EQ(setup.cache.lookahead, 20);
}

// In namespaces the network has the limit; the trainer must not have it once more.
TEST(LivePoint, OnlyAnInjectedLinkIsTheTrainersOwn) {
  const LivePoint limited{.link = Bandwidth::bits_per_second(1'000'000'000)};
  EXPECT_EQ(train_yaml(limited, 10, false).find("link:"), std::string::npos);
  EXPECT_NE(train_yaml(limited, 10, true).find("link:"), std::string::npos);
  EXPECT_EQ(train_yaml(LivePoint{}, 10, true).find("link:"), std::string::npos);
}

TEST(LivePoint, EverySetupOfTheGridIsOne) {
  for (const LivePoint& point : live_grid(false)) EXPECT_NO_THROW(setup_of(point, 10, false)) << point.name();
}

TEST(LivePart, HasAName) {
  std::set<std::string_view> names;
  for (std::size_t part = 0; part < kLiveParts; ++part) names.insert(name(static_cast<LivePart>(part)));
  EXPECT_EQ(names.size(), kLiveParts);
}

}  // namespace
}  // namespace overture::study
