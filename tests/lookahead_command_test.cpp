// `overture lookahead` as a user runs it, against the decisions that golden/lookahead lists.
#include "program.h"
#include <gtest/gtest.h>

namespace overture::testing {
namespace {

namespace fs = std::filesystem;

const fs::path kGolden = fs::path(OVERTURE_TESTS_FOLDER) / "golden/lookahead";

TEST(Lookahead, WritesWhatTheGoldenFoldersContain) {
  for (const std::string name : {"g1_boundary", "g2_sync", "g3_cleanup", "g4_capacity"}) {
    const TemporaryFolder folder;
    const Outcome outcome = run_overture(
        {"lookahead", (kGolden / name / "trace.json").string(), "--out", "plan"}, {.folder = folder.path()});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.text();
    for (const auto& entry : fs::directory_iterator(kGolden / name)) {
      const fs::path file = entry.path().filename();
      if (file.extension() != ".csv") continue;
      EXPECT_EQ(read_text(folder.path() / "plan" / file), read_text(entry.path())) << name << " " << file;
    }
    EXPECT_EQ(read_text(folder.path() / "plan/totals.json"), outcome.out);
  }
}

TEST(Lookahead, FlagsChangeTheTrace) {
  const TemporaryFolder folder;
  const std::string trace = (kGolden / "g1_boundary/trace.json").string();
  const Outcome alone = run_overture({"lookahead", trace, "--out", "a", "--lookahead-value", "1",
                                      "--cleanup-interval", "1", "--plan", "one.plan"},
                                     {.folder = folder.path()});
  ASSERT_EQ(alone.exit_code, 0) << alone.text();
  EXPECT_NE(alone.out.find("\"hits\": 0"), std::string::npos) << alone.out;
  EXPECT_TRUE(fs::exists(folder.path() / "one.plan"));
}

TEST(Lookahead, BadInputGetsOneMessageAndExitCodeTwo) {
  const TemporaryFolder folder;
  folder.write("bad.json", "{\"format\": 1}");
  const std::string trace = (kGolden / "g1_boundary/trace.json").string();
  for (const Words& arguments : {Words{"lookahead"}, Words{"lookahead", "missing.json", "--out", "x"},
                                 Words{"lookahead", "bad.json", "--out", "x"}, Words{"lookahead", trace},
                                 Words{"lookahead", trace, "--out", "x", "--cache-size", "1"},
                                 Words{"lookahead", trace, "--out", "x", "--lookahead-value", "0"},
                                 Words{"lookahead", trace, "--out", "bad.json/inside"}}) {
    const Outcome outcome = run_overture(arguments, {.folder = folder.path()});
    EXPECT_EQ(outcome.exit_code, 2) << outcome.text();
    EXPECT_TRUE(outcome.err.starts_with("error: ")) << outcome.text();
  }
}

}  // namespace
}  // namespace overture::testing
