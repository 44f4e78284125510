#include "overture/formats/astra/workload_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "overture/base/testing.h"
#include "overture/simulation/testing.h"
#include "overture/workload/names.h"

namespace overture::formats {

using namespace workload;
namespace {

using namespace literals;
using system::CollectiveKind;

const std::string kLayer = "fc -1 10 ALLGATHER 100 20 REDUCESCATTER 200 30 ALLREDUCE 300 7";

Workload parse(const std::string& text, const AstraScales& scales = {}) {
  return parse_astra_workload(text, "workload.txt", scales);
}

std::string error_of(const std::string& text, const AstraScales& scales = {}) {
  return user_error([&] { parse(text, scales); });
}

// The same with one word of the layer's line replaced.
std::string error_with(const std::string& word, const std::string& instead) {
  std::string line = kLayer;
  line.replace(line.find(" " + word + " ") + 1, word.size(), instead);
  return error_of("DATA\n1\n" + line + "\n");
}

TEST(AstraText, ReadsALayersTwelveColumns) {
  const Workload workload = parse("DATA\n1\n" + kLayer + "\n");
  EXPECT_EQ(workload.parallelism, Parallelism::data);
  ASSERT_EQ(workload.layers.size(), 1U);
  const Layer& layer = workload.layers[0];
  EXPECT_EQ(layer.name, "fc");
  EXPECT_EQ(layer.forward.compute, 10ns);
  EXPECT_EQ(layer.forward.communication->kind, CollectiveKind::all_gather);
  EXPECT_EQ(layer.forward.communication->size, 100_B);
  EXPECT_EQ(layer.input_gradient.compute, 20ns);
  EXPECT_EQ(layer.input_gradient.communication->kind, CollectiveKind::reduce_scatter);
  EXPECT_EQ(layer.weight_gradient.compute, 30ns);
  EXPECT_EQ(layer.weight_gradient.communication->size, 300_B);
  EXPECT_EQ(layer.update, 7ns);
}

TEST(AstraText, LinesMeanNothingBetweenTokens) {
  std::string text = "DATA 1 " + kLayer;
  for (char& c : text) {
    if (c == ' ') c = '\n';
  }
  EXPECT_EQ(parse("\t\r\n" + text + "\v\f").layers[0].update, 7ns);
}

TEST(AstraText, ScalesMultiplyAndCut) {
  const Layer layer = parse("DATA 1 " + kLayer, {.compute = 0.25F, .communication = 0.125F}).layers[0];
  EXPECT_EQ(layer.forward.compute, 2ns);
  EXPECT_EQ(layer.forward.communication->size, 12_B);
  EXPECT_EQ(layer.update, 7ns) << "not scaled";
}

TEST(AstraText, TheGeneratorsThirteenthColumnIsAccepted) {
  const Workload workload = parse("DATA\n2\n" + kLayer + "\tDATA\n" + kLayer + "\tDATA\n");
  EXPECT_EQ(workload.layers.size(), 2U);
  EXPECT_EQ(workload.layers[1].name, "fc");
}

TEST(AstraText, ReadsWhatFollowsEachKeyword) {
  EXPECT_EQ(parse("HYBRID_DLRM 0 1 " + kLayer).last_bottom_layer, 0);
  EXPECT_EQ(parse("HYBRID_TRANSFORMER model_parallel_NPU_group: 4 1 " + kLayer).model_group, 4);
  const Workload workload =
      parse("HYBRID_TRANSFORMER_FWD_IN_BCKWD group: 4 checkpoints: 2 0 1 initiates: 1 2\n3\n" + kLayer +
            "\n" + kLayer + "\n" + kLayer);
  EXPECT_EQ(workload.model_group, 4);
  EXPECT_EQ(workload.checkpoints, (std::vector{0, 1}));
  EXPECT_EQ(workload.recompute_starts, (std::vector{2}));
  EXPECT_EQ(parse("HYBRID_CUSTOMIZED 1 " + kLayer + " HYBRID_MODEL_DATA").layers[0].parallelism,
            Parallelism::hybrid_model_data);
}

TEST(AstraText, WhatIsWrittenIsReadBack) {
  for (const std::string& keyword : parallelism_names()) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      SCOPED_TRACE(testing::Message() << keyword << ", seed " << seed);
      Workload workload = simulation::RandomSimulation(seed).draw(network::Contention::none).workload;
      workload.parallelism = *parse_parallelism(keyword);
      if (workload.parallelism == Parallelism::hybrid_transformer_fwd_in_bckwd &&
          workload.layers.size() > 1) {
        workload.checkpoints = {0};
        workload.recompute_starts = {static_cast<int>(workload.layers.size()) - 1};
      }
      const std::string text = write_astra_workload(workload);
      EXPECT_EQ(write_astra_workload(parse(text)), text);
      EXPECT_EQ(parse(text).layers.size(), workload.layers.size());
    }
  }
}

TEST(AstraText, WritesTabsBetweenColumnsAndTimesRoundedUp) {
  Workload workload = parse("HYBRID_CUSTOMIZED 1 " + kLayer + " MODEL");
  workload.layers[0].forward = {.compute = 1500_ps, .communication = std::nullopt};
  EXPECT_EQ(
      write_astra_workload(workload),
      "HYBRID_CUSTOMIZED\n1\nfc\t-1\t2\tNONE\t0\t20\tREDUCESCATTER\t200\t30\tALLREDUCE\t300\t7\tMODEL\n");
}

TEST(AstraText, NamesAnUnknownKeywordAndWhatItMayHaveBeen) {
  EXPECT_TRUE(error_of("HYBRID_DLMR 0 1")
                  .starts_with("workload.txt:1: unknown parallelism \"HYBRID_DLMR\"\n"
                               "  did you mean \"HYBRID_DLRM\"? known: MICRO, DATA, "));
  EXPECT_TRUE(error_with("ALLREDUCE", "ALLREDUZE")
                  .starts_with("workload.txt:3: weight gradient: unknown communication type \"ALLREDUZE\"\n"
                               "  did you mean \"ALLREDUCE\"?"));
  EXPECT_TRUE(error_with("ALLREDUCE", "ALLREDUCEALLTOALL")
                  .starts_with("workload.txt:3: weight gradient: ALLREDUCEALLTOALL cannot be run"));
  EXPECT_TRUE(error_of("HYBRID_CUSTOMIZED 1 " + kLayer + " MICRO")
                  .starts_with("workload.txt:1: fc: \"MICRO\" is not a layer's parallelism"));
}

TEST(AstraText, TellsWhereTheFileEnds) {
  const std::string hint = "\n  the file may be cut short, or its number of layers too large";
  EXPECT_EQ(error_of(""), "workload.txt:1: the file ends where the parallelism keyword should be" + hint);
  EXPECT_EQ(error_of("DATA"), "workload.txt:1: the file ends where number of layers should be" + hint);
  EXPECT_EQ(error_of("DATA\n2\n" + kLayer + "\n"),
            "workload.txt:4: the file ends where a layer's name should be" + hint);
  // Wherever it is cut short, it says so and reads nothing that is not there.
  const std::string whole = "DATA\n1\n" + kLayer + "\n";
  for (std::size_t length = 0; length + 2 < whole.size(); ++length) {
    EXPECT_NE(error_of(whole.substr(0, length)), "") << length;
  }
}

TEST(AstraText, TellsWhatIsTooMuch) {
  EXPECT_EQ(
      error_of("DATA\n1\n" + kLayer + "\n" + kLayer),
      "workload.txt:4: there is text after the last of 1 layers\n  the number of layers may be too small");
  EXPECT_EQ(error_of("DATA\n1\n" + kLayer + " 8\n"), "workload.txt:3: fc: \"8\" is one column too many");
}

TEST(AstraText, RefusesNumbersThatAreNone) {
  EXPECT_EQ(error_with("10", "-10"), "workload.txt:3: forward compute time: -10 is less than 0");
  EXPECT_EQ(error_with("200", "-200"),
            "workload.txt:3: input gradient communication size: -200 is less than 0");
  EXPECT_EQ(error_with("30", "30.5"),
            "workload.txt:3: weight gradient compute time: \"30.5\" is not a whole number");
  EXPECT_EQ(error_with("30", "x30"),
            "workload.txt:3: weight gradient compute time: \"x30\" is not a whole number");
  EXPECT_EQ(
      error_with("300", "99999999999999999999"),
      "workload.txt:3: weight gradient communication size: \"99999999999999999999\" is not a whole number");
  EXPECT_EQ(error_with("300", "9007199254740993"),
            "workload.txt:3: weight gradient communication size: 9007199254740993 is too large");
  EXPECT_EQ(error_of("DATA 0 " + kLayer), "workload.txt:1: number of layers: 0 is less than 1");
  EXPECT_EQ(error_of("HYBRID_TRANSFORMER group: 0 1 " + kLayer),
            "workload.txt:1: model-parallel group: 0 is less than 1");
  EXPECT_EQ(error_of("HYBRID_DLRM 4294967296 1 " + kLayer),
            "workload.txt:1: last bottom layer: 4294967296 is too large");
}

TEST(AstraText, RefusesACollectiveOfNothing) {
  EXPECT_EQ(error_with("100", "0"),
            "workload.txt:3: forward: a communication of 0 bytes\n  write NONE where there is none");
  EXPECT_NE(error_of("DATA 1 " + kLayer, {.communication = 0.001F}), "");
  EXPECT_NE(error_of("DATA 1 " + kLayer, {.communication = 1e20F}), "");
}

TEST(AstraText, RefusesLayersThatDoNotExist) {
  EXPECT_EQ(error_of("HYBRID_DLRM 1 1 " + kLayer),
            "workload.txt: last bottom layer 1 does not exist\n  layers are 0 to 0");
  const auto recomputing = [](const std::string& lists) {
    return error_of("HYBRID_TRANSFORMER_FWD_IN_BCKWD group: 1 " + lists + " 2 " + kLayer + "\n" + kLayer);
  };
  EXPECT_EQ(recomputing("c: 1 0 i: 1 1"), "");
  EXPECT_EQ(recomputing("c: 1 2 i: 0"),
            "workload.txt: checkpoint layer 2 does not exist\n  layers are 0 to 1");
  EXPECT_EQ(recomputing("c: 1 0 i: 1 2"),
            "workload.txt: recomputing layer 2 does not exist\n  layers are 0 to 1");
  EXPECT_EQ(recomputing("c: 2 0 1 i: 1 1"),
            "workload.txt: layer 1 is a checkpoint and has nothing to recompute");
  EXPECT_EQ(recomputing("c: 1 1 i: 1 0"),
            "workload.txt: layer 0 recomputes, but there is no checkpoint before it");
}

// SimAI's header and types, with groups of one; others would change who talks to whom.
TEST(AstraText, ReadsSimAiWithoutGroups) {
  const std::string head =
      "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: {} pp: 1 vpp: 1 ga: 1 all_gpus: 64 ";
  const std::string rest =
      "checkpoints: 0 checkpoint_initiates: 0 pp_comm: 0\n1\nmlp -1 10 ALLREDUCE 64 5 NONE 0 5 "
      "REDUCESCATTER_DP_EP 32 1\n";
  const Workload workload = parse_astra_workload(fmt::format(fmt::runtime(head), 1) + rest, "w.txt");
  EXPECT_EQ(workload.model_group, 8);
  EXPECT_EQ(workload.layers[0].weight_gradient.communication->kind, CollectiveKind::reduce_scatter);
  EXPECT_THROW(parse_astra_workload(fmt::format(fmt::runtime(head), 4) + rest, "w.txt"), UserError);
}

TEST(Names, AreReadAsTheyAreWritten) {
  for (const std::string& name : parallelism_names()) EXPECT_EQ(astra_name(*parse_parallelism(name)), name);
  for (const auto kind : {CollectiveKind::all_reduce, CollectiveKind::all_to_all, CollectiveKind::all_gather,
                          CollectiveKind::reduce_scatter}) {
    EXPECT_EQ(parse_collective(astra_name(kind)), kind);
  }
  EXPECT_FALSE(parse_parallelism("data"));
  EXPECT_FALSE(parse_collective("NONE"));
}

}  // namespace
}  // namespace overture::formats
