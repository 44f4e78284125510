#include "overture/study/validate/studies.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/base/files.h"

namespace overture::study {
namespace {

namespace fs = std::filesystem;

TEST(StudyScores, ClaimsAreReadBackAsTheStudyWroteThem) {
  const fs::path folder = fs::path(::testing::TempDir()) / "study-scores";
  fs::create_directories(folder);
  write_study_report(
      {.study = "x",
       .claims =
           {{.id = "P1", .text = "It takes 3 us.", .ours = "3 us", .verdict = Verdict::met},
            {.id = "R1", .text = "It is faster.", .verdict = Verdict::not_met, .why = "No, \"slower\"."},
            {.id = "R2", .text = "It is larger."}}},
      folder);
  const auto claims = read_claims(folder / "study.json");
  ASSERT_EQ(claims.size(), 3U);
  EXPECT_EQ(claims[0].verdict, Verdict::met);
  EXPECT_EQ(claims[1].why, "No, \"slower\".");
  EXPECT_EQ(claims[2].verdict, Verdict::open);
  const std::vector<StudyScore> scores{{.study = "x", .claims = claims, .from = "here"},
                                       {.study = "y", .claims = {}, .from = "not run"}};
  EXPECT_EQ(scores_table(scores),
            "study  claims  met  not met  open  from\n"
            "-----  ------  ---  -------  ----  -------\n"
            "x           3    1        1     1  here\n"
            "y           -    -        -     -  not run\n");
  EXPECT_NE(scores_csv(scores).find("x,R1,It is faster.,,,not met,\"No, \"\"slower\"\".\"\n"),
            std::string::npos);
}

TEST(StudyScores, ADamagedReportIsNamed) {
  const fs::path file = fs::path(::testing::TempDir()) / "damaged-study.json";
  for (const char* text : {"", "{", "{\"claims\": [{\"id\": 3}]}", "[]"}) {
    write_file(file, text);
    EXPECT_THROW(read_claims(file), UserError) << text;
  }
}

}  // namespace
}  // namespace overture::study
