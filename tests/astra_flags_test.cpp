// The flags of `overture astra`: how they may be written, what is refused, and where the reports go.
#include <set>

#include "astra_case.h"
#include <gtest/gtest.h>

namespace overture::testing {
namespace {

namespace fs = std::filesystem;

std::set<std::string> file_names(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}

const std::set<std::string> kBackendReports{"backend_dim_info.csv", "backend_end_to_end.csv"};
const std::set<std::string> kReports{"EndToEnd.csv", "backend_dim_info.csv", "backend_end_to_end.csv",
                                     "detailed.csv", "unnamed run_dimension_utilization.csv"};

// Flags that cannot be run, and what the message says.
struct BadFlags {
  std::string name;
  Words flags;
  std::vector<std::string> says;
};
void PrintTo(const BadFlags& bad, std::ostream* out) { *out << bad.name; }

class BadFlagsTest : public ::testing::TestWithParam<BadFlags> {};

TEST_P(BadFlagsTest, AreRefused) {
  const AstraCase setup;
  expect_refused(setup.run(GetParam().flags), GetParam().says);
  EXPECT_FALSE(fs::exists(setup.results() / "EndToEnd.csv"));
}

INSTANTIATE_TEST_SUITE_P(
    Flags, BadFlagsTest,
    ::testing::Values(
        BadFlags{"Unknown", {"--frobnicate"}, {"--frobnicate"}},
        BadFlags{"UnknownWithValue", {"--frobnicate=3"}, {"--frobnicate"}},
        BadFlags{"AmbiguousPrefix", {"--num 2"}, {"--num"}},
        BadFlags{"AmbiguousPrefixWithEquals", {"--link=2"}, {"--link"}},
        BadFlags{"StrayWord", {"workload.txt"}, {"workload.txt"}},
        BadFlags{"ValueMissing", {"--num-passes"}, {"--num-passes"}},
        BadFlags{"ZeroPasses", {"--num-passes", "0"}, {"--num-passes", "at least 1"}},
        BadFlags{"NegativePasses", {"--num-passes=-1"}, {"--num-passes"}},
        BadFlags{"HalfAPass", {"--num-passes=1.5"}, {"--num-passes"}},
        BadFlags{"PassesAsWord", {"--num-passes=many"}, {"--num-passes"}},
        BadFlags{"PassesBeyondInt", {"--num-passes=99999999999"}, {"--num-passes"}},
        BadFlags{"StatRowOutOfRange", {"--stat-row", "1"}, {"--stat-row"}},
        BadFlags{"StatRowOfThree", {"--total-stat-rows=3", "--stat-row=3"}, {"--stat-row"}},
        BadFlags{"NegativeStatRow", {"--stat-row=-1"}, {"--stat-row"}},
        BadFlags{"NoStatRows", {"--total-stat-rows=0"}, {"--total-stat-rows"}},
        BadFlags{"FarTooManyStatRows", {"--total-stat-rows=2000000000"}, {"--total-stat-rows"}},
        BadFlags{"NoQueues", {"--num-queues-per-dim=0"}, {"--num-queues-per-dim"}},
        BadFlags{"FarTooManyQueues", {"--num-queues-per-dim=2000000000"}, {"--num-queues-per-dim"}},
        BadFlags{"ZeroCommScale", {"--comm-scale=0"}, {"--comm-scale"}},
        BadFlags{"NegativeCommScale", {"--comm-scale=-1"}, {"--comm-scale"}},
        BadFlags{"CommScaleThatIsNoNumber", {"--comm-scale=nan"}, {"--comm-scale"}},
        BadFlags{"InfiniteCommScale", {"--comm-scale=inf"}, {"workload.txt:3", "too large"}},
        BadFlags{"CommScaleThatLeavesNothing", {"--comm-scale=0.0001"}, {"workload.txt:3", "scale"}},
        BadFlags{"NegativeComputeScale", {"--compute-scale=-1"}, {"--compute-scale"}},
        BadFlags{"HugeComputeScale", {"--compute-scale=1e30"}, {"workload.txt:3", "too large"}},
        BadFlags{"NegativeInjectionScale", {"--injection-scale=-1"}, {"--injection-scale"}},
        BadFlags{"HugeInjectionScale", {"--injection-scale=1e30"}, {"system.txt:2", "endpoint-delay"}},
        BadFlags{"RendezvousOfSorts", {"--rendezvous-protocol=maybe"}, {"--rendezvous-protocol"}},
        BadFlags{"TooFewUnits", {"--units-count", "4"}, {"units-count", "2 dimensions"}},
        BadFlags{"TooManyUnits", {"--units-count", "4", "3", "2"}, {"units-count", "2 dimensions"}},
        BadFlags{"ZeroUnits", {"--units-count", "0", "3"}, {"network.json", "dimension 0"}},
        BadFlags{"NegativeUnits", {"--units-count=-4", "3"}, {"dimension 0"}},
        BadFlags{"ZeroLinks", {"--links-count", "2", "0"}, {"network.json", "dimension 1"}},
        BadFlags{"ZeroBandwidth", {"--link-bandwidth", "0", "1"}, {"network.json", "dimension 0"}},
        BadFlags{
            "BandwidthThatIsNoNumber", {"--link-bandwidth", "nan", "1"}, {"network.json", "dimension 0"}},
        BadFlags{"LatencyThatIsNoNumber", {"--link-latency", "nan", "1"}, {"network.json", "dimension 0"}},
        BadFlags{"InfiniteLatency", {"--link-latency", "inf", "1"}, {"network.json", "dimension 0"}},
        BadFlags{"RunNameWithAFolder", {"--run-name=no/such"}, {"--run-name"}}),
    [](const auto& tested) { return tested.param.name; });

TEST(Commands, NoneIsRefused) { expect_refused(run_overture({}), {"needs one of its commands"}); }

TEST(Commands, UnknownIsRefused) { expect_refused(run_overture({"astro"}), {"astro"}); }

TEST(Commands, AstraNeedsItsThreeFiles) {
  expect_refused(run_overture({"astra"}), {"--network-configuration"});
  expect_refused(run_overture({"astra", "--network-configuration=n", "--system-configuration=s"}),
                 {"--workload-configuration"});
}

TEST(Commands, HelpAndVersionSucceed) {
  for (const Words& words : {Words{"--help"}, Words{"--version"}, Words{"astra", "--help"}}) {
    const Outcome outcome = run_overture(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
    EXPECT_NE(outcome.out, "");
    EXPECT_EQ(outcome.err, "");
  }
}

// All of these are one and the same run.
TEST(Spelling, EqualsSpacesAndPrefixes) {
  const AstraCase setup;
  const Outcome plain = setup.run({"--num-passes=3", "--comm-scale=2"});
  ASSERT_EQ(plain.exit_code, 0) << plain.text();
  for (const Words& flags :
       {Words{"--num-passes", "3", "--comm-scale", "2"}, Words{"--num-p=3", "--comm=2"},
        Words{"--num-p", "3", "--comm", "2.0"}, Words{"--comm-s=2e0", "--num-pass", "3"}}) {
    EXPECT_EQ(setup.run(flags).out, plain.out) << ::testing::PrintToString(flags);
  }
}

TEST(Spelling, ListsReplaceThoseOfTheFile) {
  AstraCase setup;
  const Words flags{"--units-count",    "2",  "8",   "--links-count",    "2", "4",
                    "--link-bandwidth", "10", "2.5", "--link-latency=7", "9"};
  const Outcome overridden = setup.run(flags);
  setup.network = changed(setup.network, "[4, 3]", "[2, 8]");
  setup.network = changed(setup.network, "[2, 1]", "[2, 4]");
  setup.network = changed(setup.network, "[32, 16]", "[10, 2.5]");
  setup.network = changed(setup.network, "[1, 2]", "[7, 9]");
  EXPECT_EQ(finish_cycles(overridden), finish_cycles(setup.run()));
}

TEST(Spelling, AListInTheMiddleEndsAtTheNextFlag) {
  const AstraCase setup;
  setup.write_files();
  Words words = setup.file_flags();
  words.insert(words.begin() + 1, {"--units-count", "2", "8", "--path", "results/"});
  EXPECT_GT(finish_cycles(run_overture(words, {.folder = setup.folder()})), 0);
  EXPECT_EQ(file_names(setup.results()), kReports);
}

// Where the reports go.
class Path : public ::testing::Test {
 protected:
  Outcome run_with_path(const std::string& path) {
    setup_.write_files();
    Words words = setup_.file_flags();
    words.push_back("--path=" + path);
    return run_overture(words, {.folder = setup_.folder()});
  }
  fs::path in_folder(const std::string& name) const { return setup_.folder() / name; }

  AstraCase setup_;
};

TEST_F(Path, OfAFolderThatDoesNotExistIsMade) {
  EXPECT_EQ(run_with_path("new/and/deep/").exit_code, 0);
  EXPECT_EQ(file_names(in_folder("new/and/deep")), kReports);
}

TEST_F(Path, OfAFolderMayLackItsSlash) {
  fs::create_directory(in_folder("there"));
  EXPECT_EQ(run_with_path("there").exit_code, 0);
  EXPECT_EQ(file_names(in_folder("there")), kReports);
}

TEST_F(Path, MayHaveSpaces) {
  EXPECT_EQ(run_with_path("a folder/").exit_code, 0);
  EXPECT_EQ(file_names(in_folder("a folder")), kReports);
}

TEST_F(Path, IsTheWorkingFolderUnlessGiven) {
  setup_.write_files();
  EXPECT_EQ(run_overture(setup_.file_flags(), {.folder = setup_.folder()}).exit_code, 0);
  EXPECT_TRUE(fs::exists(in_folder("EndToEnd.csv")));
}

TEST_F(Path, ThatCannotBeWrittenIsRefused) {
  expect_refused(run_with_path("/proc/"), {"/proc/", "cannot be written"});
  expect_refused(run_with_path("workload.txt/"), {"workload.txt/"});
  expect_refused(run_with_path("workload.txt/below/"), {"workload.txt/below/"});
  expect_refused(run_with_path(std::string(5000, 'x') + '/'), {"xxx"});
}

TEST_F(Path, GetsOnlyBackendReportsWithoutSeparateLog) {
  setup_.system += "seprate-log: 0\n";
  EXPECT_EQ(run_with_path("results/").exit_code, 0);
  EXPECT_EQ(file_names(setup_.results()), kBackendReports);
}

TEST_F(Path, LeavesNoHalfWrittenFilesBehind) {
  EXPECT_EQ(run_with_path("results/").exit_code, 0);
  EXPECT_EQ(run_with_path("results/").exit_code, 0);
  EXPECT_EQ(file_names(setup_.results()), kReports);
}

}  // namespace
}  // namespace overture::testing
