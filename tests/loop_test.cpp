// The loop as a user goes through it: train and record, look, replay, calibrate, predict, validate.
#include <fstream>

#include "program.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace overture::testing {
namespace {

namespace fs = std::filesystem;

const Words kTrain{"train", "--synthetic",       "kaggle",  "--scale",        "0.0005",   "--samples",
                   "3000",  "--arch-mlp-bot",    "13-16-8", "--arch-mlp-top", "16-1",     "--emb-size",
                   "8",     "--mini-batch-size", "64",      "--no-report",    "--record", "--lookahead-value",
                   "6"};

constexpr const char* kStar =
    "name: star\n"
    "network: {backend: flow, topology: {star: {hosts: 6, wire: {rate: 1 Gbps, delay: 20 us}}}}\n"
    "system: {all_reduce: [direct]}\n";

Words plus(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

class Loop : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    std::ofstream(path() / "star.yaml") << kStar;
    for (const char* trainers : {"1", "2"}) {
      const Outcome outcome = run_overture(
          plus(kTrain, {"--trainers", trainers, "-o", std::string("run") + trainers}), {.folder = path()});
      ASSERT_EQ(outcome.exit_code, 0) << outcome.text();
    }
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static const fs::path& path() { return folder_->path(); }
  static Outcome overture(const Words& words) { return run_overture(words, {.folder = path()}); }

 private:
  static inline std::unique_ptr<TemporaryFolder> folder_;
};

TEST_F(Loop, InspectSaysWhatIsInARecording) {
  const Outcome outcome = overture({"inspect", "run2/recording", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text();
  const auto root = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(root["trainers"], 2);
  ASSERT_EQ(root["parties"].size(), 4u);
  EXPECT_EQ(root["parties"][1]["name"], "trainer 0");
  EXPECT_GT(root["parties"][1]["work"]["gather"]["pieces"], 30);
  EXPECT_GT(root["parties"][1]["sent"]["dense_gradients"]["bytes"], 0);
  EXPECT_NE(overture({"inspect", "run2/recording"}).out.find("update_dense"), std::string::npos);
}

TEST_F(Loop, ARecordingIsPlayedOnAnyNetworkAndWithOtherParties) {
  const Outcome same =
      overture({"simulate", "star.yaml", "-s", "workload.recording=run2/recording", "--json", "-o", "same"});
  ASSERT_EQ(same.exit_code, 0) << same.text();
  const double there = nlohmann::json::parse(same.out)["iteration_us"];
  EXPECT_GT(there, 0);
  const Outcome slow = overture({"simulate", "star.yaml", "-s", "workload.recording=run2/recording", "-s",
                                 "network.topology.star.wire.rate=10 Mbps", "--json", "-o", "slow"});
  ASSERT_EQ(slow.exit_code, 0) << slow.text();
  EXPECT_GT(nlohmann::json::parse(slow.out)["iteration_us"], there);
  const Outcome more =
      overture({"simulate", "star.yaml", "-s", "workload.recording=run2/recording", "-s",
                "workload.training.trainers=3", "-s", "workload.training.servers=2", "--json", "-o", "more"});
  ASSERT_EQ(more.exit_code, 0) << more.text();
  EXPECT_EQ(overture({"generate", "chakra", "star.yaml", "-s", "workload.recording=run2/recording", "-o",
                      "run2/trace"})
                .exit_code,
            0);
}

TEST_F(Loop, CalibrateWritesAMachineThatPredicts) {
  const Outcome fitted = overture({"calibrate", "run1", "run2", "-o", "machine"});
  ASSERT_EQ(fitted.exit_code, 0) << fitted.text();
  EXPECT_NE(fitted.out.find("each run by a fit to the others"), std::string::npos);
  const Outcome predicted =
      overture({"simulate", "star.yaml", "-s",
                "workload.training={setup: run1/setup.yaml, machine: machine/machine.yaml, cores: 2}",
                "--json", "-o", "predicted"});
  ASSERT_EQ(predicted.exit_code, 0) << predicted.text();
  EXPECT_GT(nlohmann::json::parse(predicted.out)["iteration_us"], 0);
}

TEST_F(Loop, WhatCannotBeIsOneMessage) {
  const Outcome plain =
      overture({"train", "--synthetic", "kaggle", "--samples", "100", "--record", "--lookahead-value", "0"});
  EXPECT_EQ(plain.exit_code, 2);
  EXPECT_NE(plain.err.find("--record"), std::string::npos) << plain.text();
  fs::copy(path() / "run1/recording", path() / "cut");
  fs::resize_file(path() / "cut/party-1.rec", fs::file_size(path() / "cut/party-1.rec") - 5);
  for (const Words& words : {Words{"inspect", "cut"}, Words{"calibrate", "cut"},
                             Words{"simulate", "star.yaml", "-s", "workload.recording=cut"}}) {
    const Outcome cut = overture(words);
    EXPECT_EQ(cut.exit_code, 2);
    EXPECT_NE(cut.err.find("is cut short after"), std::string::npos) << cut.text();
  }
}

// Real trainings, a calibration, predictions, a page: only that it all works; how close it is depends on the
// machine.
TEST_F(Loop, ValidateLiveTrainsAndPredicts) {
  const Outcome live = overture(
      {"validate", "--live", "--quick", "--injected", "--steps", "24", "--repeats", "1", "-o", "live"});
  ASSERT_EQ(live.exit_code, 0) << live.text();
  EXPECT_NE(live.out.find("pairs in the measured order"), std::string::npos);
  EXPECT_TRUE(fs::exists(path() / "live/report.html"));
  EXPECT_TRUE(fs::exists(path() / "live/validation.csv"));
  EXPECT_TRUE(fs::exists(path() / "live/point-3/predict.yaml"));
}

}  // namespace
}  // namespace overture::testing
