#include "overture/formats/nccl_tests.h"

#include <gtest/gtest.h>

#include "overture/base/testing.h"

namespace overture::formats {
namespace {

std::vector<MeasuredPoint> parse(const std::string& text) { return parse_nccl_tests(text, "log"); }

std::string error_of(const std::string& text) {
  return user_error([&] { parse(text); });
}

TEST(NcclTestsTable, CollectivesWithAndWithoutRedopAndRootReadTheSame) {
  for (const char* line :
       {"  1024  256  float  sum  -1  42.50  24.67  43.18  0  42.10  24.91  43.59  0\n",  // all_reduce
        "  1024  256  float  42.50  24.67  43.18  0  42.10  24.91  43.59  0\n",           // all_gather
        "  1024  256  float  -1  42.50  24.67  43.18  0  42.10  24.91  43.59  0\n",       // broadcast
        "  1024  256  float  42.50  24.67  43.18  N/A  42.10  24.91  43.59  N/A\n",       // not checked
        "  1024  256  float  sum  0  42.50  24.67  43.18\n"}) {
    const auto points = parse(line);
    ASSERT_EQ(points.size(), 1u) << line;
    EXPECT_EQ(points[0].size, Bytes{1024}) << line;
    EXPECT_DOUBLE_EQ(points[0].time_us, 42.5) << line;
    EXPECT_DOUBLE_EQ(points[0].bus_gb_per_s, 43.18) << line;
  }
}

TEST(NcclTestsTable, AllThatIsNoLineOfNumbersIsSkipped) {
  const auto points = parse(
      "# nThread 1\nnode0: NCCL version 2.19\n#  size  count\n"
      "8 2 float sum -1 5.00 0.00 0.00 0\n\n16 4 float sum -1 6.00 0.00 0.01 0\n# Out of bounds values : 0 "
      "OK\n");
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[1].size, Bytes{16});
}

TEST(NcclTestsTable, ALineThatIsCutShortIsSkipped) {
  EXPECT_EQ(parse("8 2 float sum -1 5.00 0.00 0.00 0\n16 4 float sum -1 6.0").size(), 1u);
}

TEST(NcclTestsTable, ASizeThatNoByteCountHoldsIsSkipped) {
  EXPECT_EQ(parse("8 2 float 5.0 0.0 0.0 0\n99999999999999999999 2 float 5.0 0.0 0.0 0\n").size(), 1u);
}

TEST(NcclTestsJson, InPlaceCountsWhereNothingElseWasMeasured) {
  const auto points = parse(
      R"({"results": [{"size": 8, "in_place": {"time": 7.5}},
          {"size": 16, "out_of_place": {"time": 8.5, "bus_bw": 1.5}, "in_place": {"time": 9.5}},
          {"size": 32, "out_of_place": {"cpu_time": 3.5}},
          {"size": 64, "out_of_place": {}}, {"size": "large"}, 5, {}]})");
  ASSERT_EQ(points.size(), 3u);
  EXPECT_DOUBLE_EQ(points[0].time_us, 7.5);
  EXPECT_DOUBLE_EQ(points[0].bus_gb_per_s, 0);
  EXPECT_DOUBLE_EQ(points[1].time_us, 8.5);
  EXPECT_DOUBLE_EQ(points[2].time_us, 3.5);
}

TEST(NcclTestsMessages, SayWhatWouldWork) {
  const std::string none =
      "log: has no results of nccl-tests\n  give its output, or the file of its option -J";
  EXPECT_EQ(error_of(""), none);
  EXPECT_EQ(error_of("# only comments\n"), none);
  EXPECT_EQ(error_of(R"({"results": []})"), none);
  EXPECT_EQ(error_of(R"({"result": []})"), "log: results: is missing\n  write it with nccl-tests' option -J");
  EXPECT_EQ(error_of(R"({"results": 5})"), "log: results: is missing\n  write it with nccl-tests' option -J");
  EXPECT_EQ(error_of(R"({"results": [)"), "log: is not JSON; is it cut short?");
}

}  // namespace
}  // namespace overture::formats
