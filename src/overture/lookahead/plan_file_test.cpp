#include "overture/lookahead/plan_file.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "overture/base/files.h"
#include "overture/base/testing.h"
#include "overture/base/testing_disk.h"
#include "overture/base/testing_seeds.h"
#include "overture/lookahead/plan_code.h"
#include "overture/lookahead/testing.h"

namespace overture::lookahead {
namespace {

class PlanFile : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::path(testing::TempDir()) / (std::string("overture_plan_file_") + test->name());
  }
  void TearDown() override { std::filesystem::remove(path_); }

  void write(const LookupTrace& trace) const {
    PlanWriter writer(path_, trace.config);
    for (const StepPlan& step : plan_all(trace)) writer.write(step);
    writer.finish();
  }
  std::vector<StepPlan> read() const {
    PlanReader reader(path_);
    std::vector<StepPlan> steps;
    StepPlan plan;
    while (reader.next(plan)) steps.push_back(plan);
    return steps;
  }
  std::string read_error() const {
    return user_error([this] { read(); });
  }

  std::filesystem::path path_;
};

TEST_F(PlanFile, GivesBackWhatWasWritten) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    const LookupTrace trace = random_trace(seed);
    write(trace);
    EXPECT_EQ(PlanReader(path_).config(), trace.config);
    EXPECT_EQ(read(), plan_all(trace));
  }
}

TEST_F(PlanFile, IsNotThereUntilItIsFinished) {
  {
    PlanWriter writer(path_, random_trace(1).config);
    EXPECT_FALSE(std::filesystem::exists(path_));
  }
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(PlanFile, IntoAFolderThatIsNotThereIsAnError) {
  EXPECT_NE(
      user_error([this] { PlanWriter(path_ / "plan", random_trace(1).config); }).find("cannot be written"),
      std::string::npos);
}

TEST_F(PlanFile, CutShortAnywhereIsAnError) {
  write(simple_trace({.lookahead = 2}, {{1, 2}, {2, 3}}));
  const std::string whole = read_file(path_);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write_file(path_, whole.substr(0, size));
    ASSERT_NE(read_error(), "") << size;
  }
  write_file(path_, whole + "x");
  EXPECT_NE(read_error().find("has data after its end"), std::string::npos);
}

TEST_F(PlanFile, IsTheOldOneOrTheNewOneWhereverTheCrashIs) {
  namespace fs = std::filesystem;
  const fs::path scratch = path_.string() + "_crash";
  const fs::path place = scratch / "root" / "plan";
  fs::create_directories(scratch / "root");
  RecordingDisk recording(scratch / "root");
  std::vector<std::vector<StepPlan>> plans{{}};
  std::vector<std::size_t> promised{0};
  {
    const DiskInstead instead(recording);
    for (const std::uint64_t seed : {1, 2, 3}) {
      const LookupTrace trace = random_trace(seed);
      PlanWriter writer(place, trace.config);
      plans.push_back(plan_all(trace));
      for (const StepPlan& step : plans.back()) writer.write(step);
      writer.finish();
      promised.push_back(recording.operations());
    }
  }
  path_ = scratch / "after" / "plan";
  for (std::uint64_t seed = 0; seed < seeds(200); ++seed) {
    const std::size_t crash = RandomStream(seed, 13).below(recording.operations() + 1);
    recording.crash(crash, seed, path_.parent_path());
    const auto least = std::ranges::upper_bound(promised, crash) - promised.begin() - 1;
    bool known = least == 0 && !fs::exists(path_);
    for (auto i = std::max<std::ptrdiff_t>(least, 1); !known && i < std::ssize(plans); ++i)
      known = read() == plans[static_cast<std::size_t>(i)];
    EXPECT_TRUE(known) << "seed " << seed << ", after operation " << crash;
    fs::remove_all(path_.parent_path());
  }
  fs::remove_all(scratch);
}

TEST_F(PlanFile, EveryChangedBitIsAnError) {
  write(simple_trace({.lookahead = 2}, {{1, 2}, {2, 3}}));
  const std::string whole = read_file(path_);
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string changed = whole;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ 1 << bit % 8);
    write_file(path_, changed);
    ASSERT_NE(read_error(), "") << bit;
  }
}

TEST_F(PlanFile, OfAnotherVersionOrKindSaysSo) {
  write_file(path_, "overture plan 2\n");
  EXPECT_NE(read_error().find("another version"), std::string::npos);
  write_file(path_, "batch,table,id\n0,0,0\n");
  EXPECT_NE(read_error().find("is not a plan"), std::string::npos);
  std::filesystem::remove(path_);
  EXPECT_NE(read_error().find("cannot be read"), std::string::npos);
}

// What a checksum does not catch must still not crash.
TEST(PlanCode, AnyBytesAreAStepOrAnError) {
  RandomStream random = RandomStreams(3).make("bytes");
  const LookupTrace trace = random_trace(5);
  std::string good;
  encode(plan_all(trace).front(), good);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = good.substr(0, random.below(good.size() + 1));
    for (int change = 0; change < 3 && !bytes.empty(); ++change) {
      bytes[random.below(bytes.size())] = static_cast<char>(random());
    }
    StepPlan plan;
    decode(bytes, trace.config, plan);
    PlannerConfig config;
    decode(bytes, config);
  }
}

}  // namespace
}  // namespace overture::lookahead
