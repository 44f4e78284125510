#include "overture/workload/generator.h"

#include <sstream>

#include <gtest/gtest.h>

#include "overture/base/files.h"
#include "overture/base/testing.h"
#include "overture/compute/scale_sim_config.h"
#include "overture/compute/scale_sim_layers.h"

namespace overture::workload {
namespace {

using namespace literals;
using compute::Gemm;
using system::CollectiveKind;

const std::filesystem::path kGolden = std::filesystem::path(OVERTURE_GOLDEN) / "workload-generator-data";

// One floating-point operation takes a second, memory no time: times are counts.
const compute::Roofline kCounting{.peak = compute::FlopRate::per_second(1),
                                  .memory = Bandwidth::bits_per_second(INT64_MAX)};

GeneratorOptions options(Parallelism strategy, int npus, int packages) {
  return {.strategy = strategy, .npus = npus, .packages = packages, .element = 2_B, .compute = kCounting};
}

GeneratorOptions golden_options() {
  GeneratorOptions golden = options(Parallelism::data, 16, 2);  // as its cmd.txt has them
  golden.compute = compute::read_scale_sim_config(kGolden / "scalesim.cfg");
  return golden;
}

std::string error_of(const std::string& text) {
  return user_error([&] { parse_mnk(text, "mnk.csv"); });
}

MnkLayer layer(std::int64_t m, std::int64_t n, std::int64_t k) {
  return {.name = "fc", .m = m, .n = n, .k = k};
}

// Size of what a pass communicates, after checking the kind.
std::int64_t sent(const Pass& pass, CollectiveKind kind) {
  if (!pass.communication) return 0;
  EXPECT_EQ(name(pass.communication->kind), name(kind));
  return pass.communication->size.count();
}

TEST(GeneratorGolden, GemmsAreThoseThatScaleSimWasGiven) {
  const auto layers = read_mnk(kGolden / "mnk.csv");
  const auto forward = compute::read_scale_sim_topology(kGolden / "expected/example_fwd_pass.csv");
  const auto input_gradient = compute::read_scale_sim_topology(kGolden / "expected/example_inp_grad.csv");
  const auto weight_gradient = compute::read_scale_sim_topology(kGolden / "expected/example_weight_grad.csv");
  ASSERT_EQ(layers.size(), 7U);
  ASSERT_EQ(forward.size(), 7U);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const PassGemms gemms = pass_gemms(layers[i], Parallelism::data, 16, 2);
    EXPECT_EQ(layers[i].name, forward[i].name);
    EXPECT_EQ(gemms.forward, forward[i].gemm) << layers[i].name;
    EXPECT_EQ(gemms.input_gradient, input_gradient[i].gemm) << layers[i].name;
    EXPECT_EQ(gemms.weight_gradient, weight_gradient[i].gemm) << layers[i].name;
  }
}

TEST(GeneratorGolden, WeightGradientsCommunicationAndUpdateAreThoseOfAstraSim) {
  const Workload workload = generate(read_mnk(kGolden / "mnk.csv"), golden_options());
  std::istringstream expected(read_file(kGolden / "expected/workload.txt"));
  std::string strategy;
  std::size_t count = 0;
  expected >> strategy >> count;
  EXPECT_EQ(parse_strategy(strategy), workload.parallelism);
  ASSERT_EQ(workload.layers.size(), count);
  for (const Layer& made : workload.layers) {
    std::string name, reserved, fwd_kind, ig_kind, wg_kind, layer_strategy;
    std::int64_t fwd_cycles = 0, fwd_size = 0, ig_cycles = 0, ig_size = 0, wg_cycles = 0, wg_size = 0,
                 update = 0;
    expected >> name >> reserved >> fwd_cycles >> fwd_kind >> fwd_size >> ig_cycles >> ig_kind >> ig_size >>
        wg_cycles >> wg_kind >> wg_size >> update >> layer_strategy;
    EXPECT_EQ(made.name, name);
    EXPECT_EQ(made.weight_gradient.compute, Nanoseconds{wg_cycles}) << name;
    EXPECT_EQ(fwd_kind + ig_kind + wg_kind, "NONENONEALLREDUCE");
    EXPECT_FALSE(made.forward.communication);
    EXPECT_FALSE(made.input_gradient.communication);
    EXPECT_EQ(sent(made.weight_gradient, CollectiveKind::all_reduce), wg_size) << name;
    EXPECT_EQ(made.update, Nanoseconds{update});
  }
}

// ASTRA-sim's generator reads the weight gradient's cycles for all three passes, a bug that is not repeated.
TEST(GeneratorGolden, EveryPassTakesTheTimeOfItsOwnGemm) {
  const Workload workload = generate(read_mnk(kGolden / "mnk.csv"), golden_options());
  const Layer& first = workload.layers[0];  // weights stay in a 256 x 256 array
  EXPECT_EQ(first.forward.compute, Nanoseconds{2 * 1 * (2 * 256 + 256 + 64 - 2) - 1});  // 64 x 512 x 128
  EXPECT_EQ(first.input_gradient.compute,
            Nanoseconds{1 * 2 * (2 * 256 + 256 + 64 - 2) - 1});  // 64 x 128 x 512
  EXPECT_EQ(first.weight_gradient.compute,
            Nanoseconds{1 * 1 * (2 * 256 + 256 + 512 - 2) - 1});  // 512 x 64 x 128
  const Layer& top = workload.layers[4];
  EXPECT_EQ(top.forward.compute, Nanoseconds{2 * 4 * 830 - 1});         // 64 x 512 x 1024
  EXPECT_EQ(top.input_gradient.compute, Nanoseconds{4 * 2 * 830 - 1});  // 64 x 1024 x 512
}

// 12 NPUs in 3 packages of 4; m = 240, n = 120, k = 7.
TEST(Generator, DividesGemmsByStrategy) {
  const auto gemms = [](Parallelism strategy) { return pass_gemms(layer(240, 120, 7), strategy, 12, 3); };
  EXPECT_EQ(gemms(Parallelism::data), (PassGemms{{20, 7, 120}, {20, 120, 7}, {7, 20, 120}}));
  EXPECT_EQ(gemms(Parallelism::model), (PassGemms{{240, 7, 10}, {240, 10, 7}, {7, 240, 10}}));
  EXPECT_EQ(gemms(Parallelism::hybrid_data_model), (PassGemms{{80, 7, 30}, {80, 30, 7}, {7, 80, 30}}));
  EXPECT_EQ(gemms(Parallelism::hybrid_model_data), (PassGemms{{60, 7, 40}, {60, 40, 7}, {7, 60, 40}}));
}

TEST(Generator, CommunicatesByStrategy) {
  struct Case {
    Parallelism strategy;
    std::int64_t gathered, scattered, reduced;
  };
  for (const Case& c :
       {Case{Parallelism::data, 0, 0, 120 * 7 * 2},
        Case{Parallelism::model, 240 * 120 * 2 / 12, 240 * 7 * 2, 0},
        Case{Parallelism::hybrid_data_model, 240 * 120 * 2 / 12, 240 * 7 * 2 / 3, 120 * 7 * 2 / 4},
        Case{Parallelism::hybrid_model_data, 240 * 120 * 2 / 12, 240 * 7 * 2 / 4, 120 * 7 * 2 / 3}}) {
    const Workload workload = generate({layer(240, 120, 7)}, options(c.strategy, 12, 3));
    const Layer& made = workload.layers.at(0);
    EXPECT_EQ(sent(made.forward, CollectiveKind::all_gather), c.gathered);
    EXPECT_EQ(sent(made.input_gradient, CollectiveKind::reduce_scatter), c.scattered);
    EXPECT_EQ(sent(made.weight_gradient, CollectiveKind::all_reduce), c.reduced);
    EXPECT_EQ(made.forward.compute, std::chrono::seconds(2 * 240 * 120 * 7 / 12));
  }
}

TEST(Generator, SharesAreRoundedUpSoThatNobodyHasNothingToDo) {
  EXPECT_EQ(pass_gemms(layer(10, 5, 3), Parallelism::data, 4, 1).forward, (Gemm{3, 3, 5}));
  EXPECT_EQ(pass_gemms(layer(10, 5, 3), Parallelism::model, 16, 1).forward, (Gemm{10, 3, 1}));
  const Workload workload = generate({layer(10, 5, 3)}, options(Parallelism::model, 16, 1));
  EXPECT_EQ(sent(workload.layers[0].forward, CollectiveKind::all_gather), 10 * 1 * 2);
}

TEST(Generator, CustomizedTakesEachLayersOwnStrategy) {
  const auto layers = parse_mnk(
      "Layer,m,n,k,CustomizedParallelization\na,16,8,4,DATA\n\nb,16,8,4,hybrid_model_data\n", "mnk.csv");
  const Workload workload = generate(layers, options(Parallelism::hybrid_customized, 4, 2));
  EXPECT_EQ(workload.parallelism, Parallelism::hybrid_customized);
  ASSERT_EQ(workload.layers.size(), 2U);
  EXPECT_EQ(workload.layers[0].parallelism, Parallelism::data);
  EXPECT_FALSE(workload.layers[0].forward.communication);
  EXPECT_EQ(workload.layers[1].parallelism, Parallelism::hybrid_model_data);
  EXPECT_EQ(sent(workload.layers[1].weight_gradient, CollectiveKind::all_reduce), 8 * 4 * 2 / 2);
}

TEST(Generator, CustomizedNeedsAStrategyInEveryLine) {
  const auto layers = parse_mnk("Layer,m,n,k,CustomizedParallelization\na,1,1,1,DATA\nb,1,1,1,\n", "mnk.csv");
  EXPECT_EQ(user_error([&] { generate(layers, options(Parallelism::hybrid_customized, 1, 1)); }),
            "mnk.csv:3: layer \"b\" has no strategy of its own\n"
            "  HYBRID_CUSTOMIZED needs the column CustomizedParallelization filled in every line");
  EXPECT_EQ(generate(layers, options(Parallelism::model, 1, 1)).layers.size(), 2U);
}

TEST(Generator, BadOptionsAreErrors) {
  const auto error = [](const GeneratorOptions& bad) {
    return user_error([&] { generate({layer(1, 1, 1)}, bad); });
  };
  EXPECT_EQ(error(options(Parallelism::data, 0, 1)), "npus: 0 is less than one");
  EXPECT_EQ(error(options(Parallelism::data, 8, -2)), "packages: -2 is less than one");
  EXPECT_EQ(error(options(Parallelism::data, 8, 3)),
            "packages: 8 NPUs do not divide evenly into 3 packages\n  take a divisor of the number of NPUs");
  EXPECT_TRUE(error(options(Parallelism::micro, 8, 2)).starts_with("strategy: MICRO cannot be generated"));
  GeneratorOptions bad = options(Parallelism::data, 1, 1);
  bad.element = 0_B;
  EXPECT_EQ(error(bad), "datatype-size: 0 is out of range\n  from 1 to 1024 bytes");
  bad = options(Parallelism::data, 1, 1);
  bad.update = -1ns;
  EXPECT_EQ(error(bad), "update-delay: is negative");
}

TEST(Generator, LayersTooLargeToCountAreErrors) {
  GeneratorOptions fast = options(Parallelism::data, 1, 1);
  fast.compute = compute::SystolicArray{.height = INT_MAX, .width = INT_MAX};
  const auto layers = parse_mnk("Layer,m,n,k\nhuge,1,1000000000000,1000000000000\n", "mnk.csv");
  EXPECT_EQ(user_error([&] { generate(layers, fast); }),
            "mnk.csv:2: the result of a GEMM of 1000000000000 x 1 x 1000000000000 is too large to count");
  EXPECT_TRUE(user_error([&] {
                generate(layers, options(Parallelism::data, 1, 1));
              }).starts_with("mnk.csv:2: a GEMM of 1 x 1000000000000 x 1000000000000 takes longer than"));
}

TEST(Mnk, BadTablesAreErrorsWithFileAndLine) {
  EXPECT_EQ(error_of("a,1,2,3\n"),
            "mnk.csv:1: not the header of an M,N,K table\n"
            "  the first line is Layer,m,n,k or Layer,m,n,k,CustomizedParallelization");
  EXPECT_TRUE(error_of("").starts_with("mnk.csv: is empty"));
  EXPECT_TRUE(error_of("Layer,m,n,k\n").starts_with("mnk.csv: has no layer"));
  EXPECT_EQ(error_of("Layer,m,n,k\n\na,1,2\n"), "mnk.csv:3: 3 columns instead of 4\n  columns: Layer,m,n,k");
  EXPECT_EQ(error_of("Layer,m,n,k\na,1,2,3,DATA\n"),
            "mnk.csv:2: 5 columns instead of 4\n  columns: Layer,m,n,k");
  EXPECT_EQ(error_of("Layer,m,n,k\na,1,0,3\n"), "mnk.csv:2: n: 0 is out of range\n  from 1 to 1000000000000");
  EXPECT_EQ(error_of("Layer,m,n,k\na,1,2.5,3\n"), "mnk.csv:2: n: \"2.5\" is not a whole number");
  EXPECT_TRUE(error_of("Layer,m,n,k\na b,1,2,3\n").starts_with("mnk.csv:2: Layer: \"a b\" is not a name"));
  EXPECT_TRUE(error_of("Layer,m,n,k,CustomizedParallelization\na,1,2,3,DATUM\n")
                  .starts_with("mnk.csv:2: CustomizedParallelization: unknown strategy \"DATUM\"\n"
                               "  did you mean \"DATA\"? known: DATA, MODEL"));
  EXPECT_TRUE(
      error_of("Layer,m,n,k,CustomizedParallelization\na,1,2,3,HYBRID_CUSTOMIZED\n")
          .starts_with("mnk.csv:2: CustomizedParallelization: a layer has one of the other strategies"));
}

}  // namespace
}  // namespace overture::workload
