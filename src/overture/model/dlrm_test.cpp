#include "overture/model/dlrm.h"

#include <algorithm>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "overture/base/csv.h"
#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/model/dlrm_compute.h"
#include "overture/model/placement.h"
#include "overture/model/published.h"

namespace overture::model {
namespace {

using namespace literals;

CsvTable golden(const std::string& name) {
  const std::filesystem::path path = std::filesystem::path(OVERTURE_GOLDEN) / "opera-dlrm" / name;
  return parse_csv(read_file(path), name, "a header");
}

// Columns of model_layers.csv from the right, since a name in it has commas.
std::int64_t from_right(const CsvRow& row, std::size_t column) {
  return std::stoll(row.cells[row.cells.size() - 1 - column]);
}

TEST(Dlrm, ModelsHaveThePublishedLayers) {
  const CsvTable table = golden("model_layers.csv");
  ASSERT_EQ(table.rows.size(), 24U);
  for (const CsvRow& row : table.rows) {
    DlrmShape shape = published_model(row.cells[0]);
    shape.columns = std::stoll(row.cells[1]);
    const Dlrm model = make_dlrm(shape);
    const std::int64_t count = from_right(row, 0);
    const std::int64_t bias = from_right(row, 1);
    const std::int64_t kernel = from_right(row, 2);
    const std::int64_t outputs = from_right(row, 3);
    const std::int64_t inputs = from_right(row, 4);
    const auto same = [&](const DenseLayer& layer) {
      return layer.inputs == inputs && layer.outputs == outputs &&
             Bytes{4 * layer.kernel()} == Bytes{kernel} && Bytes{4 * layer.bias()} == Bytes{bias};
    };
    if (row.cells[3].starts_with("bottom")) {
      EXPECT_EQ(std::ranges::count_if(model.bottom, same), count);
      EXPECT_EQ(model.bottom.size(), static_cast<std::size_t>(count));
    } else if (row.cells[3].starts_with("top")) {
      EXPECT_EQ(std::ranges::count_if(model.top, same), count);
    } else if (row.cells[3].starts_with("concat")) {
      EXPECT_EQ(model.interacted(), inputs);
    } else {
      EXPECT_EQ(model.tables.size(), static_cast<std::size_t>(count));
      EXPECT_EQ(model.tables[0].rows, inputs);
      EXPECT_EQ(model.tables[0].columns, outputs);
      EXPECT_EQ(model.tables[0].size(), Bytes{kernel});
    }
  }
}

TEST(Dlrm, TheMatrixIsThePublishedOne) {
  const CsvTable table = golden("experiment_matrix.csv");
  std::size_t row = 0;
  for (const PublishedVariant& variant : published_variants()) {
    for (const int nodes : published_nodes()) {
      ASSERT_LT(row, table.rows.size());
      const std::vector<std::string>& cells = table.rows[row++].cells;
      const PublishedNetworks networks = published_networks(nodes);
      EXPECT_EQ(cells[0], variant.model);
      EXPECT_EQ(std::stoll(cells[1]), variant.batch);
      EXPECT_EQ(std::stoll(cells[2]), variant.columns);
      EXPECT_EQ(std::stoi(cells[3]), nodes);
      EXPECT_EQ(std::stoi(cells[4]), networks.tors);
      EXPECT_EQ(std::stoi(cells[5]), networks.hosts_per_tor);
      EXPECT_EQ(std::stoi(cells[6]), networks.uplinks);
      EXPECT_EQ(std::stoi(cells[7]), networks.fat_tree_k);
    }
  }
  EXPECT_EQ(row, table.rows.size());
}

TEST(Dlrm, VariantsAreNamedAsPublished) {
  for (const CsvRow& row : golden("iteration_times.csv").rows) {
    EXPECT_TRUE(std::ranges::any_of(published_variants(), [&](const PublishedVariant& v) {
      return v.model == row.cells[0] && v.variant == row.cells[1] && v.batch == std::stoll(row.cells[2]) &&
             v.columns == std::stoll(row.cells[3]);
    })) << row.line;
  }
}

TEST(Dlrm, RefusesAModelOfNothing) {
  DlrmShape shape = model_a();
  shape.tables = 0;
  EXPECT_THROW(make_dlrm(shape), UserError);
  shape = model_a();
  shape.top_layers = 0;
  EXPECT_THROW(make_dlrm(shape), UserError);
  EXPECT_THROW(published_model("B"), UserError);
  EXPECT_THROW(published_networks(64), UserError);
}

TEST(Placement, RoundRobinGivesEveryNodeItsTurn) {
  const std::vector<EmbeddingTable> tables(7, {.rows = 10, .columns = 4});
  EXPECT_EQ(place_tables(tables, 3, PlacementRule::round_robin), (Placement{0, 1, 2, 0, 1, 2, 0}));
  EXPECT_EQ(tables_per_node(place_tables(tables, 3, PlacementRule::round_robin), 3),
            (std::vector<int>{3, 2, 2}));
}

TEST(Placement, SizeBalancedPutsTheLargestFirst) {
  std::vector<EmbeddingTable> tables;
  for (const std::int64_t rows : {1, 2, 3, 4, 5, 6}) tables.push_back({.rows = rows, .columns = 1});
  const Placement placement = place_tables(tables, 3, PlacementRule::size_balanced);
  EXPECT_EQ(placement, (Placement{0, 1, 2, 2, 1, 0}));
  EXPECT_EQ(bytes_per_node(tables, placement, 3), (std::vector<Bytes>{28_B, 28_B, 28_B}));
}

TEST(Placement, SaysWhenTablesDoNotFit) {
  const std::vector<EmbeddingTable> tables(3, {.rows = 10, .columns = 1});
  const Placement placement = place_tables(tables, 2, PlacementRule::round_robin);
  EXPECT_NO_THROW(require_fit(tables, placement, 2, 80_B));
  EXPECT_THROW(require_fit(tables, placement, 2, 79_B), UserError);
}

TEST(DlrmCompute, TimesFollowTheFits) {
  const DlrmCalibration calibration;
  // 2 * 4096 * 3375^2 operations at 17.5 TFLOPS.
  EXPECT_EQ(dense_time(calibration, {.inputs = 3375, .outputs = 3375}, 4096), Duration{5'332'114'286});
  EXPECT_EQ(dense_time(calibration, {.inputs = 10, .outputs = 10}, 1), Duration{20us});
  EXPECT_EQ(concat_time(calibration, 83'375, 4096),
            transfer_time(Bytes{8LL * 83'375 * 4096}, calibration.concat_rate));
  EXPECT_EQ(concat_time(calibration, 10, 1), Duration{500us});
  EXPECT_EQ(fitted_embedding_time(calibration, 1'048'576).backward, Duration{660ms});
}

TEST(DlrmCompute, ACalibrationFileReplacesWhatItNames) {
  const DlrmCalibration read =
      parse_calibration("name,value\nembedding_backward,440 ms\ndense_rate,35 TFLOPS\n", "x.csv");
  EXPECT_EQ(read.embedding_backward, Duration{440ms});
  EXPECT_EQ(read.dense_rate.per_second(), 35'000'000'000'000);
  EXPECT_EQ(read.embedding_forward, Duration{100ms});
}

TEST(DlrmCompute, SaysWhatIsWrongInACalibrationFile) {
  EXPECT_THROW(parse_calibration("", "x.csv"), UserError);
  EXPECT_THROW(parse_calibration("a,b\n", "x.csv"), UserError);
  EXPECT_THROW(parse_calibration("name,value\nembeding_forward,1 ms\n", "x.csv"), UserError);
  EXPECT_THROW(parse_calibration("name,value\nembedding_forward,1\n", "x.csv"), UserError);
  EXPECT_THROW(parse_calibration("name,value\nembedding_forward\n", "x.csv"), UserError);
  EXPECT_THROW(parse_calibration("name,value\ngather_rate,0 GB/s\n", "x.csv"), UserError);
  EXPECT_THROW(parse_calibration("name,value\ndense_floor,1 ms\ndense_floor,2 ms\n", "x.csv"), UserError);
}

}  // namespace
}  // namespace overture::model
