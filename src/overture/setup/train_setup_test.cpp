#include "overture/setup/train_setup.h"

#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/base/testing.h"
#include "overture/base/testing_folder.h"

namespace overture::setup {
namespace {

const std::string kSmall = "data: {synthetic: kaggle, scale: 0.0001}\ntables: {dim: 8}\n";

TEST(TrainSetup, FillsInWhatFollowsFromTheData) {
  const TrainSetup setup = parse_train_setup(kSmall, "a.yaml");
  const auto data = open_train_data(setup, data::Part::train);
  const train::TrainConfig config = make_train_config(setup, data->shape());
  EXPECT_EQ(config.tables.tables.size(), 26u);
  EXPECT_EQ(config.tables.tables[2].rows, 1013);
  EXPECT_EQ(std::get<train::DlrmConfig>(config.model).bottom, (std::vector{13, 512, 256, 64, 8}));
  EXPECT_EQ(config.cache.cleanup_interval, 1);
}

TEST(TrainSetup, WritesWhatItReads) {
  const TrainSetup setup = parse_train_setup(
      kSmall +
          "optimizer: {kind: adam, learning_rate: 0.002}\ncache: {lookahead: 40, cleanup_proportion: 0.25}\n"
          "link: {rate: 10 Gbps, delay: 50 us}\nmodel: {mlp_top: 64-1, interaction: cat}\n",
      "a.yaml");
  const std::string text = write_train_setup(setup);
  EXPECT_EQ(write_train_setup(parse_train_setup(text, "b.yaml")), text);
  const auto data = open_train_data(setup, data::Part::test);
  EXPECT_EQ(make_train_config(setup, data->shape()).cache.cleanup_interval, 10);
}

// Three tables of 1460, 583 and so on rows: the first and the last of 26 are placed alone.
const std::string kPlan =
    "plan: [{sharding: column_wise, ranks: [2, 0]}, {count: 24, sharding: row_wise}, {ranks: [1]}]";

TEST(TrainSetup, APlanPlacesEveryTable) {
  const TrainSetup setup = parse_train_setup(
      "data: {synthetic: kaggle, scale: 0.0001}\nservers: 3\ntables: {dim: 8, " + kPlan + "}\n", "a.yaml");
  const auto shape = open_train_data(setup, data::Part::train)->shape();
  const embedding::Division division = make_train_config(setup, shape).division;
  ASSERT_EQ(division.plan.size(), 26U);
  EXPECT_EQ(division.plan[0], (model::TablePlace{model::TableSharding::column_wise, {2, 0}}));
  EXPECT_EQ(division.plan[24], (model::TablePlace{model::TableSharding::row_wise, {}}));
  EXPECT_EQ(division.plan[25], (model::TablePlace{model::TableSharding::table_wise, {1}}));
  const TrainSetup again = parse_train_setup(write_train_setup(setup), "");
  EXPECT_EQ(make_train_config(again, shape).division, division) << "as other processes are told";
}

TEST(TrainSetup, APlanIsReadFromThePlannedSetupBesideTheFile) {
  const TestFolder folder;
  folder.write("planned.yaml", "name: x\nworkload: {dlrm: {" + kPlan + "}}\n");
  const std::string text =
      "data: {synthetic: kaggle, scale: 0.0001}\nservers: 3\ntables: {plan: planned.yaml}\n";
  const TrainSetup setup = parse_train_setup(text, (folder / "train.yaml").string());
  EXPECT_EQ(setup.tables.plan.size(), 3U);
  EXPECT_EQ(setup.tables.plan[1].count, 24);
  folder.write("planned.yaml", "name: x\n");
  const std::string error = user_error([&] { parse_train_setup(text, (folder / "train.yaml").string()); });
  EXPECT_TRUE(
      error.ends_with("planned.yaml: workload.dlrm.plan: is missing, or no list\n  name planned.yaml, "
                      "which `overture plan MODEL --for train` writes"))
      << error;
}

TEST(TrainSetup, MistakesNameTheKey) {
  const auto error = [](const std::string& text) -> std::string {
    try {
      const TrainSetup setup = parse_train_setup(text, "a.yaml");
      make_train_config(setup, open_train_data(setup, data::Part::train)->shape());
    } catch (const UserError& e) {
      return e.what();
    }
    return "none";
  };
  EXPECT_NE(error("name: x\n").find("data"), std::string::npos);
  EXPECT_NE(error(kSmall + "batch_size: 0\n").find("batch_size"), std::string::npos);
  EXPECT_NE(error(kSmall + "modle: {}\n").find("model"), std::string::npos);
  EXPECT_NE(error(kSmall + "model: {kind: dlmr}\n").find("dlrm"), std::string::npos);
  EXPECT_NE(error(kSmall + "model: {mlp_top: 5-x}\n").find("mlp_top"), std::string::npos);
  EXPECT_NE(error(kSmall + "model: {mlp_bottom: 12-8}\n").find("13 dense features"), std::string::npos);
  EXPECT_NE(error(kSmall + "tables: {rows: 5-6}\n").find("duplicate key"), std::string::npos);
  EXPECT_NE(error("data: {synthetic: kaggle}\ntables: {rows: 5-6}\n").find("names 2 tables"),
            std::string::npos);
  EXPECT_NE(error(kSmall + "optimizer: {kind: adma}\n").find("adam"), std::string::npos);
  EXPECT_NE(error(kSmall + "cache: {lookahead: 3, prefetch_depth: 4}\n").find("prefetch_depth"),
            std::string::npos);
  EXPECT_NE(
      error("data: {synthetic: kaggle, test_every: 1}\n").find("data.test_every: 1 holds every sample out"),
      std::string::npos);
  EXPECT_NE(error("data: {synthetic: kaggle, scale: 0}\n").find("data.scale: 0 is not above 0"),
            std::string::npos);
  EXPECT_NE(error(kSmall + "cache: {lookahead: 0}\ntrainers: 2\n").find("trainers"), std::string::npos);
}

TEST(TrainSetup, AGroupOfNothingButDefaultsSurvivesWriting) {
  const TrainSetup setup =
      parse_train_setup("data: {synthetic: kaggle}\ntable_optimizer: {kind: sgd, learning_rate: 0.01}", "");
  EXPECT_TRUE(parse_train_setup(write_train_setup(setup), "").table_optimizer.has_value());
}

}  // namespace
}  // namespace overture::setup
