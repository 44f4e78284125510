#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "overture/base/json.h"
#include "overture/base/text.h"
#include "overture/cli/commands.h"
#include "overture/cli/testing.h"

namespace overture::cli {
namespace {

class BenchCommand : public ::testing::Test {
 protected:
  Ran bench(const Words& more) const {
    Words words{"bench", "collective", setup_, "--no-report", "-o", (folder_ / "out").string()};
    words.insert(words.end(), more.begin(), more.end());
    return run_words(words, add_bench);
  }
  // The lines that are no comments.
  static std::vector<Words> rows(const std::string& text) {
    std::vector<Words> result;
    for (const std::string& line : split(text, '\n')) {
      if (line.empty() || line[0] == '#') continue;
      Words words;
      for (const std::string& word : split(line, ' '))
        if (!word.empty()) words.push_back(word);
      result.push_back(words);
    }
    return result;
  }

  TestFolder folder_;
  // Two NPUs at 10 GB/s without latency: an all-reduce of n bytes takes n / 10 ns.
  std::string setup_ =
      folder_
          .write("pair.yaml",
                 "network: {dimensions: [{kind: switch, size: 2, bandwidth: 10 GB/s, latency: 0 ns}]}\n"
                 "system: {endpoint_delay: 0 ns, chunks: 1}\n")
          .string();
};

TEST_F(BenchCommand, TimesAreThoseOfTheWire) {
  const Ran ran = bench({"-b", "1000000 B", "-e", "4000000 B", "-f", "4"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const auto lines = rows(ran.out);
  ASSERT_EQ(lines.size(), 2u) << ran.out;
  EXPECT_EQ(lines[0][0], "1000000");
  EXPECT_EQ(lines[0][1], "250000") << "floats";
  EXPECT_EQ(lines[0][2], "float");
  EXPECT_NEAR(std::stod(lines[0][3]), 100, 1);
  EXPECT_NEAR(std::stod(lines[1][3]), 400, 1);
  EXPECT_NEAR(std::stod(lines[1][5]), 10, 0.1) << "bus bandwidth of a wire of 10 GB/s";
}

// As nccl-tests counts: algbw is size over time, busbw 2(n-1)/n of it.
TEST_F(BenchCommand, BandwidthsFollowFromTheTime) {
  for (const auto& [kind, factor] : {std::pair("all_reduce", 1.0), {"all_to_all", 0.5}}) {
    const Ran ran = bench({"--collective", kind, "-b", "1M", "-e", "1M", "--overwrite"});
    const auto lines = rows(ran.out);
    ASSERT_EQ(lines.size(), 1u) << ran.out << ran.err;
    const double size = std::stod(lines[0][0]);
    EXPECT_EQ(size, 1 << 20);
    const double algorithm = std::stod(lines[0][4]);
    EXPECT_NEAR(algorithm, size / std::stod(lines[0][3]) / 1000, 2e-3) << kind;
    EXPECT_NEAR(std::stod(lines[0][5]), factor * algorithm, 2e-3) << kind;
  }
}

TEST_F(BenchCommand, TheFolderHasTheTableAndASummary) {
  ASSERT_EQ(bench({"-b", "1K", "-e", "16K", "-f", "4"}).code, 0);
  const auto csv = split(bytes_of(folder_ / "out/collective.csv"), '\n');
  EXPECT_EQ(csv[0], "size_bytes,busbw_GB_per_s,algbw_GB_per_s,time_us");
  EXPECT_EQ(csv.size(), 3u + 2);
  const Json json = parse_json(bytes_of(folder_ / "out/summary.json"));
  EXPECT_EQ(json["kind"], "bench collective");
  EXPECT_EQ(json["ranks"], 2);
  EXPECT_EQ(json["complete"], true);
  EXPECT_TRUE(has(bytes_of(folder_ / "out/setup.yaml"),
                  "# overture bench collective --collective all_reduce -b 1K -e 16K -f 4"));
}

TEST_F(BenchCommand, SeedsShowMeanAndSpread) {
  const Ran ran = bench({"-b", "1K", "-e", "1K", "--seeds", "3"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(has(ran.out, " +-")) << ran.out;
  const auto lines = rows(ran.out);
  EXPECT_EQ(lines[0].back(), "0.000") << "nothing is drawn here";
  EXPECT_TRUE(has(bytes_of(folder_ / "out/collective.csv"), ",time_deviation_us\n"));
}

TEST_F(BenchCommand, MeasuredTimesStandBeside) {
  const std::string log =
      folder_.write("nccl.log", "1000000 250000 float sum -1 200.00 5.00 5.00 0\n").string();
  const Ran ran = bench({"-b", "1000000 B", "-e", "4000000 B", "-f", "4", "--measured", log});
  const auto lines = rows(ran.out);
  ASSERT_EQ(lines.size(), 2u) << ran.out << ran.err;
  EXPECT_EQ(lines[0][lines[0].size() - 2], "200.000");
  EXPECT_NEAR(std::stod(lines[0].back()), -50, 1) << "half of what was measured";
  EXPECT_EQ(lines[1].back(), "-") << "of this size nothing was measured";
}

TEST_F(BenchCommand, MistakesSayWhatWouldWork) {
  for (const auto& [flag, value, message] :
       {std::tuple("--collective", "allreduce", "--collective: unknown value \"allreduce\""),
        {"--chunks", "0", "--chunks: 0 is not from 1 to 1000000"},
        {"--chunks", "1000001", "--chunks: 1000001 is not from 1 to 1000000"},
        {"--seeds", "0", "--seeds: 0 is not from 1 to 1000"},
        {"--seeds", "1001", "--seeds: 1001 is not from 1 to 1000"},
        {"--max-wall", "-1", "--max-wall: must not be negative"},
        {"-b", "large", "-b: \"large\" is not a quantity"},
        {"-e", "1Q", "-e: unknown unit \"Q\""},
        {"--algorithm", "rign", "--algorithm: unknown algorithm \"rign\"\n  did you mean \"ring\"?"}}) {
    const Ran ran = bench({flag, value});
    EXPECT_EQ(ran.code, 2) << flag;
    EXPECT_TRUE(has(ran.err, message)) << ran.err;
  }
  EXPECT_EQ(bench({"-b", "64K", "-e", "1K"}).code, 2) << "from large to small";
  EXPECT_EQ(bench({"-f", "1"}).code, 2) << "it would never end";
}

TEST_F(BenchCommand, ATransportThatIsNotThereIsRefused) {
  EXPECT_EQ(refused({"bench", "transport", "--transport", "pigeons"}, add_bench),
            "--transport: unknown transport \"pigeons\"\n  threads or zeromq; for MPI, start two processes "
            "with mpirun\n");
  for (const char* flag : {"--rows", "--columns", "--requests"})
    EXPECT_EQ(refused({"bench", "transport", flag, "0"}, add_bench),
              std::string(flag) + ": 0 is less than 1\n");
}

TEST_F(BenchCommand, BetweenThreadsRowsComeBack) {
  const Json json = parse_json(
      printed({"bench", "transport", "--transport", "threads", "--rows", "10", "--requests", "2", "--json"},
              add_bench));
  EXPECT_EQ(json["transport"], "threads");
  EXPECT_EQ(json["rows"], 10);
  EXPECT_GT(json["bytes_per_second"].get<double>(), 0);
}

}  // namespace
}  // namespace overture::cli
