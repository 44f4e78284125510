#include "overture/report/faults_summary.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "overture/base/files.h"

namespace overture::report {
namespace {

using namespace std::chrono_literals;

network::Faults some_faults() {
  network::Faults faults;
  network::LinkFault cable;
  cable.between = "s0-s4";
  cable.from = 10us;
  cable.until = 30us;
  network::LinkFault lossy;
  lossy.share = 0.1;
  lossy.tier = "core";
  lossy.loss = 0.01;
  faults.links = {cable, lossy};
  network::SwitchFault late;
  late.name = "s9";
  late.from = 500us;
  faults.switches = {late};
  network::NodeFault slow;
  slow.node = 3;
  slow.slowdown = 2;
  slow.until = 400us;
  faults.nodes = {slow};
  return faults;
}

TEST(FaultTimes, AreThoseOfThePartsThatFailBeforeTheRunEnds) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / ("overture_faults_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  write_fault_times({}, 100us, folder);
  EXPECT_FALSE(std::filesystem::exists(folder / "faults.csv")) << "nothing fails";
  write_fault_times(some_faults(), 100us, folder);
  EXPECT_EQ(read_file(folder / "faults.csv"),
            "part,what,from_us,until_us\n"
            "s0-s4,down,10.000000,30.000000\n"
            "10 % of the cables of tier core,loses 1 % of packets,0.000000,100.000000\n"
            "node 3,computes 2 times slower,0.000000,100.000000\n");
  std::filesystem::remove_all(folder);
}

TEST(FaultTimes, CurvesGoUpAndDown) {
  const std::vector<TraceCounter> found = curves({}, some_faults(), 100us);
  ASSERT_EQ(found.size(), 6u);
  EXPECT_EQ(found[0].name, "fault: s0-s4 down");
  EXPECT_EQ(found[0].when, Time{10us});
  EXPECT_EQ(found[0].value, 1);
  EXPECT_EQ(found[1].when, Time{30us});
  EXPECT_EQ(found[1].value, 0);
  EXPECT_TRUE(curves({}, {}, 100us).empty());
}

TEST(FaultSummary, SaysNothingWhereNothingFailed) {
  Json summary = Json::object();
  add_faults({}, summary);
  EXPECT_TRUE(summary.empty());
  EXPECT_TRUE(fault_lines({}).empty());
  EXPECT_EQ(undelivered_note({}), "");
}

TEST(FaultSummary, TellsAtMostAHundredUndeliveredMessagesButCountsAll) {
  network::NetworkRecord record;
  record.counters.push_back({"faults", 2});
  for (int i = 0; i < 250; ++i) record.undelivered.push_back("message " + std::to_string(i));
  Json summary = Json::object();
  add_faults(record, summary);
  EXPECT_EQ(summary["faults"]["parts"], 2);
  EXPECT_EQ(summary["faults"]["undelivered_messages"], 250);
  EXPECT_EQ(summary["undelivered"].size(), 100u);
  EXPECT_EQ(undelivered_note(record), "message 0 (and 249 more)");
}

}  // namespace
}  // namespace overture::report
