#include "overture/workload/generator.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "overture/base/check.h"
#include "overture/base/csv.h"
#include "overture/base/files.h"
#include "overture/workload/names.h"

namespace overture::workload {
namespace {

using compute::Gemm;
using system::CollectiveKind;

constexpr std::string_view kHeader = "Layer,m,n,k or Layer,m,n,k,CustomizedParallelization";

constexpr std::array kStrategies{Parallelism::data, Parallelism::model, Parallelism::hybrid_data_model,
                                 Parallelism::hybrid_model_data, Parallelism::hybrid_customized};

bool known(Parallelism strategy) {
  return std::find(kStrategies.begin(), kStrategies.end(), strategy) != kStrategies.end();
}

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const Parallelism strategy : kStrategies) names.emplace_back(astra_name(strategy));
  return names;
}

std::string in_case(std::string_view text, int (*change)(int)) {
  std::string changed(text);
  std::transform(changed.begin(), changed.end(), changed.begin(),
                 [change](unsigned char c) { return static_cast<char>(change(c)); });
  return changed;
}

bool has_strategy_column(const CsvTable& table) {
  std::vector<std::string> titles;
  for (const std::string& title : table.header.cells) titles.push_back(in_case(title, std::tolower));
  const std::vector<std::string> plain{"layer", "m", "n", "k"};
  std::vector<std::string> customized = plain;
  customized.emplace_back("customizedparallelization");
  if (titles != plain && titles != customized) {
    throw UserError(table.where(table.header), "not the header of an M,N,K table",
                    fmt::format("the first line is {}", kHeader));
  }
  return titles == customized;
}

std::string layer_name(const CsvTable& table, const CsvRow& row) {
  const std::string& name = row.cells[0];
  // Workload files separate words by blanks.
  if (name.empty() || name.find_first_of(" \t") != std::string::npos) {
    throw UserError(table.where(row, "Layer"), fmt::format("\"{}\" is not a name", name),
                    "a name is a word without blanks, such as MLP_Top_0");
  }
  return name;
}

MnkLayer mnk_layer(const CsvTable& table, const CsvRow& row, bool strategy_column) {
  const std::size_t most = strategy_column ? 5 : 4;
  if (row.cells.size() < 4 || row.cells.size() > most) {
    throw UserError(table.where(row), fmt::format("{} columns instead of {}", row.cells.size(), most),
                    fmt::format("columns: {}", fmt::join(table.header.cells, ",")));
  }
  const auto side = [&](std::size_t column) {
    return whole_number(row.cells[column], table.where(row, table.header.cells[column]), 1,
                        compute::kLargestSide);
  };
  MnkLayer layer{
      .name = layer_name(table, row), .m = side(1), .n = side(2), .k = side(3), .where = table.where(row)};
  if (row.cells.size() == 5) {
    const Where where = table.where(row, table.header.cells[4]);
    layer.parallelism = parse_strategy(row.cells[4], where);
    if (!allowed_per_layer(*layer.parallelism)) {
      throw UserError(where, "a layer has one of the other strategies",
                      "DATA, MODEL, HYBRID_DATA_MODEL or HYBRID_MODEL_DATA");
    }
  }
  return layer;
}

// Into how many parts a strategy cuts the batch and the layer's outputs. Everything else follows from these.
struct Division {
  int batch;
  int outputs;
};

Division division(Parallelism strategy, int npus, int packages) {
  check(npus >= 1 && packages >= 1 && npus % packages == 0,
        "packages divide the NPUs once options are valid");
  const int per_package = npus / packages;
  switch (strategy) {
    case Parallelism::data: return {npus, 1};
    case Parallelism::model: return {1, npus};
    case Parallelism::hybrid_data_model: return {packages, per_package};
    case Parallelism::hybrid_model_data: return {per_package, packages};
    default: break;
  }
  check(false, "a layer is divided by one of the four plain strategies");
  return {};
}

std::int64_t part(std::int64_t whole, int parts) { return (whole + parts - 1) / parts; }

// Every pass communicates what its GEMM gave: a part of the outputs to gather, partial sums of the input
// gradient to add up and scatter, partial sums of the weight gradient to add up.
Bytes result_size(const Gemm& gemm, Bytes element, const Where& where) {
  const Int128 size = Int128{gemm.rows} * gemm.columns * element.count();
  if (size > std::numeric_limits<std::int64_t>::max()) {
    throw UserError(where, fmt::format("the result of a GEMM of {} is too large to count", to_string(gemm)));
  }
  return Bytes{static_cast<std::int64_t>(size)};
}

Duration compute_time(const Gemm& gemm, const GeneratorOptions& options, const Where& where) {
  try {
    return compute::time(options.compute, gemm, options.element);
  } catch (const UserError& too_long) {
    throw UserError(where, too_long.what());  // a model does not know which line it is asked for
  }
}

Layer make_layer(const MnkLayer& source, Parallelism strategy, const GeneratorOptions& options) {
  const PassGemms gemms = pass_gemms(source, strategy, options.npus, options.packages);
  const auto pass = [&](const Gemm& gemm, bool communicates, CollectiveKind kind) {
    Pass made{.compute = compute_time(gemm, options, source.where)};
    if (communicates) made.communication = {kind, result_size(gemm, options.element, source.where)};
    return made;
  };
  // By strategy and not by the number of parts, so that the file has the same form for every number of NPUs;
  // a collective among one NPU costs nothing.
  const bool outputs_divided = strategy != Parallelism::data;
  const bool batch_divided = strategy != Parallelism::model;
  return {.name = source.name,
          .forward = pass(gemms.forward, outputs_divided, CollectiveKind::all_gather),
          .input_gradient = pass(gemms.input_gradient, outputs_divided, CollectiveKind::reduce_scatter),
          .weight_gradient = pass(gemms.weight_gradient, batch_divided, CollectiveKind::all_reduce),
          .update = options.update};
}

void validate(const GeneratorOptions& options) {
  if (!known(options.strategy)) {
    throw UserError({.key = "strategy"},
                    fmt::format("{} cannot be generated from GEMMs", astra_name(options.strategy)),
                    suggest("", strategy_names()));
  }
  if (options.npus < 1) throw UserError({.key = "npus"}, fmt::format("{} is less than one", options.npus));
  if (options.packages < 1) {
    throw UserError({.key = "packages"}, fmt::format("{} is less than one", options.packages));
  }
  if (options.npus % options.packages != 0) {
    throw UserError(
        {.key = "packages"},
        fmt::format("{} NPUs do not divide evenly into {} packages", options.npus, options.packages),
        "take a divisor of the number of NPUs");
  }
  if (options.element < Bytes{1} || options.element > compute::kLargestElement) {
    throw UserError({.key = "datatype-size"}, fmt::format("{} is out of range", options.element.count()),
                    fmt::format("from 1 to {} bytes", compute::kLargestElement.count()));
  }
  if (options.update < Duration{0}) throw UserError({.key = "update-delay"}, "is negative");
}

}  // namespace

std::vector<MnkLayer> parse_mnk(std::string_view text, const std::string& file) {
  const CsvTable table = parse_csv(text, file, kHeader);
  const bool strategy_column = has_strategy_column(table);
  std::vector<MnkLayer> layers;
  for (const CsvRow& row : table.rows) layers.push_back(mnk_layer(table, row, strategy_column));
  if (layers.empty()) {
    throw UserError({.file = file}, "has no layer", "a line is, for example, MLP_Top_0,1024,512,256");
  }
  return layers;
}

std::vector<MnkLayer> read_mnk(const std::filesystem::path& path) {
  return parse_mnk(read_file(path), path.string());
}

Parallelism parse_strategy(std::string_view text, const Where& where) {
  const std::string word = in_case(text, std::toupper);
  const auto strategy = parse_parallelism(word);
  if (!strategy || !known(*strategy)) {
    throw UserError(where, fmt::format("unknown strategy \"{}\"", text), suggest(word, strategy_names()));
  }
  return *strategy;
}

PassGemms pass_gemms(const MnkLayer& layer, Parallelism strategy, int npus, int packages) {
  const Division parts = division(strategy, npus, packages);
  const std::int64_t m = part(layer.m, parts.batch);
  const std::int64_t n = part(layer.n, parts.outputs);
  const std::int64_t k = layer.k;
  return {.forward = {.rows = m, .inner = k, .columns = n},
          .input_gradient = {.rows = m, .inner = n, .columns = k},
          .weight_gradient = {.rows = k, .inner = m, .columns = n}};
}

Workload generate(const std::vector<MnkLayer>& layers, const GeneratorOptions& options) {
  validate(options);
  const bool customized = options.strategy == Parallelism::hybrid_customized;
  Workload workload{.parallelism = options.strategy};
  for (const MnkLayer& source : layers) {
    if (customized && !source.parallelism) {
      throw UserError(source.where, fmt::format("layer \"{}\" has no strategy of its own", source.name),
                      "HYBRID_CUSTOMIZED needs the column CustomizedParallelization filled in every line");
    }
    Layer layer = make_layer(source, customized ? *source.parallelism : options.strategy, options);
    if (customized) layer.parallelism = *source.parallelism;
    workload.layers.push_back(std::move(layer));
  }
  return workload;
}

}  // namespace overture::workload
