#include "overture/report/flows_summary.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace overture::report {
namespace {

using namespace literals;
using Lines = std::vector<std::pair<std::string, std::string>>;

std::string value_of(const Lines& lines, const std::string& label) {
  const auto found = std::ranges::find(lines, label, &Lines::value_type::first);
  return found == lines.end() ? "none" : found->second;
}

// Two flows over one link of 100 Gbps, of which the second may not have finished.
struct FlowsSummary : testing::Test {
  std::vector<network::FlowSpec> flows{{.from = Rank{0}, .to = Rank{1}, .size = 125'000_B},
                                       {.from = Rank{0}, .to = Rank{1}, .size = 125'000_B}};
  network::FlowsResult result;

  FlowsSummary() {
    result.completion = {Duration{10us}, Duration{20us}};
    result.finished = 2;
    result.makespan = result.simulated = 20us;
    result.record.tiers = {"host"};
    result.record.links.push_back({.from = "h0",
                                   .to = "h1",
                                   .rate = 100_Gbps,
                                   .total = {.carried = 250'000_B, .busy = 15us, .peak_queue = 9'000_B}});
    result.record.delivered = 250'000_B;
  }
  void cut_short() {
    result.completion[1].reset();
    result.finished = 1;
    result.makespan = 10us;
    result.simulated = 15us;
    result.record.delivered = 125'000_B;
  }
  FlowsRun run(const topology::Opera* rotors = nullptr) const {
    return {.name = "two",
            .setup_yaml = "name: two\n",
            .hosts = 4,
            .flows = flows,
            .result = result,
            .rotors = rotors};
  }
  nlohmann::json json(const topology::Opera* rotors = nullptr) const {
    return nlohmann::json::parse(flows_summary_json(run(rotors)));
  }
};

TEST_F(FlowsSummary, ShowsWhatHappenedAndThatNothingWasDropped) {
  result.record.counters = {{"data_packets", 174}, {"timeouts", 0}};
  const Lines lines = flows_lines(run());
  EXPECT_EQ(value_of(lines, "makespan"), "20.00 us");
  EXPECT_EQ(value_of(lines, "data packets"), "174");
  EXPECT_EQ(value_of(lines, "drops"), "0");
  EXPECT_EQ(value_of(lines, "timeouts"), "none");
  EXPECT_EQ(value_of(lines, "busiest link"), "75.0 % of the time");
}

TEST_F(FlowsSummary, ARunThatWasCutShortHasNoMakespan) {
  cut_short();
  const Lines lines = flows_lines(run());
  EXPECT_EQ(value_of(lines, "makespan"), "none");
  EXPECT_EQ(value_of(lines, "cut short at"), "15.00 us");
  EXPECT_NE(value_of(lines, "delivered"), "none");
  EXPECT_TRUE(json()["makespan_us"].is_null());
  EXPECT_FALSE(json()["complete"].get<bool>());
}

TEST_F(FlowsSummary, JsonCountsByTheNamesOfTheDocs) {
  result.record.counters = {{"marks", 5}, {"notifications", 7}};
  EXPECT_EQ(json()["ecn_marks"], 5);
  EXPECT_EQ(json()["congestion_notifications"], 7);
  EXPECT_EQ(json()["drops"], 0);
  EXPECT_EQ(json()["fct_mean_us"], 15.0);
  EXPECT_EQ(json()["peak_queue_bytes"], 9000);
}

TEST_F(FlowsSummary, WithoutLinksNothingIsSaidOfThem) {
  result.record.links.clear();
  EXPECT_EQ(value_of(flows_lines(run()), "busiest link"), "none");
  EXPECT_EQ(flows_why(run()), "");
}

TEST_F(FlowsSummary, RotorsTellOfTheirCyclesAndOfWhatTookASecondHop) {
  const topology::Opera opera = topology::generate_opera({.tors = 4, .ports = 8});
  result.record.counters = {{"bulk_packets", 100}, {"bulk_packets_relayed", 25}};
  const Lines lines = flows_lines(run(&opera));
  EXPECT_EQ(value_of(lines, "bulk packets over a second hop"), "25");
  EXPECT_EQ(value_of(lines, "drops"), "none") << "rotors return what is too late";
  EXPECT_NE(value_of(lines, "cycle of the rotors"), "none");
  EXPECT_EQ(json(&opera)["tors"], 4);
  EXPECT_EQ(json(&opera)["bulk_packets_relayed"], 25);
  // 250,000 bytes at 100 Gbps are 20 us.
  EXPECT_TRUE(flows_why(run(&opera)).starts_with("host 0 needs its link for 100 % of the time"));
  EXPECT_NE(flows_why(run(&opera)).find("25 % of the bulk packets"), std::string::npos);
}

TEST_F(FlowsSummary, RotorsCutShortSaySo) {
  const topology::Opera opera = topology::generate_opera({.tors = 4, .ports = 8});
  cut_short();
  EXPECT_EQ(value_of(flows_lines(run(&opera)), "cut short at"), "15.00 us");
}

}  // namespace
}  // namespace overture::report
