// Faults in a setup, and the study of failures, as a user meets them.
#include <string>

#include "program.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace overture::testing {
namespace {

using nlohmann::json;

const std::string kExamples = std::string(OVERTURE_SOURCE_FOLDER) + "/examples/";

struct FailuresCommand : ::testing::Test {
  TemporaryFolder folder;

  Outcome run(Words words) const { return run_overture(words, {.folder = folder.path()}); }
  json summary(const Words& words, int exit_code = 0) const {
    Words all = words;
    all.insert(all.end(), {"--json", "--no-report"});
    const Outcome outcome = run(all);
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.text();
    return json::parse(outcome.out, nullptr, false);
  }
};

TEST_F(FailuresCommand, FlowsCountWhatFailsAndRepeatTheRun) {
  const json first = summary({"flows", kExamples + "faults.yaml", "--no-why", "-o", "a"});
  EXPECT_EQ(first["faults"]["parts"], 3);
  EXPECT_GT(first["faults"]["lost_packets"], 100);
  EXPECT_GT(first["faults"]["reroutes"], 100);
  EXPECT_EQ(first["faults"]["undelivered_messages"], 0);
  EXPECT_EQ(first["delivered_bytes"], 240 * 262'144);
  const json again = summary({"flows", kExamples + "faults.yaml", "--no-why", "-o", "b"});
  EXPECT_EQ(again["digest"], first["digest"]);
}

TEST_F(FailuresCommand, NoFaultsAreNone) {
  const auto text = [](const char* faults) {
    return std::string("network: {topology: {star: {hosts: 4}}}\ntraffic: {pattern: ring, size: 1 MiB}\n") +
           faults;
  };
  const auto plain = folder.write("plain.yaml", text(""));
  const auto empty = folder.write("empty.yaml", text("faults: {}\n"));
  const json without = summary({"flows", plain.string(), "--no-why", "-o", "a"});
  const json with = summary({"flows", empty.string(), "--no-why", "-o", "b"});
  EXPECT_EQ(with["digest"], without["digest"]);
  EXPECT_FALSE(with.contains("faults"));
}

TEST_F(FailuresCommand, ARunThatCannotDeliverSaysWhatAndWhy) {
  const Outcome outcome =
      run({"flows", kExamples + "faults.yaml", "--no-why", "-s", "faults.switches.0.switch=s0"});
  EXPECT_EQ(outcome.exit_code, 3) << outcome.text();
  EXPECT_NE(outcome.out.find("not delivered: h0 to"), std::string::npos) << outcome.text();
  EXPECT_NE(outcome.out.find("is down forever"), std::string::npos) << outcome.text();
}

TEST_F(FailuresCommand, ADeadNodeEndsASimulationWithTheTaskThatNeverEnds) {
  const json dead =
      summary({"simulate", kExamples + "stragglers.yaml", "--no-why", "-s", "faults.nodes.0.slowdown=1", "-s",
               "faults.nodes.0.dies=true", "-s", "faults.nodes.0.until=3 s"},
              0);  // it comes back after three seconds
  EXPECT_GT(dead["finished_us"], 2'900'000);
  const auto setup =
      folder.write("dead.yaml",
                   "network: {dimensions: [{kind: ring, size: 4, links: 2, bandwidth: 100 Gbps}]}\n"
                   "workload:\n"
                   "  layers:\n"
                   "    - {name: one, forward: {compute: 5 us}}\n"
                   "faults: {nodes: [{node: 2, slowdown: 3}]}\n");
  EXPECT_DOUBLE_EQ(summary({"simulate", setup.string(), "--no-why", "-o", "slow"})["finished_us"], 15);
}

TEST_F(FailuresCommand, WhatCannotFailIsRefusedWithOneMessage) {
  const auto setup =
      folder.write("ring.yaml",
                   "network: {dimensions: [{kind: ring, size: 4, links: 2, bandwidth: 100 Gbps}]}\n"
                   "workload:\n"
                   "  layers:\n"
                   "    - {name: one, forward: {compute: 5 us}}\n"
                   "faults: {switches: [{switch: s0}]}\n");
  const Outcome refused = run({"simulate", setup.string()});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("faults.switches: analytical has no links that could fail"), std::string::npos)
      << refused.text();
  const Outcome unknown = run({"flows", kExamples + "faults.yaml", "-s", "faults.switches.0.switch=s99"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("switches s0 to s19"), std::string::npos) << unknown.text();
}

TEST_F(FailuresCommand, TheStudyFindsTheBestInterval) {
  const Outcome outcome =
      run({"study", "failures", "--parts", "goodput", "--nodes", "1024", "--runs", "100", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text();
  const json found = json::parse(outcome.out);
  const double best = found["scales"][0]["best_interval_s"];
  EXPECT_NEAR(found["scales"][0]["daly_interval_s"].get<double>() / best, 1, 0.1);
  EXPECT_GE(found["young_holds_up_to"], 0.003);
  EXPECT_GE(found["daly_holds_up_to"], 0.1);
  const Outcome wrong = run({"study", "failures", "--parts", "everything"});
  EXPECT_EQ(wrong.exit_code, 2) << wrong.text();
  const Outcome endless = run({"study", "failures", "--nodes", "128", "--node-mtbf-hours", "1e-6"});
  EXPECT_EQ(endless.exit_code, 2) << endless.text();
  EXPECT_NE(endless.err.find("at most a million failures"), std::string::npos) << endless.text();
  const Outcome long_restart = run({"study", "failures", "--restart-seconds", "2e9"});
  EXPECT_NE(long_restart.err.find("is not from 0 to 1e9"), std::string::npos) << long_restart.text();
}

}  // namespace
}  // namespace overture::testing
