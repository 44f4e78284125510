#include "overture/setup/dlrm_setup.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "overture/base/csv.h"
#include "overture/base/files.h"
#include "overture/setup/machine_file.h"

namespace overture::setup {
namespace {

// A mistake of 2^40 rows is one of a unit.
constexpr std::int64_t kLargest = std::int64_t{1} << 40;
constexpr int kMostTables = 1'000'000;
constexpr int kMostLayers = 10'000;

class Converter {
 public:
  Converter(const DlrmSetup& dlrm, const std::string& setup) : dlrm_(dlrm), file_(setup) {}

  workload::DlrmTraining convert() {
    workload::DlrmTraining training{.model = model(), .batch = number("batch", dlrm_.batch)};
    require("gpus_per_node", dlrm_.gpus_per_node >= 1 && dlrm_.gpus_per_node <= 1024,
            "must be from 1 to 1024");
    require("between_gpus", dlrm_.between_gpus > Bandwidth{}, "is more than zero");
    require("table_backward", dlrm_.table_backward >= 0 && dlrm_.table_backward <= 1000,
            "must be from 0 to 1000 forward passes");
    training.gpus_per_node = dlrm_.gpus_per_node;
    training.sharding = dlrm_.sharding;
    training.placement = dlrm_.placement;
    training.given = dlrm_.place;
    require("place", dlrm_.place.empty() || dlrm_.sharding == workload::TableSharding::table_wise,
            "needs sharding: table_wise");
    training.plan = plan(training.model.tables.size());
    training.dense = dlrm_.dense;
    training.between_gpus = dlrm_.between_gpus;
    training.memory_per_gpu = dlrm_.memory;
    training.compute = {.by = compute(), .table_backward = dlrm_.table_backward};
    return training;
  }

 private:
  [[noreturn]] void fail(const std::string& key, const std::string& what,
                         const std::string& hint = {}) const {
    throw UserError({.file = file_, .key = "workload.dlrm." + key}, what, hint);
  }
  void require(const std::string& key, bool holds, const std::string& what) const {
    if (!holds) fail(key, what);
  }
  std::int64_t number(const std::string& key, std::uint64_t value) const {
    if (value < 1 || value > static_cast<std::uint64_t>(kLargest))
      fail(key, value == 0 ? "is missing, or 0" : fmt::format("{} is too large", value));
    return static_cast<std::int64_t>(value);
  }
  std::filesystem::path folder() const { return std::filesystem::path(file_).parent_path(); }

  model::Dlrm model() const {
    model::Dlrm model{.name = "DLRM"};
    model.interaction = dlrm_.interaction;
    model.weights = dlrm_.weights;
    model.gradients = dlrm_.gradients;
    model.biases = dlrm_.biases;
    const std::vector<int> bottom = widths("bottom", dlrm_.bottom, false);
    if (bottom.empty() && dlrm_.dense_features > 0)
      fail("bottom", "is missing, and there are dense features", "write bottom: {widths: [512, 64]}");
    if (!bottom.empty())
      number("dense_features", static_cast<std::uint64_t>(std::max(dlrm_.dense_features, 0)));
    model.bottom = chain(dlrm_.dense_features, bottom);
    model.tables = tables();
    for (model::EmbeddingTable& table : model.tables) add_kept(table);
    const std::vector<int> top = widths("top", dlrm_.top, true);
    if (top.empty()) fail("top", "is missing", "write top: {widths: [512, 1]} or {depth: 3, width: 512}");
    model.top = chain(model.interacted(), top);
    try {
      require_sound(model);
    } catch (const UserError& error) {
      throw at({.file = file_, .key = "workload.dlrm"}, error);
    }
    return model;
  }

  model::TablePlan plan(std::size_t tables) const {
    require("plan", dlrm_.plan.empty() || dlrm_.place.empty(),
            "cannot be combined with place; keep one of them");
    return plan_of(dlrm_.plan, tables, {.file = file_, .key = "workload.dlrm.plan"});
  }

  std::vector<int> widths(const std::string& key, const MlpSetup& mlp, bool ends_in_one) const {
    if (!mlp.widths.empty() && mlp.depth != 0)
      fail(key, "has both widths and a depth", "keep one of the two");
    std::vector<int> widths = mlp.widths;
    if (mlp.depth != 0) {
      if (mlp.depth < 1 || mlp.depth > kMostLayers) fail(key + ".depth", "must be from 1 to 10000");
      widths.assign(static_cast<std::size_t>(mlp.depth), mlp.width);
      if (ends_in_one) widths.back() = 1;
    }
    for (const int width : widths) {
      if (width < 1) fail(key, fmt::format("{} outputs of a layer; at least 1", width));
    }
    return widths;
  }

  static std::vector<model::DenseLayer> chain(std::int64_t inputs, const std::vector<int>& widths) {
    std::vector<model::DenseLayer> layers;
    for (const int width : widths) {
      layers.push_back({.inputs = inputs, .outputs = width});
      inputs = width;
    }
    return layers;
  }

  std::vector<model::EmbeddingTable> tables() const {
    const int ways = (dlrm_.equal.count != 0 ? 1 : 0) + (dlrm_.table_list.empty() ? 0 : 1) +
                     (dlrm_.table_file.empty() ? 0 : 1);
    if (ways == 0) fail("tables", "is missing", "write tables: {count: 64, rows: 1000000, columns: 64}");
    if (ways > 1) fail("tables", "has more than one of count, list and file", "keep one of them");
    std::vector<model::EmbeddingTable> tables;
    if (dlrm_.equal.count != 0) add(tables, dlrm_.equal, "tables");
    for (std::size_t i = 0; i < dlrm_.table_list.size(); ++i)
      add(tables, dlrm_.table_list[i], fmt::format("tables.list.{}", i));
    if (!dlrm_.table_file.empty()) add_file(tables);
    return tables;
  }

  // As much as the trainer's optimizers keep of a row of no columns, and more for one column.
  void add_kept(model::EmbeddingTable& table) const {
    table.kept_of_row = embedding::row_layout(dlrm_.optimizer, 0).state;
    table.kept_of_column = embedding::row_layout(dlrm_.optimizer, 1).state - table.kept_of_row;
  }

  void add(std::vector<model::EmbeddingTable>& tables, const TablesSetup& alike,
           const std::string& key) const {
    if (alike.count < 1 || alike.count > kMostTables) fail(key + ".count", "must be from 1 to 1000000");
    if (alike.columns < 1) fail(key + ".columns", alike.columns == 0 ? "is missing" : "must be at least 1");
    if (alike.pooling < 1) fail(key + ".pooling", "must be at least 1");
    tables.insert(tables.end(), static_cast<std::size_t>(alike.count),
                  {.rows = number(key + ".rows", alike.rows),
                   .columns = alike.columns,
                   .bag = alike.pooling,
                   .number = dlrm_.rows});
  }

  void add_file(std::vector<model::EmbeddingTable>& tables) const {
    const std::filesystem::path path = folder() / dlrm_.table_file;
    if (!std::filesystem::exists(path))
      fail("tables.file", fmt::format("there is no file \"{}\"", path.string()));
    const CsvTable table = parse_csv(read_file(path), path.string(), "rows,columns,pooling");
    if (table.header.cells != std::vector<std::string>{"rows", "columns", "pooling"})
      throw UserError(table.where(table.header), "the first line is rows,columns,pooling");
    for (const CsvRow& row : table.rows) {
      if (row.cells.size() != 3) throw UserError(table.where(row), "a line has three numbers");
      const auto cell = [&](std::size_t i, std::int64_t most) {
        return whole_number(row.cells[i], table.where(row, table.header.cells[i]), 1, most);
      };
      tables.push_back({.rows = cell(0, kLargest),
                        .columns = cell(1, 1 << 20),
                        .bag = static_cast<int>(cell(2, 1 << 20)),
                        .number = dlrm_.rows});
    }
    if (tables.empty()) throw UserError({.file = path.string()}, "has no tables");
  }

  model::DlrmComputeModel compute() const {
    constexpr std::string_view kFits = "a100";
    constexpr std::string_view kMachine = "machine:";
    const std::string& text = dlrm_.compute;
    if (text == kFits) return model::DlrmCalibration{};
    if (text.starts_with("a100:")) return model::read_calibration(folder() / text.substr(kFits.size() + 1));
    if (text.starts_with(kMachine)) return read_machine(folder() / text.substr(kMachine.size()));
    model::ProductsAndMemory machine{.products = parse(text), .memory = dlrm_.gather};
    const auto* roofline = std::get_if<compute::Roofline>(&machine.products);
    if (machine.memory == Bandwidth{} && roofline != nullptr) machine.memory = roofline->memory;
    if (machine.memory == Bandwidth{})
      fail("gather", "is missing; compute gives no rate for reading tables", "write gather: 900 GB/s");
    return machine;
  }

  compute::ComputeModel parse(const std::string& text) const {
    try {
      return compute::parse_compute_model(text, folder());
    } catch (const UserError& error) {
      throw at({.file = file_, .key = "workload.dlrm"}, error);
    }
  }

  const DlrmSetup& dlrm_;
  const std::string& file_;
};

}  // namespace

workload::DlrmTraining make_training(const DlrmSetup& dlrm, const std::string& setup) {
  return Converter(dlrm, setup).convert();
}

}  // namespace overture::setup
