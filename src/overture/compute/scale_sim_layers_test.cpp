#include "overture/compute/scale_sim_layers.h"

#include <gtest/gtest.h>

#include "overture/base/files.h"
#include "overture/base/testing.h"
#include "overture/compute/scale_sim_config.h"

namespace overture::compute {
namespace {

const std::filesystem::path kGolden = OVERTURE_GOLDEN;
const std::string kHeader =
    "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n";

std::vector<NamedGemm> layers(const std::string& rows) {
  return parse_scale_sim_topology(kHeader + rows, "t.csv");
}
std::string error_of(const std::string& rows) {
  return user_error([&] { layers(rows); });
}

std::string report_of(const std::filesystem::path& config, const std::filesystem::path& topology) {
  const SystolicArray array = read_scale_sim_config(config);
  std::vector<LayerReport> reports;
  for (const NamedGemm& layer : read_scale_sim_topology(topology)) {
    reports.push_back(array.report(layer.gemm));
  }
  return compute_report(reports);
}

class ScaleSimGolden : public testing::TestWithParam<std::string> {};

TEST_P(ScaleSimGolden, ComputeReportIsTheSameToTheLastDigit) {
  const std::filesystem::path folder = kGolden / "scale-sim-gemm";
  EXPECT_EQ(report_of(folder / (GetParam() + ".cfg"), folder / "gemm.csv"),
            read_file(folder / "expected" / (GetParam() + "_COMPUTE_REPORT.csv")));
}

INSTANTIATE_TEST_SUITE_P(Runs, ScaleSimGolden,
                         testing::Values("is_16x32", "is_8x8", "os_16x32", "os_8x8", "ws_16x32", "ws_8x8"),
                         [](const auto& test) { return test.param; });

TEST(ScaleSimReport, WeightGradientsOfTheWorkloadGeneratorAreTheSameToTheLastDigit) {
  const std::filesystem::path folder = kGolden / "workload-generator-data";
  EXPECT_EQ(report_of(folder / "scalesim.cfg", folder / "expected" / "example_weight_grad.csv"),
            read_file(folder / "expected" / "COMPUTE_REPORT_weight_grad.csv"));
}

TEST(ScaleSimTopology, AConvolutionBecomesTheGemmOfIm2col) {
  // ResNet-50's first layer: 112 x 112 output pixels, 7 x 7 x 3 weights a filter.
  const auto gemms = layers("Conv1, 229, 229, 7, 7, 3, 64, 2,\n");
  ASSERT_EQ(gemms.size(), 1U);
  EXPECT_EQ(gemms[0].name, "Conv1");
  EXPECT_EQ(gemms[0].gemm, (Gemm{.rows = 112 * 112, .inner = 147, .columns = 64}));
}

TEST(ScaleSimTopology, OutputSizeIsRoundedUpAsInScaleSim) {
  EXPECT_EQ(layers("c, 6, 1, 3, 1, 1, 1, 2,\n")[0].gemm.rows, 3);  // (6 - 3 + 2) / 2 = 2.5
}

TEST(ScaleSimTopology, StridesMayDifferByDirection) {
  EXPECT_EQ(layers("c, 9, 9, 1, 1, 1, 1, 2, 4,\n")[0].gemm.rows, 5 * 3);
}

TEST(ScaleSimTopology, ADepthwiseLayerIsOneGemmPerChannel) {
  const auto gemms = layers("Conv_DP2, 5, 5, 3, 3, 32, 1, 1,\n");
  ASSERT_EQ(gemms.size(), 32U);
  EXPECT_EQ(gemms[31].name, "Conv_DP2Channel_31");
  EXPECT_EQ(gemms[31].gemm, (Gemm{.rows = 9, .inner = 9, .columns = 1}));
}

TEST(ScaleSimTopology, BadLayersAreErrors) {
  EXPECT_TRUE(
      error_of("\na, 5, 5, 1, 1,\n").starts_with("t.csv:3: 5 columns instead of 8 or 9\n  columns: Layer"));
  EXPECT_EQ(error_of("a, 5, 5, 1, 6, 1, 1, 1,\n"), "t.csv:2: the filter is larger than the ifmap");
  EXPECT_EQ(error_of("a, 5, 5, 1, 1, 1, 1, 0,\n"),
            "t.csv:2: strides: 0 is out of range\n  from 1 to 1000000000000");
  EXPECT_EQ(error_of("a, 5, x, 1, 1, 1, 1, 1,\n"), "t.csv:2: ifmap width: \"x\" is not a whole number");
  EXPECT_TRUE(
      error_of("a, 10000000, 10000000, 1, 1, 1, 1, 1,\n").starts_with("t.csv:2: the layer is too large"));
  EXPECT_TRUE(
      error_of("DP, 5, 5, 1, 1, 2000000, 1, 1,\n").starts_with("t.csv:2: a depthwise layer has at most"));
  EXPECT_TRUE(user_error([] {
                parse_scale_sim_topology("g0,16,24,1,24,1,8,1,\n", "t.csv");
              }).starts_with("t.csv:1: the header is missing"));
}

}  // namespace
}  // namespace overture::compute
