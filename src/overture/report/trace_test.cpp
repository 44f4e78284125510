#include "overture/report/trace.h"

#include <cstdio>
#include <limits>
#include <map>
#include <memory>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <regex.h>
#include <unistd.h>
#include <zlib.h>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/report/gzip.h"

namespace overture::report {
namespace {

using namespace overture::literals;
using nlohmann::json;

std::string gunzip(const std::filesystem::path& path) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  std::string text;
  char piece[4096];
  for (int size = 0; (size = gzread(file.get(), piece, sizeof piece)) > 0;) {
    text.append(piece, static_cast<std::size_t>(size));
  }
  return text;
}

// A folder of its own per test, so that tests may run at the same time.
class TraceTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    const std::string name = "overture trace " + std::to_string(getpid()) + " " + test->name();
    folder_ = std::filesystem::path(testing::TempDir()) / name;
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path path() const { return folder_ / "rank.json.gz"; }
  std::string text(const Trace& trace) const {
    write_trace(trace, path());
    return gunzip(path());
  }
  // The rows of one phase, such as "X".
  std::vector<json> rows(const Trace& trace, std::string_view phase) const {
    std::vector<json> found;
    const json file = json::parse(text(trace));
    for (const json& row : file.at("traceEvents")) {
      if (row.at("ph") == phase) found.push_back(row);
    }
    return found;
  }
  std::size_t files_left() const {
    const std::filesystem::directory_iterator files(folder_);
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(TraceTest, AnEmptyTraceIsAValidFileWithItsRank) {
  const json file = json::parse(text(Trace(3, 8)));
  EXPECT_EQ(file.at("schemaVersion"), 1);
  EXPECT_EQ(file.at("distributedInfo"), json({{"backend", "nccl"}, {"rank", 3}, {"world_size", 8}}));
  EXPECT_FALSE(file.contains("overture_note"));
  for (const json& row : file.at("traceEvents")) EXPECT_EQ(row.at("ph"), "M");
}

TEST_F(TraceTest, SeveralRanksAreProcessesOfOneFileAndAFileEachForHta) {
  std::vector<Trace> ranks{Trace(0, 4), Trace(2, 4)};
  ranks[0].add(TraceSlice{.name = "ncclSend", .flow_out = 7});
  ranks[1].add(TraceSlice{.name = "ncclRecv", .flow_in = 7});
  const std::filesystem::path folder = path().parent_path();
  EXPECT_EQ(write_trace_files(ranks, folder).events, 2U);
  const json all = json::parse(gunzip(folder / "trace.json.gz"));
  std::map<std::string, int> process;  // of each kind of row
  for (const json& row : all.at("traceEvents")) process[row.at("ph")] = row.at("pid");
  EXPECT_EQ(process.at("s"), 0);
  EXPECT_EQ(process.at("f"), 2) << "the arrow ends at the other rank";
  EXPECT_EQ(all.at("overture_note"), "2 of 4 ranks are in this trace");
  const json one = json::parse(gunzip(folder / "hta/rank_2.json.gz"));
  EXPECT_EQ(one.at("distributedInfo").at("rank"), 2);
  EXPECT_FALSE(one.contains("overture_note"));
}

TEST_F(TraceTest, ARankThatStandsForOthersSaysSo) {
  Trace trace(0, 64);
  trace.set_note("rank 0 stands for all 64");
  EXPECT_EQ(json::parse(text(trace)).at("overture_note"), "rank 0 stands for all 64");
}

TEST(SampledRanks, AreTheFirstAndSomeFartherAway) {
  EXPECT_EQ(sampled_ranks(3, 8), (std::vector{0, 1, 2}));
  EXPECT_EQ(sampled_ranks(102, 4), (std::vector{0, 1, 2, 52}));
  EXPECT_EQ(sampled_ranks(5, 1), (std::vector{0}));
}

TEST_F(TraceTest, HtaFindsTheRankInTheText) {
  Trace trace(17, 32);
  trace.add(TraceSlice{.name = "mlp", .args = {{"rank", "4"}}});
  const std::string file = text(trace);
  regex_t pattern;  // not std::regex, which g++ 12 warns about under the sanitizers
  regmatch_t match[2];
  ASSERT_EQ(regcomp(&pattern, "\"rank\":[[:space:]]+([0-9]+)", REG_EXTENDED), 0);
  ASSERT_EQ(regexec(&pattern, file.c_str(), 2, match, 0), 0);
  regfree(&pattern);
  const auto start = static_cast<std::size_t>(match[1].rm_so);
  EXPECT_EQ(file.substr(start, static_cast<std::size_t>(match[1].rm_eo) - start), "17");
}

TEST_F(TraceTest, ASliceIsAKernelOnItsStream) {
  Trace trace(2, 4);
  trace.name_stream(7, "compute");
  trace.add(TraceSlice{.name = "mlp",
                       .stream = 7,
                       .start = Time{1500ns},
                       .length = 2us,
                       .args = {{"layer", "top"}, {"pass", "forward"}}});
  const std::vector<json> slices = rows(trace, "X");
  ASSERT_EQ(slices.size(), 1U);
  const json expected = {
      {"ph", "X"},     {"pid", 2},
      {"tid", 7},      {"ts", 1.5},
      {"dur", 2.0},    {"cat", "kernel"},
      {"name", "mlp"}, {"args", {{"stream", 7}, {"correlation", 0}, {"layer", "top"}, {"pass", "forward"}}}};
  EXPECT_EQ(slices[0], expected);
}

TEST_F(TraceTest, StreamsCarryTheirNamesOrTheirNumbers) {
  Trace trace(1, 2);
  trace.name_stream(1, "compute");
  trace.add(TraceSlice{.name = "mlp", .stream = 1});
  trace.add(TraceSlice{.name = "ncclSend", .stream = 2});
  std::map<int, std::string> names;
  std::string process;
  for (const json& row : rows(trace, "M")) {
    if (row.at("name") == "thread_name") names[row.at("tid")] = row.at("args").at("name");
    if (row.at("name") == "process_name") process = row.at("args").at("name");
  }
  EXPECT_EQ(names, (std::map<int, std::string>{{0, "host"}, {1, "compute"}, {2, "stream 2"}}));
  EXPECT_EQ(process, "rank 1");
}

TEST_F(TraceTest, ACollectiveCarriesWhatHtaReads) {
  Trace trace(0, 4);
  trace.add(TraceSlice{
      .name = "ncclDevKernel_AllToAll",
      .collective = TraceCollective{
          .collective = "all_to_all", .in = 64_KiB, .out = 32_KiB, .group_size = 2, .group = "tables"}});
  const json args = rows(trace, "X").at(0).at("args");
  EXPECT_EQ(args.at("Collective name"), "all_to_all");
  EXPECT_EQ(args.at("In msg nelems"), 65536);
  EXPECT_EQ(args.at("Out msg nelems"), 32768);
  EXPECT_EQ(args.at("dtype"), "Byte");
  EXPECT_EQ(args.at("Group size"), 2);
  EXPECT_EQ(args.at("Process Group Name"), "tables");
}

TEST_F(TraceTest, TimesKeepEveryPicosecond) {
  Trace trace(0, 1);
  trace.add(TraceSlice{
      .name = "late", .start = Time{Duration{std::numeric_limits<std::int64_t>::max() - 1}}, .length = 1_ps});
  trace.add(TraceSlice{.name = "day", .start = Time{24h + 1_ps}, .length = 999'999_ps});
  const std::string file = text(trace);
  EXPECT_NE(file.find("\"ts\":9223372036854.775806,\"dur\":0.000001,"), std::string::npos);
  EXPECT_NE(file.find("\"ts\":86400000000.000001,\"dur\":0.999999,"), std::string::npos);
}

TEST_F(TraceTest, AnyNameComesBackAsItWas) {
  const std::string name = "a \"b\" \\ c\n\t\x01\x1f\x7f caf\u00e9 \u20ac \U0001F3BC";
  Trace trace(0, 1);
  trace.name_stream(1, name);
  trace.add(TraceSlice{.name = name, .category = name, .args = {{name, name}}});
  trace.add(TraceCounter{.name = name});
  const json slice = rows(trace, "X").at(0);
  EXPECT_EQ(slice.at("name"), name);
  EXPECT_EQ(slice.at("cat"), name);
  EXPECT_EQ(slice.at("args").at(name), name);
  EXPECT_EQ(rows(trace, "C").at(0).at("name"), name);
}

TEST_F(TraceTest, MalformedTextDoesNotSpoilTheFile) {
  const std::string replacement = "\uFFFD";
  const std::vector<std::pair<std::string, std::size_t>> cases = {
      {"\x80", 1},              // continues nothing
      {"\xc0\xaf", 2},          // overlong
      {"\xe2\x82", 2},          // cut short
      {"\xe0\x80\x80", 3},      // overlong
      {"\xed\xa0\x80", 3},      // a surrogate
      {"\xf0\x80\x80\x80", 4},  // overlong
      {"\xf4\x90\x80\x80", 4},  // beyond Unicode
      {"\xff", 1},
  };
  for (const auto& [bytes, count] : cases) {
    Trace trace(0, 1);
    trace.add(TraceSlice{.name = bytes + "!"});
    std::string expected;
    for (std::size_t i = 0; i < count; ++i) expected += replacement;
    EXPECT_EQ(rows(trace, "X").at(0).at("name"), expected + "!");
  }
}

TEST_F(TraceTest, BeyondTheLimitEventsAreCountedAndTheFileSaysSo) {
  Trace trace(0, 1, 3);
  trace.add(TraceStep{.number = 0, .length = 9us});
  for (int i = 0; i < 4; ++i) trace.add(TraceSlice{.name = "mlp", .start = Time{i * 1us}, .length = 1us});
  trace.add(TraceCounter{.name = "queue", .value = 1});
  const TraceWritten written = write_trace(trace, path());
  EXPECT_EQ(written.events, 3U);
  EXPECT_EQ(written.dropped, 3U);
  const json file = json::parse(gunzip(path()));
  EXPECT_EQ(file.at("overture_note"), "3 of 6 events were left out: a trace holds at most 3");
  EXPECT_EQ(rows(trace, "X").size(), 3U);
  EXPECT_TRUE(rows(trace, "C").empty());
}

TEST_F(TraceTest, ArrowsComeInPairsAndHalfOnesAreLeftOut) {
  Trace trace(0, 1);
  trace.add(
      TraceSlice{.name = "to", .stream = 2, .start = Time{5us}, .length = 1us, .flow_out = 9, .flow_in = 7});
  trace.add(TraceSlice{
      .name = "from", .stream = 1, .start = Time{2us}, .length = 1us, .flow_out = 7, .flow_in = 8});
  const std::vector<json> starts = rows(trace, "s");
  const std::vector<json> ends = rows(trace, "f");
  ASSERT_EQ(starts.size(), 1U);
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(
      starts[0],
      json({{"ph", "s"}, {"pid", 0}, {"tid", 1}, {"ts", 2.0}, {"cat", "flow"}, {"name", "flow"}, {"id", 7}}));
  EXPECT_EQ(ends[0].at("id"), 7);
  EXPECT_EQ(ends[0].at("tid"), 2);
  EXPECT_EQ(ends[0].at("ts"), 5.0);
  EXPECT_EQ(ends[0].at("bp"), "e");
}

TEST_F(TraceTest, AnArrowWithTwoEndsIsOurMistake) {
  Trace trace(0, 1);
  trace.add(TraceSlice{.name = "a", .flow_in = 7});
  trace.add(TraceSlice{.name = "b", .flow_in = 7});
  EXPECT_DEATH(write_trace(trace, path()), "one start and one end");
}

TEST_F(TraceTest, SlicesAreSortedAndTheOuterOneComesFirst) {
  Trace trace(0, 1);
  trace.add(TraceSlice{.name = "inner", .start = Time{1us}, .length = 1us});
  trace.add(TraceSlice{.name = "outer", .start = Time{1us}, .length = 3us});
  trace.add(TraceSlice{.name = "first", .start = Time{0us}, .length = 1us});
  std::vector<std::string> names;
  for (const json& row : rows(trace, "X")) names.push_back(row.at("name"));
  EXPECT_EQ(names, (std::vector<std::string>{"first", "outer", "inner"}));
}

// HTA joins kernels with rows of the host (those without a stream) by correlation, and takes 0 for unknown.
TEST_F(TraceTest, AKernelBelongsToTheStepInWhichItStarts) {
  Trace trace(0, 1);
  trace.add(TraceStep{.number = 41, .start = Time{20us}, .length = 10us});
  trace.add(TraceStep{.number = 40, .start = Time{10us}, .length = 10us});
  for (const auto start : {5us, 10us, 19us, 20us, 30us}) {
    trace.add(TraceSlice{.name = "mlp", .start = Time{start}, .length = 1us});
  }
  std::map<int, std::string> steps;
  std::vector<std::string> step_of_kernel;
  for (const json& row : rows(trace, "X")) {
    const int correlation = row.at("args").at("correlation");
    if (row.at("args").contains("stream")) {
      step_of_kernel.push_back(steps[correlation]);
    } else {
      EXPECT_EQ(row.at("cat"), "user_annotation");
      steps[correlation] = row.at("name");
    }
  }
  EXPECT_EQ(step_of_kernel,
            (std::vector<std::string>{"", "ProfilerStep#40", "ProfilerStep#40", "ProfilerStep#41", ""}));
}

TEST_F(TraceTest, WhatTheHostDoesHasNoStream) {
  Trace trace(0, 1);
  trace.add(TraceSlice{
      .name = "read batch", .category = "cpu_op", .stream = kHostStream, .args = {{"rows", "64"}}});
  trace.add(TraceSlice{.name = "idle", .category = "cpu_op", .stream = kHostStream});
  const std::vector<json> slices = rows(trace, "X");
  EXPECT_EQ(slices.at(0).at("args"), json({{"rows", "64"}}));
  EXPECT_EQ(slices.at(1).at("args"), json::object());
}

TEST_F(TraceTest, CountersKeepTheirValues) {
  Trace trace(5, 8);
  trace.add(TraceCounter{.name = "link 3", .when = Time{2us}, .value = 0.1});
  trace.add(TraceCounter{.name = "link 3", .when = Time{3us}, .value = 1e300});
  const std::vector<json> counters = rows(trace, "C");
  EXPECT_EQ(counters.at(0), json({{"ph", "C"},
                                  {"pid", 5},
                                  {"tid", 0},
                                  {"ts", 2.0},
                                  {"name", "link 3"},
                                  {"args", {{"value", 0.1}}}}));
  EXPECT_EQ(counters.at(1).at("args").at("value"), 1e300);
}

TEST_F(TraceTest, TheSameTraceGivesTheSameBytes) {
  Trace trace(0, 1);
  trace.add(TraceSlice{.name = "mlp", .length = 1us});
  write_trace(trace, path());
  const std::string first = read_file(path());
  write_trace(trace, path());
  EXPECT_EQ(read_file(path()), first);
  // Byte 3 tells of a name, bytes 4 to 7 are the time (RFC 1952).
  EXPECT_EQ(first.substr(0, 8), std::string("\x1f\x8b\x08\0\0\0\0\0", 8));
}

TEST_F(TraceTest, ZcatReadsTheFile) {
  Trace trace(0, 1);
  for (int i = 0; i < 10'000; ++i)
    trace.add(TraceSlice{.name = "mlp", .start = Time{i * 1us}, .length = 1us});
  const std::string file = text(trace);
  const std::string command = "zcat '" + path().string() + "'";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  ASSERT_NE(pipe, nullptr);
  std::string seen(file.size() + 1, '\0');
  seen.resize(std::fread(seen.data(), 1, seen.size(), pipe.get()));
  EXPECT_EQ(seen, file);
}

TEST_F(TraceTest, AMissingFolderIsTheUsersToMend) {
  try {
    write_trace(Trace(0, 1), path().parent_path() / "none" / "rank.json.gz");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("cannot be written: No such file or directory"),
              std::string::npos);
  }
}

TEST_F(TraceTest, AFolderInTheWayLeavesNoHalfFile) {
  std::filesystem::create_directories(path() / "in the way");
  EXPECT_THROW(write_trace(Trace(0, 1), path()), UserError);
  EXPECT_EQ(files_left(), 1U);
}

TEST_F(TraceTest, AFullDiskIsAnErrorAndNotAShortFile) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  std::filesystem::path partial = path();
  partial += ".part" + std::to_string(getpid());
  std::filesystem::create_symlink("/dev/full", partial);
  EXPECT_THROW(write_trace(Trace(0, 1), path()), UserError);
  EXPECT_EQ(files_left(), 0U);
}

TEST_F(TraceTest, AGzipFileThatIsNotClosedIsNotThere) {
  {
    GzipFile file(path());
    file.write("half");
    EXPECT_EQ(files_left(), 1U);
  }
  EXPECT_EQ(files_left(), 0U);
}

TEST_F(TraceTest, AGzipFileReplacesTheOldOneOnlyWhenClosed) {
  write_file(path(), "old");
  GzipFile file(path());
  file.write("");
  file.write("ne");
  file.write("w");
  EXPECT_EQ(read_file(path()), "old");
  file.close();
  EXPECT_EQ(gunzip(path()), "new");
  EXPECT_EQ(files_left(), 1U);
}

}  // namespace
}  // namespace overture::report
