// Sweeps with a small shell script in place of overture: who runs, who is left alone, what is told of
// failures.
#include "overture/study/sweep.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "overture/base/files.h"
#include "overture/base/testing.h"
#include "overture/base/testing_disk.h"
#include "overture/base/testing_seeds.h"

namespace overture::study {
namespace {

namespace fs = std::filesystem;

class Sweep : public testing::Test {
 protected:
  Sweep()
      : folder_(fs::path(testing::TempDir()) /
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "points");
    write_file(folder_ / "setup.yaml", "a: 1\n");
    script("");
  }

  // Counts its runs in runs.txt and writes the summary of a finished command, unless `first` ends it.
  void script(const std::string& first) {
    const fs::path file = folder_ / "program.sh";
    write_file(file,
               "#!/bin/sh\necho \"$@\" >> '" + (folder_ / "runs.txt").string() + "'\n" + first +
                   "\nwhile [ $# -gt 1 ]; do shift; done\nmkdir -p \"$1\"\n"
                   "echo '{\"overture\": \"v1\", \"time_us\": 7.5, \"name\": \"x\", \"inner\": {\"n\": 1}}' "
                   "> \"$1/summary.json\"\n");
    fs::permissions(file, fs::perms::owner_all);
  }

  SweepJob job(std::size_t points, int at_a_time = 1) const {
    SweepJob job{.program = folder_ / "program.sh",
                 .command = "simulate",
                 .setup = folder_ / "setup.yaml",
                 .jobs = at_a_time};
    for (std::size_t i = 0; i < points; ++i) {
      const std::vector<std::string> overrides{"key=" + std::to_string(i)};
      job.points.push_back(
          {.overrides = overrides,
           .folder = point_folder(folder_ / "points", i + 1, "simulate", "a: 1\n", overrides)});
    }
    return job;
  }

  static std::vector<std::size_t> all(const SweepJob& job) {
    std::vector<std::size_t> points;
    for (std::size_t i = 0; i < job.points.size(); ++i) points.push_back(i);
    return points;
  }
  static bool go_on(std::size_t) { return true; }

  int runs() const {
    if (!fs::exists(folder_ / "runs.txt")) return 0;
    const std::string text = read_file(folder_ / "runs.txt");
    return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  }

  fs::path folder_;
};

TEST_F(Sweep, RunsEveryPointOnceWithItsOverrides) {
  const SweepJob sweep = job(5, 3);
  EXPECT_TRUE(run_sweep(sweep, all(sweep), go_on).empty());
  EXPECT_EQ(runs(), 5);
  const std::string said = read_file(folder_ / "runs.txt");
  for (int i = 0; i < 5; ++i) EXPECT_NE(said.find("-s key=" + std::to_string(i)), std::string::npos);
  for (const SweepPoint& point : sweep.points) EXPECT_TRUE(is_finished(point));
}

TEST_F(Sweep, NotesWhatARunCostIfAsked) {
  SweepJob sweep = job(2);
  run_sweep(sweep, {0}, go_on);
  EXPECT_FALSE(cost_of(sweep.points[0]).has_value());
  script("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done");
  sweep.notes_costs = true;
  run_sweep(sweep, all(sweep), go_on);
  EXPECT_FALSE(cost_of(sweep.points[0]).has_value()) << "it was not run again";
  const std::optional<RunCost> cost = cost_of(sweep.points[1]);
  ASSERT_TRUE(cost.has_value());
  EXPECT_GT(cost->cpu_seconds, 0);
  EXPECT_LT(cost->cpu_seconds, 60);
  EXPECT_GT(cost->peak_mib, 0.1);
}

TEST_F(Sweep, WhatIsFinishedIsNeverRunAgain) {
  const SweepJob sweep = job(4);
  run_sweep(sweep, {0, 2}, go_on);
  EXPECT_EQ(runs(), 2);
  EXPECT_FALSE(is_finished(sweep.points[1]));
  run_sweep(sweep, all(sweep), go_on);
  EXPECT_EQ(runs(), 4);
  run_sweep(sweep, all(sweep), go_on);
  EXPECT_EQ(runs(), 4);
}

TEST_F(Sweep, AResultOfAnotherVersionDoesNotCount) {
  SweepJob sweep = job(1);
  run_sweep(sweep, all(sweep), go_on);
  sweep.points[0].version = "v1";
  EXPECT_TRUE(is_finished(sweep.points[0]));
  sweep.points[0].version = "v2";
  EXPECT_FALSE(is_finished(sweep.points[0]));
}

TEST_F(Sweep, FailuresAreToldWithTheirMessageAndDoNotStopTheOthers) {
  script("case \"$*\" in *key=1*) echo 'error: no such thing' >&2; exit 2;; esac");
  const SweepJob sweep = job(3);
  const std::vector<SweepFailure> failures = run_sweep(sweep, all(sweep), go_on);
  ASSERT_EQ(failures.size(), 1);
  EXPECT_EQ(failures[0].point, 1);
  EXPECT_EQ(failures[0].exit_code, 2);
  EXPECT_NE(failures[0].message.find("no such thing"), std::string::npos);
  EXPECT_TRUE(is_finished(sweep.points[2]));
  EXPECT_FALSE(is_finished(sweep.points[1]));
}

TEST_F(Sweep, AProgramThatEndsWellWithoutASummaryHasFailed) {
  script("exit 0");
  const SweepJob sweep = job(1);
  EXPECT_EQ(run_sweep(sweep, all(sweep), go_on).size(), 1);
  EXPECT_FALSE(is_finished(sweep.points[0]));
}

TEST_F(Sweep, AProgramThatIsKilledIsToldByItsSignal) {
  script("kill -9 $$");
  const SweepJob sweep = job(1);
  const auto failures = run_sweep(sweep, all(sweep), go_on);
  ASSERT_EQ(failures.size(), 1);
  EXPECT_EQ(failures[0].exit_code, 128 + 9);
}

TEST_F(Sweep, ProgressCountsWhatIsDoneAndEndsWithAll) {
  const SweepJob sweep = job(3);
  std::vector<std::size_t> seen;
  run_sweep(sweep, all(sweep), [&](std::size_t done) {
    seen.push_back(done);
    return true;
  });
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(seen.front(), 0);
  EXPECT_EQ(seen.back(), 3);
}

TEST_F(Sweep, StoppedLeavesNothingHalfDone) {
  script("sleep 30");
  const SweepJob sweep = job(2, 2);
  int asked = 0;
  run_sweep(sweep, all(sweep), [&](std::size_t) { return ++asked < 4; });
  for (const SweepPoint& point : sweep.points) EXPECT_FALSE(is_finished(point));
  EXPECT_TRUE(fs::is_empty(folder_ / "points"));
}

TEST_F(Sweep, NumbersOfAPointAreThoseAtTheTopAndOneLevelBelow) {
  const SweepJob sweep = job(1);
  run_sweep(sweep, all(sweep), go_on);
  auto numbers = numbers_of(sweep.points[0]);
  std::ranges::sort(numbers);
  EXPECT_EQ(numbers, (std::vector<std::pair<std::string, double>>{{"inner.n", 1}, {"time_us", 7.5}}));
}

TEST_F(Sweep, ADamagedSummaryIsNamed) {
  const SweepJob sweep = job(1);
  run_sweep(sweep, all(sweep), go_on);
  write_file(sweep.points[0].folder / "summary.json", "[1, 2]");
  EXPECT_NE(user_error([&] { numbers_of(sweep.points[0]); }).find("summary.json"), std::string::npos);
}

TEST(PointFolder, FollowsFromAllThatItsResultDependsOn) {
  const auto of = [](const std::string& command, const std::string& setup,
                     const std::vector<std::string>& overrides) {
    return point_folder("root", 3, command, setup, overrides);
  };
  const fs::path one = of("simulate", "a: 1", {"b=2"});
  EXPECT_EQ(one, of("simulate", "a: 1", {"b=2"}));
  EXPECT_NE(one, of("flows", "a: 1", {"b=2"}));
  EXPECT_NE(one, of("simulate", "a: 2", {"b=2"}));
  EXPECT_NE(one, of("simulate", "a: 1", {"b=3"}));
  EXPECT_NE(one, of("simulate", "a: 1", {}));
  EXPECT_EQ(one.parent_path(), "root");
}

TEST_F(Sweep, APointThatWasCutShortIsNotFinished) {
  script(
      "while [ $# -gt 1 ]; do shift; done; mkdir -p \"$1\"; echo '{\"complete\": false}' > "
      "\"$1/summary.json\"; exit 0");
  const SweepJob cut = job(1);
  const auto failures = run_sweep(cut, all(cut), go_on);
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_EQ(failures[0].exit_code, 3);
  EXPECT_FALSE(is_finished(cut.points[0]));
  // Nor is one that an older version kept.
  fs::create_directories(cut.points[0].folder);
  write_file(cut.points[0].folder / "summary.json", R"({"stopped_early": true, "out_of_patience": false})");
  EXPECT_FALSE(is_finished(cut.points[0]));
  write_file(cut.points[0].folder / "summary.json", R"({"stopped_early": true, "out_of_patience": true})");
  EXPECT_TRUE(is_finished(cut.points[0]));
}

TEST_F(Sweep, ChildrenDieWithTheirSweep) {
  script("echo $$ > '" + (folder_ / "child.txt").string() + "'; exec sleep 60");
  const SweepJob one = job(1);
  const pid_t sweep = fork();
  if (sweep == 0) {
    run_sweep(one, all(one), go_on);
    _exit(0);
  }
  pid_t child = 0;
  for (int i = 0; i < 2000 && child == 0; ++i) {
    usleep(5000);
    std::ifstream(folder_ / "child.txt") >> child;
  }
  ASSERT_GT(child, 0);
  kill(sweep, SIGKILL);
  waitpid(sweep, nullptr, 0);
  // Who takes in orphans may take its time to bury one.
  const auto gone = [&] {
    std::string word;
    char state = 'X';
    std::ifstream(fs::path("/proc") / std::to_string(child) / "stat") >> word >> word >> state;
    return state == 'X' || state == 'Z';
  };
  for (int i = 0; i < 2000 && !gone(); ++i) usleep(5000);
  EXPECT_TRUE(gone());
}

TEST_F(Sweep, AFinishedPointIsWholeWhereverTheCrashIs) {
  const SweepJob four = job(4);
  const fs::path root = folder_ / "points";
  RecordingDisk recording(root);
  std::vector<std::size_t> promised;
  {
    const DiskInstead instead(recording);
    for (const SweepPoint& point : four.points) {
      ASSERT_TRUE(disk().make_folder(unfinished(point)));
      write_file(unfinished(point) / "table.csv", "a,b\n1,2\n");
      write_file(unfinished(point) / "summary.json", R"({"time_us": 1})");
      ASSERT_TRUE(keep_if_complete(point));
      promised.push_back(recording.operations());
    }
  }
  for (std::uint64_t seed = 0; seed < seeds(150); ++seed) {
    const std::size_t crash = RandomStream(seed, 9).below(recording.operations() + 1);
    const fs::path after = folder_ / "after";
    recording.crash(crash, seed, after);
    for (std::size_t i = 0; i < four.points.size(); ++i) {
      SweepPoint point = four.points[i];
      point.folder = after / point.folder.filename();
      EXPECT_TRUE(is_finished(point) || crash < promised[i]) << "seed " << seed << ", operation " << crash;
      if (is_finished(point)) {
        EXPECT_EQ(read_file(point.folder / "table.csv"), "a,b\n1,2\n") << "seed " << seed;
        EXPECT_EQ(numbers_of(point).size(), 1u);
      }
    }
    fs::remove_all(after);
  }
}

}  // namespace
}  // namespace overture::study
