#include "overture/compute/scale_sim_config.h"

#include <gtest/gtest.h>

#include "overture/base/testing.h"

namespace overture::compute {
namespace {

using namespace literals;

constexpr std::string_view kConfig = R"([general]
run_name = tpu

[architecture_presets]
ArrayHeight:    256
ArrayWidth:     128
IfmapSramSzkB:  6144
FilterSramSzkB: 6144
OfmapSramSzkB:  2048
IfmapOffset:    0
FilterOffset:   10000000
OfmapOffset:    20000000
Dataflow : ws
Bandwidth : 10
MemoryBanks: 1

[run_presets]
InterfaceBandwidth: CALC
)";

// The example with the first `from` replaced by `to`.
std::string changed(std::string_view from, std::string_view to) {
  std::string text(kConfig);
  return text.replace(text.find(from), from.size(), to);
}

std::string error_of(std::string_view text) {
  return user_error([&] { parse_scale_sim_config(text, "tpu.cfg"); });
}

TEST(ScaleSimConfig, ReadsTheArray) {
  const SystolicArray array = parse_scale_sim_config(kConfig, "tpu.cfg");
  EXPECT_EQ(array.height, 256);
  EXPECT_EQ(array.width, 128);
  EXPECT_EQ(array.dataflow, Dataflow::weight_stationary);
  EXPECT_EQ(array.ifmap_sram, 6_MiB);
  EXPECT_EQ(array.ofmap_sram, 2_MiB);
  EXPECT_EQ(array.clock.hertz(), 1'000'000'000);
}

TEST(ScaleSimConfig, TakesEitherSeparatorAnyCaseBlanksAndComments) {
  const auto text = changed("Dataflow : ws", "# which stays\r\n \t DATAFLOW=os  \r\n; end");
  EXPECT_EQ(parse_scale_sim_config(text, "tpu.cfg").dataflow, Dataflow::output_stationary);
}

TEST(ScaleSimConfig, BandwidthAndBanksMayBeMissing) {
  EXPECT_EQ(error_of(changed("Bandwidth : 10\nMemoryBanks: 1\n", "")), "");
}

TEST(ScaleSimConfig, UnknownAndMisplacedKeysAreErrorsWithASuggestion) {
  EXPECT_TRUE(error_of(changed("ArrayWidth:", "ArrayWidht:"))
                  .starts_with("tpu.cfg:6: ArrayWidht: unknown key in [architecture_presets]\n"
                               "  did you mean \"ArrayWidth\"? known: ArrayHeight, "));
  EXPECT_EQ(error_of(changed("run_name = tpu", "Dataflow = ws")),
            "tpu.cfg:2: Dataflow: unknown key in [general]\n  known: run_name");
  EXPECT_EQ(error_of(changed("[run_presets]", "[run_preset]")),
            "tpu.cfg:17: unknown section [run_preset]\n"
            "  did you mean \"run_presets\"? known: general, architecture_presets, run_presets");
  EXPECT_EQ(error_of("ArrayWidth: 3"),
            "tpu.cfg:1: ArrayWidth: comes before the first section\n  the first line is [general]");
}

TEST(ScaleSimConfig, MissingAndRepeatedKeysAreErrors) {
  EXPECT_EQ(error_of(changed("ArrayWidth:     128\n", "")),
            "tpu.cfg: ArrayWidth: is missing\n  add it to section [architecture_presets]");
  EXPECT_EQ(error_of(""), "tpu.cfg: run_name: is missing\n  add it to section [general]");
  EXPECT_EQ(error_of(changed("Bandwidth : 10", "arraywidth: 64")),
            "tpu.cfg:14: arraywidth: is given twice, first in line 6");
}

TEST(ScaleSimConfig, BadValuesAreErrors) {
  EXPECT_EQ(error_of(changed("256", "0")),
            "tpu.cfg:5: ArrayHeight: 0 is out of range\n  from 1 to 2147483647");
  EXPECT_EQ(error_of(changed("256", "-8")),
            "tpu.cfg:5: ArrayHeight: -8 is out of range\n  from 1 to 2147483647");
  EXPECT_EQ(error_of(changed("256", "big")), "tpu.cfg:5: ArrayHeight: \"big\" is not a whole number");
  EXPECT_EQ(error_of(changed("ws", "rs")),
            "tpu.cfg:13: Dataflow: unknown dataflow \"rs\"\n"
            "  known: os, ws, is (output, weight or input stationary)");
  EXPECT_EQ(error_of(changed("FilterOffset:   10000000", "FilterOffset:")),
            "tpu.cfg:11: FilterOffset: \"\" is not a whole number");
  EXPECT_EQ(error_of(changed("run_name = tpu", "run_name")),
            "tpu.cfg:2: \"run_name\" is neither a section nor a value\n  write key: value");
}

TEST(ScaleSimConfig, StallsAreRefusedRatherThanIgnored) {
  EXPECT_EQ(error_of(changed("CALC", "USER")),
            "tpu.cfg:18: InterfaceBandwidth: USER is not modelled: the array never waits for memory here\n"
            "  write CALC; for a memory limit, take the roofline model");
  EXPECT_NE(error_of(changed("CALC", "AUTO")).find("unknown mode \"AUTO\""), std::string::npos);
}

}  // namespace
}  // namespace overture::compute
