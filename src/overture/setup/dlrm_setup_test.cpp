#include "overture/setup/dlrm_setup.h"

#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "overture/base/testing.h"
#include "overture/setup/setup.h"

namespace overture::setup {
namespace {

using namespace literals;

const std::string kNetwork = "network: {dimensions: [{kind: switch, size: 16, bandwidth: 100 Gbps}]}\n";
const std::string kDlrm = R"(workload:
  dlrm:
    dense_features: 13
    bottom: {widths: [512, 64]}
    top: {depth: 3, width: 256}
    tables: {count: 26, rows: 1000, columns: 64, pooling: 2}
    batch: 4096
)";

std::string with(const std::string& what, const std::string& instead) {
  std::string text = kNetwork + kDlrm;
  return text.replace(text.find(what), what.size(), instead);
}

std::string error_of(const std::string& yaml) {
  return user_error([&] { parse_setup(yaml, "a.yaml"); });
}

TEST(DlrmSetup, MakesTheLayersOfAModel) {
  const auto setup = parse_setup(kNetwork + kDlrm, "a.yaml");
  const workload::DlrmTraining training = make_training(*setup.dlrm, "a.yaml");
  EXPECT_EQ(training.model.bottom[0].inputs, 13);
  EXPECT_EQ(training.model.top[0].inputs, 64 + 27 * 26 / 2);
  EXPECT_EQ(training.model.top.size(), 3U);
  EXPECT_EQ(training.model.top.back().outputs, 1);
  EXPECT_EQ(training.model.tables.size(), 26U);
  // Tables, two layers, interaction, three layers.
  EXPECT_EQ(setup.simulation.workload.layers.size(), 7U);
  EXPECT_EQ(setup.simulation.workload.parallelism, workload::Parallelism::dlrm);
}

TEST(DlrmSetup, WhatIsWrittenReadsBackTheSame) {
  const auto setup =
      parse_setup(kNetwork + kDlrm, "a.yaml",
                  {"workload.dlrm.compute=roofline:60 TFLOPS,1 TB/s", "workload.dlrm.precision.rows=fp16"});
  const std::string written = write_setup(setup);
  EXPECT_NE(written.find("dlrm:"), std::string::npos) << written;
  EXPECT_EQ(written.find("layers:"), std::string::npos) << written;
  EXPECT_EQ(write_setup(parse_setup(written, "a.yaml")), written);
}

TEST(DlrmSetup, TablesMayBeAList) {
  const auto setup =
      parse_setup(with("{count: 26, rows: 1000, columns: 64, pooling: 2}",
                       "{list: [{count: 2, rows: 10, columns: 64}, {rows: 2000, columns: 64, pooling: 3}]}"),
                  "a.yaml");
  const auto tables = make_training(*setup.dlrm, "a.yaml").model.tables;
  ASSERT_EQ(tables.size(), 3U);
  EXPECT_EQ(tables[1].rows, 10);
  EXPECT_EQ(tables[2].bag, 3);
}

std::string layers_of(const model::Dlrm& model) {
  std::string text;
  for (const auto* layers : {&model.bottom, &model.top}) {
    for (const auto& layer : *layers) text += fmt::format("{}->{} ", layer.inputs, layer.outputs);
  }
  for (const auto& table : model.tables)
    text += fmt::format("{}x{}*{} ", table.rows, table.columns, table.bag);
  return text;
}

model::Dlrm example(const std::string& name) {
  const auto setup = load_setup(std::filesystem::path(OVERTURE_EXAMPLES) / name);
  return make_training(*setup.dlrm, setup.file).model;
}

TEST(DlrmSetup, TheExamplesAreTheModelsOfTheOperaStudy) {
  EXPECT_EQ(layers_of(example("model-a.yaml")), layers_of(make_dlrm(model::model_a())));
  EXPECT_EQ(layers_of(example("model-i.yaml")), layers_of(make_dlrm(model::model_i())));
}

TEST(DlrmSetup, TheHotiExampleHasTheParametersOfTheStudy) {
  const model::Dlrm model = example("hoti20-dlrm.yaml");
  EXPECT_EQ(model.dense_gradients(), Bytes{106'565'632});
  EXPECT_EQ(model.interacted(), 2144);
  for (const std::string name : {"rm1.yaml", "rm2.yaml", "rm3.yaml"})
    EXPECT_FALSE(example(name).tables.empty());
}

TEST(DlrmSetup, ErrorsNameTheKeyAndWhatWouldWork) {
  const auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(error_of(with("    batch: 4096\n", "")), "workload.dlrm.batch: is missing");
  has(error_of(with("batch: 4096", "batch: 8")), "a batch of 8 is too small for 16 ranks");
  has(error_of(with("widths: [512, 64]", "widths: [512, 32]")), "vectors of one length");
  has(error_of(with("widths: [512, 64]", "widths: [512, 64], depth: 2")), "both widths and a depth");
  has(error_of(with("rows: 1000", "rows: 1000000000")), "but a node has 74.51 GiB");
  has(error_of(with("batch: 4096", "batch: 4096\n    place: [0, 1]")), "2 places for 26 tables");
  has(error_of(with("batch: 4096", "batch: 4096\n    compute: roofline:60 TFLOPS")), "gather: is missing");
  has(error_of(with("batch: 4096", "batch: 4096\n    compute: rooflin:60 TFLOPS")),
      "did you mean \"roofline\"");
  has(error_of(with("batch: 4096", "batch: 4096\n    sharding: diagonal")), "unknown value \"diagonal\"");
  has(error_of(with("tables: {count: 26, rows: 1000, columns: 64, pooling: 2}", "tables: {}")),
      "tables: is missing");
  has(error_of(kNetwork + kDlrm + "  layers: [{name: a}]\n"),
      "more than one of file, tasks, chakra, dlrm, recording and layers");
}

}  // namespace
}  // namespace overture::setup
