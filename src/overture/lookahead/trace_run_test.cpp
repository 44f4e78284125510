#include "overture/lookahead/trace_run.h"

#include <gtest/gtest.h>

#include "overture/base/files.h"
#include "overture/base/testing.h"
#include "overture/lookahead/plan_file.h"
#include "overture/lookahead/testing.h"

namespace overture::lookahead {
namespace {

const std::filesystem::path kGolden = std::filesystem::path(OVERTURE_GOLDEN) / "lookahead";

class Folder {
 public:
  explicit Folder(const std::string& name)
      : path_(std::filesystem::path(testing::TempDir()) / ("overture_lookahead_" + name)) {
    std::filesystem::remove_all(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

class Golden : public testing::TestWithParam<const char*> {};

TEST_P(Golden, EveryFileIsByteForByteTheSame) {
  const Folder out(GetParam());
  run_lookahead(kGolden / GetParam() / "trace.json", out.path());

  for (const char* name : {"batches.csv", "decisions.csv", "evictions.csv", "cleanup.csv", "totals.json"}) {
    SCOPED_TRACE(name);
    const bool wanted = std::filesystem::exists(kGolden / GetParam() / name);
    ASSERT_EQ(std::filesystem::exists(out.path() / name), wanted);
    if (!wanted) continue;
    EXPECT_EQ(read_file(out.path() / name), read_file(kGolden / GetParam() / name));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Golden, testing::Values("g1_boundary", "g2_sync", "g3_cleanup", "g4_capacity"),
                         [](const auto& golden) { return std::string(golden.param); });

TEST(TraceRun, OptionsReplaceWhatTheTraceSays) {
  const Folder out("options");
  const Folder again("options_again");
  const auto trace = kGolden / "g4_capacity" / "trace.json";
  const std::string totals =
      run_lookahead(trace, out.path(), {.capacity = 10, .plan = out.path() / "run.plan"});

  EXPECT_NE(totals, read_file(kGolden / "g4_capacity" / "totals.json"));
  EXPECT_EQ(PlanReader(out.path() / "run.plan").config().capacity, 10);
  EXPECT_NE(
      user_error([&] { run_lookahead(trace, again.path(), {.capacity = 9}); }).find("the cache holds 9"),
      std::string::npos);
}

TEST(LookupTrace, ErrorsSayWhere) {
  const auto error = [](const std::string& from, const std::string& to) {
    std::string text = read_file(kGolden / "g1_boundary" / "trace.json");
    text.replace(text.find(from), from.size(), to);
    return user_error([&] { plan_trace(parse_trace(text, "t.json")); });
  };

  EXPECT_EQ(error("[[[1]],", "[[[1]],"), "");
  EXPECT_NE(error("[[[1]],", "[[[-1]],").find("t.json: batches[0][0][0][0]: is not a whole number"),
            std::string::npos);
  EXPECT_NE(error("[[[1]],", "[[[1.5]],").find("batches[0][0][0][0]"), std::string::npos);
  EXPECT_NE(error("[[[1]],", "[[[1],[2]],").find("has 2 tables instead of 1"), std::string::npos);
  EXPECT_NE(error("[[[1]],", "[[7],").find("batches[0][0][0]: is not a list"), std::string::npos);
  EXPECT_NE(error("\"lookahead\"", "\"lokahead\"").find("did you mean \"lookahead\""), std::string::npos);
  EXPECT_NE(error("\"lookahead\": 4", "\"lookahead\": 0").find("lookahead: 0"), std::string::npos);
  EXPECT_NE(error("\"trainers\": 1", "\"trainers\": 3").find("cannot be dealt out to 3 trainers"),
            std::string::npos);
  EXPECT_NE(error("\"tables\": 1", "\"tables\": 1, \"table_rows\": [20]").find("id 20 of table 0"),
            std::string::npos);
  EXPECT_NE(error("\"format\": 1", "\"format\": 2").find("format"), std::string::npos);
  EXPECT_NE(error("{", "").find("is not JSON"), std::string::npos);
}

}  // namespace
}  // namespace overture::lookahead
