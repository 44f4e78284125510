#include "overture/compute/compute_model.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "overture/base/files.h"
#include "overture/base/testing.h"

namespace overture::compute {
namespace {

using namespace literals;

const std::string kArrayFile = OVERTURE_GOLDEN "/scale-sim-gemm/ws_8x8.cfg";

std::string error_of(const std::string& text) {
  return user_error([&] { parse_compute_model(text); });
}

TEST(ComputeModel, IsReadFromAScaleSimFile) {
  const ComputeModel model = parse_compute_model("scale-sim:" + kArrayFile);
  EXPECT_EQ(time(model, {.rows = 16, .inner = 24, .columns = 8}, 2_B), 113ns);
}

TEST(ComputeModel, AScaleSimFileMayBeGivenAClock) {
  const ComputeModel model = parse_compute_model("scale-sim:" + kArrayFile + ", 500 MHz");
  EXPECT_EQ(time(model, {.rows = 16, .inner = 24, .columns = 8}, 2_B), 226ns);
}

TEST(ComputeModel, IsReadFromTheTwoRatesOfARoofline) {
  const auto roofline = std::get<Roofline>(parse_compute_model("roofline:312 TFLOPS,1.5 TB/s"));
  EXPECT_EQ(roofline.peak.per_second(), 312'000'000'000'000);
  EXPECT_EQ(roofline.memory, 12'000_Gbps);
  EXPECT_EQ(roofline.efficiency, 1);
  EXPECT_EQ(std::get<Roofline>(parse_compute_model("roofline: 312 TFLOPS, 1.5 TB/s, 0.6")).efficiency, 0.6);
  const auto arithmetic = std::get<Roofline>(parse_compute_model("roofline:1 TFLOPS"));
  EXPECT_EQ(arithmetic.time({.rows = 1, .inner = 1'000'000, .columns = 1}, Bytes{4}), Duration{2'000'000});
}

TEST(ComputeModel, IsReadFromATableOfTimes) {
  const auto path = std::filesystem::path(testing::TempDir()) / "overture compute model test.csv";
  write_file(path, "rows,inner,columns,time\n1,2,3,4 us\n");
  EXPECT_EQ(time(parse_compute_model("table:" + path.string()), {.rows = 1, .inner = 2, .columns = 3}, 2_B),
            4us);
  std::filesystem::remove(path);
}

TEST(ComputeModel, BadTextIsAnErrorThatSaysWhatWouldWork) {
  EXPECT_EQ(error_of("scalesim:a.cfg"),
            "compute: unknown compute model \"scalesim\"\n"
            "  did you mean \"scale-sim\"? known: scale-sim, roofline, table");
  EXPECT_TRUE(error_of("table").starts_with("compute: \"table\" says the kind of model only"));
  EXPECT_TRUE(error_of("").starts_with("compute: unknown compute model \"\""));
  EXPECT_TRUE(error_of("roofline:1 TFLOPS,1 TB/s,1,1")
                  .starts_with("compute: a roofline has a peak rate and a memory"));
  EXPECT_TRUE(error_of("roofline:312,1 TB/s").starts_with("compute: \"312\" has no unit"));
  EXPECT_TRUE(error_of("roofline:312 TFLOPS,1").starts_with("compute: \"1\" has no unit"));
  EXPECT_TRUE(
      error_of("roofline:312 TFLOPS,0 TB/s").starts_with("compute: the memory bandwidth is more than"));
  for (const std::string bad : {"0", "1.5", "-1", "nan", "60%"}) {
    EXPECT_TRUE(
        error_of("roofline:312 TFLOPS,1 TB/s," + bad).starts_with("compute: \"" + bad + "\" is not an eff"));
  }
  EXPECT_TRUE(
      error_of("scale-sim:" + kArrayFile + ",0 MHz").starts_with("compute: \"0 MHz\" is not more than zero"));
  EXPECT_TRUE(error_of("table:/no/such.csv").starts_with("/no/such.csv: cannot be read"));
}

}  // namespace
}  // namespace overture::compute
