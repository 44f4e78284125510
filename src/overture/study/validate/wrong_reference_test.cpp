// Comparisons see what differs: references with a line changed, cut or missing do not pass.
#include <algorithm>

#include <gtest/gtest.h>

#include "overture/base/files.h"
#include "overture/base/testing.h"
#include "overture/base/testing_folder.h"
#include "overture/study/validate/validate.h"

namespace overture::study {
namespace {

namespace fs = std::filesystem;

// A copy of one folder of references, to be changed.
class Copied : public ::testing::Test {
 protected:
  fs::path copy(const std::string& name) {
    fs::copy(fs::path(OVERTURE_GOLDEN) / name, folder_ / name, fs::copy_options::recursive);
    return folder_ / name;
  }
  template <class Validate>
  std::vector<Check> checks(Validate validate) {
    std::vector<Check> all;
    validate(folder_.path(), [&](const Check& check) { all.push_back(check); });
    return all;
  }
  static int failed(const std::vector<Check>& checks) {
    return static_cast<int>(
        std::ranges::count_if(checks, [](const Check& check) { return !check.passes(); }));
  }
  static void change_last_digit(const fs::path& file) {
    std::string text = read_file(file);
    const std::size_t digit = text.find_last_of("0123456789");
    text[digit] = text[digit] == '9' ? '8' : '9';
    write_file(file, text);
  }

  TestFolder folder_;
};

TEST_F(Copied, ANumberOfScaleSimThatDiffersIsOneLineLess) {
  const fs::path golden = copy("scale-sim-gemm");
  EXPECT_EQ(failed(checks(validate_scale_sim)), 0);
  change_last_digit(golden / "expected" / "ws_8x8_COMPUTE_REPORT.csv");
  const auto all = checks(validate_scale_sim);
  EXPECT_EQ(all.size(), 6U) << "one for each array";
  EXPECT_EQ(failed(all), 1);
  for (const Check& check : all) {
    EXPECT_EQ(check.reference - check.ours, check.scenario == "gemm ws_8x8" ? 1 : 0) << check.scenario;
  }
}

TEST_F(Copied, AReferenceOfScaleSimThatIsMissingIsNamed) {
  const fs::path golden = copy("scale-sim-gemm");
  fs::remove(golden / "expected" / "os_8x8_COMPUTE_REPORT.csv");
  const std::string said = user_error([&] { checks(validate_scale_sim); });
  EXPECT_NE(said.find("os_8x8_COMPUTE_REPORT.csv"), std::string::npos) << said;
}

TEST_F(Copied, ADecisionOfBagpipesOracleThatDiffersIsOneLineLess) {
  const fs::path golden = copy("lookahead");
  const auto before = checks(validate_lookahead);
  EXPECT_EQ(failed(before), 0);
  fs::path changed;
  for (const auto& entry : fs::directory_iterator(golden / "g2_sync")) {
    if (entry.path().extension() == ".csv") changed = entry.path();
  }
  change_last_digit(changed);
  const auto after = checks(validate_lookahead);
  EXPECT_EQ(after.size(), before.size());
  ASSERT_EQ(failed(after), 1);
  for (const Check& check : after) {
    EXPECT_EQ(check.passes(), check.scenario != "g2_sync") << check.scenario;
  }
}

// More lines in the reference than we give are lines that differ.
TEST_F(Copied, ALineThatOnlyTheReferenceHasCounts) {
  const fs::path golden = copy("scale-sim-gemm");
  const fs::path file = golden / "expected" / "is_8x8_COMPUTE_REPORT.csv";
  write_file(file, read_file(file) + "99, 1, 2, 3\n");
  const auto all = checks(validate_scale_sim);
  EXPECT_EQ(failed(all), 1);
}

TEST_F(Copied, WithoutReferencesThereIsAnError) {
  EXPECT_NE(user_error([&] { checks(validate_scale_sim); }).find("scale-sim-gemm"), std::string::npos);
  EXPECT_NE(user_error([&] { checks(validate_lookahead); }).find("lookahead"), std::string::npos);
  EXPECT_NE(user_error([&] { checks(validate_ns3); }), "");
  EXPECT_NE(user_error([&] { checks(validate_htsim); }), "");
}

TEST(Check, ItsErrorIsRelativeAndThatOfZeroIsWhatIsThere) {
  EXPECT_DOUBLE_EQ((Check{.reference = 200, .ours = 150}.error()), 0.25);
  EXPECT_DOUBLE_EQ((Check{.reference = -2, .ours = -3}.error()), 0.5);
  EXPECT_DOUBLE_EQ((Check{.reference = 0, .ours = -3}.error()), 3);
  EXPECT_DOUBLE_EQ(Check{}.error(), 0);
}

}  // namespace
}  // namespace overture::study
