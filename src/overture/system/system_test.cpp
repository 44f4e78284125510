#include "overture/system/system.h"

#include <gtest/gtest.h>

#include "overture/system/testing.h"

namespace overture::system {
namespace {

using namespace literals;
using enum CollectiveKind;
using enum SchedulingPolicy;

// Rings over full meshes: a message of m bytes takes 10 + m ns, endpoints no time. An all-reduce of 2m bytes
// between two takes 2 (10 + m) ns.
class SystemTest : public testing::Test {
 protected:
  struct Visit {
    int chunk;
    int dimension;
    Duration started;
    Duration finished;
    friend bool operator==(const Visit&, const Visit&) = default;
  };

  SystemTest() { config_.endpoint_delay = 0ns; }

  void build(const std::vector<int>& sizes) {
    machine_config_ = meshes(sizes);
    machine_ = std::make_unique<topology::Hierarchy>(network::hierarchy(machine_config_));
    network_ = network::make_network(machine_config_, *machine_, events_);
    for (Implementation& implementation : config_.implementations) {
      if (implementation.per_dimension.empty()) implementation.per_dimension.assign(sizes.size(), {kRing});
    }
    system_ = std::make_unique<System>(System::Setup{.config = config_,
                                                     .logical = logical_dimensions(*machine_),
                                                     .gib_per_s = std::vector<double>(sizes.size(), 1)},
                                       *machine_, events_, *network_);
    system_->on_chunk([this](const ChunkEvent& event) {
      inputs_.push_back(event.phase.input);
      visits_.push_back({event.chunk, event.phase.dimension_index, event.started.time_since_epoch(),
                         event.finished.time_since_epoch()});
    });
    system_->on_finished([this](CollectiveId id, const CollectiveStats& stats) {
      finished_.push_back(id);
      stats_.push_back(stats);
    });
  }

  std::optional<CollectiveId> issue(Bytes size, SchedulingPolicy policy = fifo,
                                    CollectiveKind kind = all_reduce) {
    return system_->issue({.kind = kind,
                           .size = size,
                           .dimensions = DimensionMask(machine_config_.dimensions.size(), true),
                           .policy = policy});
  }

  // Chunks in the order in which they left their phases.
  std::vector<int> chunks() const {
    std::vector<int> result;
    for (const Visit& visit : visits_) result.push_back(visit.chunk);
    return result;
  }

  sim::EventQueue events_;
  SystemConfig config_;
  network::AnalyticalConfig machine_config_;
  std::unique_ptr<topology::Hierarchy> machine_;
  std::unique_ptr<network::Network> network_;
  std::unique_ptr<System> system_;
  std::vector<Bytes> inputs_;
  std::vector<Visit> visits_;
  std::vector<CollectiveId> finished_;
  std::vector<CollectiveStats> stats_;
};

TEST_F(SystemTest, CutsWhatDoesNotDivideIntoOneChunkMore) {
  config_.splits = 3;
  build({2});
  issue(1'000'003_B);
  events_.run();
  EXPECT_EQ(inputs_, (std::vector<Bytes>{333'334_B, 333'334_B, 333'334_B, 1_B}));
}

TEST_F(SystemTest, ASizeBelowTheNumberOfSplitsGivesChunksOfAByte) {
  config_.splits = 10;
  build({2});
  issue(3_B);
  events_.run();
  EXPECT_EQ(inputs_, (std::vector<Bytes>{1_B, 1_B, 1_B}));
  EXPECT_EQ(finished_.size(), 1U);
}

TEST_F(SystemTest, ChunksOfManyGigabytesKeepTheirSize) {
  build({2, 2});
  issue(20_GiB);
  events_.run();
  EXPECT_EQ(inputs_, (std::vector<Bytes>{20_GiB, 20_GiB}));
  // On either dimension two messages of half of it, one of which is reduced.
  const std::int64_t half = std::int64_t{10} << 30;
  EXPECT_EQ(events_.now(), Time{2 * (Nanoseconds{2 * (10 + half)} + reduction_time(Bytes{half}))});
}

TEST_F(SystemTest, AChunkHoldsItsPlaceUntilItsPhaseIsOver) {
  config_.splits = 2;
  build({2, 2});
  issue(400_B);
  events_.run();
  EXPECT_EQ(visits_,
            (std::vector<Visit>{
                {0, 0, 0ns, 220ns}, {1, 0, 220ns, 440ns}, {0, 1, 220ns, 440ns}, {1, 1, 440ns, 660ns}}));
}

TEST_F(SystemTest, SeveralChunksMayRunAtOnce) {
  config_.splits = 3;
  config_.active_chunks = 2;
  build({2});
  issue(600_B);
  events_.run();
  EXPECT_EQ(visits_, (std::vector<Visit>{{0, 0, 0ns, 220ns}, {1, 0, 0ns, 220ns}, {2, 0, 220ns, 440ns}}));
}

TEST_F(SystemTest, QueuesShareTheActiveChunksRoundedUp) {
  config_.splits = 6;
  config_.active_chunks = 3;
  config_.queues_per_dimension = 2;  // two each
  build({2});
  issue(1200_B);
  events_.run();
  EXPECT_EQ(chunks(), (std::vector{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(visits_[3].started, 0ns);
  EXPECT_EQ(visits_[4].started, 220ns);
}

TEST_F(SystemTest, LifoServesTheNewestFirstAndFifoTheOldest) {
  build({2});
  for (int i = 0; i < 4; ++i) issue(200_B, lifo);
  events_.run();
  EXPECT_EQ(chunks(), (std::vector{0, 3, 2, 1})) << "the first runs already";
  visits_.clear();
  for (int i = 0; i < 4; ++i) issue(200_B, fifo);
  events_.run();
  EXPECT_EQ(chunks(), (std::vector{4, 5, 6, 7}));
}

TEST_F(SystemTest, TheHighestPriorityOvertakesAllThatWait) {
  build({2});
  for (int i = 0; i < 3; ++i) issue(200_B, fifo);
  issue(200_B, highest);
  events_.run();
  EXPECT_EQ(chunks(), (std::vector{0, 3, 1, 2}));
}

// Why weight gradients overtake input gradients in the hybrid loops: both draw from one counter.
TEST_F(SystemTest, AFifoCollectiveAfterALifoOneOutranksIt) {
  build({2});
  issue(200_B, lifo);  // 0, and runs
  issue(200_B, lifo);  // 1, and leaves the counter at 2
  issue(200_B, fifo);  // 2
  events_.run();
  EXPECT_EQ(chunks(), (std::vector{0, 2, 1}));
}

TEST_F(SystemTest, ACollectiveThatSpansNothingIsNotIssued) {
  build({2});
  EXPECT_FALSE(system_->issue({.kind = all_reduce, .size = 10_B, .dimensions = {false}}));
  EXPECT_EQ(events_.pending(), 0U);
}

TEST_F(SystemTest, MeansAreOverTheChunksOfACollective) {
  config_.splits = 2;
  build({2});
  issue(400_B);
  events_.run();
  ASSERT_EQ(stats_.size(), 1U);
  EXPECT_EQ(stats_[0].chunks, 2);
  EXPECT_EQ(stats_[0].queueing_ns, (std::vector<double>{0, 110}));  // none, and 220 ns
  EXPECT_EQ(stats_[0].network_ns, (std::vector<double>{110}));
}

TEST_F(SystemTest, ADimensionIsInUseWhileAChunkWaitsOrRuns) {
  build({2});
  issue(200_B);
  issue(200_B);
  events_.run();
  events_.after(1us, [this] { issue(200_B); });
  events_.run();
  const DimensionUse& use = system_->use()[0];
  EXPECT_EQ(use.chunks, 3);
  EXPECT_EQ(use.running, 660ns);
  ASSERT_EQ(use.busy.size(), 2U);
  EXPECT_EQ(use.busy[0].from, Time{0ns});
  EXPECT_EQ(use.busy[0].to, Time{440ns});
  EXPECT_EQ(use.busy[1].from, Time{1440ns});
  EXPECT_EQ(use.busy[1].to, Time{1660ns});
}

TEST_F(SystemTest, AFlatCollectiveGoesOverAllRanksInOnePhase) {
  config_.implementation(all_to_all) = {.per_dimension = {{kDirect}}, .flat = true};
  build({2, 3});
  issue(600_B, fifo, all_to_all);
  events_.run();
  EXPECT_EQ(visits_, (std::vector<Visit>{{0, 0, 0ns, 110ns}}));
}

TEST_F(SystemTest, TellsWhatIsNotFinished) {
  build({2, 2});
  EXPECT_EQ(system_->stuck(), "");
  issue(200_B);
  EXPECT_EQ(
      system_->stuck(),
      "all_reduce of 200 B has 1 of 1 chunks left\n"
      "  chunk 0 runs all_reduce on dimension 0: rank 0 has received 0 of 2 messages and waits for rank 1");
  events_.run();
  EXPECT_EQ(system_->stuck(), "");
}

}  // namespace
}  // namespace overture::system
