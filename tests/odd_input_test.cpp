// Input at the edge of what makes sense, that runs: very large and very small collectives, no delays at all.

#include "astra_case.h"
#include <gtest/gtest.h>

namespace overture::testing {
namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

// The machine of OneCollective: four ranks, 10 ns at every endpoint, 64 GiB/s and 1 ns to the neighbour.
constexpr std::int64_t kRanks = 4;
constexpr std::int64_t kEndpoint = 10;

// Whole nanoseconds at every step, as ASTRA-sim counts.
std::int64_t latency(std::int64_t bytes) {
  const double bytes_per_ns = 64.0 * static_cast<double>(kGiB) / 1e9;
  return static_cast<std::int64_t>(1 + static_cast<double>(bytes) / bytes_per_ns);
}

std::int64_t reduction(std::int64_t bytes) { return 3 * (bytes / 500'000); }

std::int64_t ring_all_reduce(std::int64_t bytes, std::int64_t endpoint = kEndpoint) {
  const std::int64_t steps = 2 * (kRanks - 1);
  const std::int64_t message = bytes / kRanks;
  return (steps + 1) * endpoint + steps * latency(message) + steps / 2 * reduction(message);
}

TEST(LargeChunks, AllReduceIsLinearBeyondTwoGiB) {
  for (const std::int64_t size :
       {kGiB, 2 * kGiB - 4, 2 * kGiB, 4 * kGiB, 8 * kGiB + 1, 64 * kGiB, 1024 * kGiB}) {
    OneCollective setup("ALLREDUCE", size, 1);
    setup.system += "seprate-log: 0\n";
    EXPECT_EQ(finish_cycles(setup.run()), ring_all_reduce(size)) << size << " bytes";
  }
  // A quarter of a second a message; the nanosecond of the wire is lost to truncation.
  EXPECT_EQ(ring_all_reduce(64 * kGiB), 70 + 6 * 250'000'000 + 3 * 3 * 34'359);
}

TEST(LargeChunks, OtherCollectivesAreLinearBeyondTwoGiB) {
  for (const std::int64_t size : {2 * kGiB, 16 * kGiB}) {
    const std::int64_t part = size / kRanks;
    const std::int64_t ends = kRanks * kEndpoint;
    EXPECT_EQ(finish_cycles(OneCollective("REDUCESCATTER", size, 1).run()),
              ends + 3 * (latency(part) + reduction(part)));
    EXPECT_EQ(finish_cycles(OneCollective("ALLGATHER", size, 1).run()), ends + 3 * latency(size));
    EXPECT_EQ(finish_cycles(OneCollective("ALLTOALL", size, 1).run()), 7 * kEndpoint + 6 * latency(part));
  }
}

TEST(LargeChunks, SplitsFollowEachOther) {
  const OneCollective setup("ALLREDUCE", 16 * kGiB, 4);
  EXPECT_EQ(finish_cycles(setup.run()), 4 * ring_all_reduce(4 * kGiB));
}

TEST(LargeChunks, ThatTakeHoursAreRefused) {
  const OneCollective setup("ALLREDUCE", std::int64_t{1} << 53, 1);
  expect_refused(setup.run(), {"a message takes 9.1 hours"});
}

TEST(SmallChunks, FewerBytesThanSplitsGiveChunksOfAByte) {
  const OneCollective setup("ALLREDUCE", 3, 8);
  EXPECT_EQ(finish_cycles(setup.run()), 3 * ring_all_reduce(1));
}

TEST(SmallChunks, OneByte) {
  EXPECT_EQ(finish_cycles(OneCollective("ALLREDUCE", 1, 1).run()), ring_all_reduce(1));
}

TEST(SmallChunks, ARemainderIsAChunkOfItsOwn) {
  const OneCollective setup("ALLREDUCE", 1'000'003, 3);
  EXPECT_EQ(finish_cycles(setup.run()), 3 * ring_all_reduce(333'334) + ring_all_reduce(1));
}

TEST(NoDelay, AtTheEndpoint) {
  OneCollective setup("ALLREDUCE", 1 << 20, 1);
  setup.system = changed(setup.system, "endpoint-delay: 10", "endpoint-delay: 0");
  EXPECT_EQ(finish_cycles(setup.run()), ring_all_reduce(1 << 20, 0));
}

TEST(NoDelay, AnywhereAtAll) {
  OneCollective setup("ALLREDUCE", 1, 1);
  setup.system = changed(setup.system, "endpoint-delay: 10", "endpoint-delay: 0");
  setup.network = changed(setup.network, "\"link-latency\": [1]", "\"link-latency\": [0]");
  EXPECT_EQ(finish_cycles(setup.run()), 0);
}

TEST(NoMemory, ItsBandwidthMayBeZero) {
  OneCollective setup("ALLREDUCE", 4096, 1);
  setup.network = changed(setup.network, "\"hbm-bandwidth\": [1]", "\"hbm-bandwidth\": [0]");
  EXPECT_EQ(finish_cycles(setup.run()), ring_all_reduce(4096));
}

TEST(OneNpu, CommunicatesNothing) {
  AstraCase setup;
  setup.network = changed(setup.network, "[4, 3]", "[1, 1]");
  EXPECT_EQ(finish_cycles(setup.run()), 100 + 200 + 200 + 200 + 100 + 5);  // five steps of one cycle
}

TEST(OneNpu, AlgorithmsThatNeedAPowerOfTwoDoNotMind) {
  AstraCase setup;
  setup.network = changed(setup.network, "[4, 3]", "[4, 1]");
  setup.system = changed(setup.system, "ring_direct", "ring_halvingDoubling");
  EXPECT_GT(finish_cycles(setup.run()), 0);
}

TEST(ManyNpus, CostNoMoreTimeThanFewWhereOneTellsAll) {
  AstraCase setup;
  setup.network = changed(setup.network, "[4, 3]", "[4, 268435456]");
  setup.system = changed(setup.system, "ring_direct", "ring_halvingDoubling");
  const Outcome outcome = setup.run();
  EXPECT_GT(finish_cycles(outcome), 0);
  EXPECT_LT(outcome.cpu, std::chrono::seconds{5});
}

TEST(LongRuns, AreRefusedBeyondTenDays) {
  AstraCase setup;
  setup.workload = changed(setup.workload, "-1 200", "-1 1000000000000000");
  expect_refused(setup.run(), {"ten days"});
}

TEST(LongRuns, DoNotFillTheDiskWithUtilisation) {
  AstraCase setup;
  setup.workload = changed(setup.workload, "-1 200", "-1 800000000000000");
  expect_refused(setup.run(), {"seprate-log"});
  setup.system += "seprate-log: 0\n";
  EXPECT_GT(finish_cycles(setup.run()), 800'000'000'000'000);
}

TEST(GeneratedWorkload, ItsThirteenthColumnIsRead) {
  AstraCase setup;
  const std::int64_t plain = finish_cycles(setup.run());
  setup.workload = changed(setup.workload, "4096 10", "4096 10 DATA");
  setup.workload = changed(setup.workload, "8192 10", "8192 10 DATA");
  EXPECT_EQ(finish_cycles(setup.run()), plain);
}

TEST(Text, LineEndsAndBlanksDoNotMatter) {
  AstraCase setup;
  const std::int64_t plain = finish_cycles(setup.run());
  for (std::string* text : {&setup.network, &setup.system, &setup.workload}) {
    std::string windows = " \t";
    for (const char c : *text) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
    *text = windows + "\r\n\r\n";
  }
  EXPECT_EQ(finish_cycles(setup.run()), plain);
}

}  // namespace
}  // namespace overture::testing
