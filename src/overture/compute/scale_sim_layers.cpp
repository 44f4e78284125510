#include "overture/compute/scale_sim_layers.h"

#include <fmt/format.h>

#include "overture/base/csv.h"
#include "overture/base/error.h"
#include "overture/base/files.h"

namespace overture::compute {
namespace {

constexpr std::string_view kTopologyHeader =
    "Layer name,ifmap height,ifmap width,filter height,filter width,channels,num filter,strides";

// SCALE-Sim v2 rounds (input - filter + stride) / stride up, and so counts a last window that is cut short.
std::int64_t output_side(std::int64_t input, std::int64_t filter, std::int64_t stride) {
  return (input - filter + 2 * stride - 1) / stride;
}

std::int64_t side(Int128 product, const Where& where) {
  if (product > kLargestSide) {
    throw UserError(where, "the layer is too large",
                    fmt::format("a side of its GEMM is at most {}", kLargestSide));
  }
  return static_cast<std::int64_t>(product);
}

// The numbers of a layer as the columns stand.
struct Convolution {
  std::int64_t input_height;
  std::int64_t input_width;
  std::int64_t filter_height;
  std::int64_t filter_width;
  std::int64_t channels;
  std::int64_t filters;
  std::int64_t stride_height;
  std::int64_t stride_width;
};

Convolution convolution(const CsvTable& table, const CsvRow& row) {
  if (row.cells.size() < 8 || row.cells.size() > 9) {
    throw UserError(table.where(row), fmt::format("{} columns instead of 8 or 9", row.cells.size()),
                    fmt::format("columns: {}", kTopologyHeader));
  }
  const auto number = [&](std::size_t column, std::string_view name) {
    return whole_number(row.cells[column], table.where(row, name), 1, kLargestSide);
  };
  const Convolution layer{.input_height = number(1, "ifmap height"),
                          .input_width = number(2, "ifmap width"),
                          .filter_height = number(3, "filter height"),
                          .filter_width = number(4, "filter width"),
                          .channels = number(5, "channels"),
                          .filters = number(6, "num filter"),
                          .stride_height = number(7, "strides"),
                          .stride_width = number(row.cells.size() - 1, "strides")};
  if (layer.filter_height > layer.input_height || layer.filter_width > layer.input_width) {
    throw UserError(table.where(row), "the filter is larger than the ifmap");
  }
  return layer;
}

Gemm im2col(const Convolution& layer, const Where& where) {
  const Int128 pixels = Int128{output_side(layer.input_height, layer.filter_height, layer.stride_height)} *
                        output_side(layer.input_width, layer.filter_width, layer.stride_width);
  const Int128 volume = Int128{layer.filter_height} * layer.filter_width * layer.channels;
  return {.rows = side(pixels, where), .inner = side(volume, where), .columns = layer.filters};
}

void add_depthwise(std::vector<NamedGemm>& layers, const std::string& name, Convolution layer,
                   const Where& where) {
  constexpr std::int64_t kMostChannels = 1'000'000;
  const std::int64_t channels = layer.channels;
  if (channels > kMostChannels) throw UserError(where, "a depthwise layer has at most a million channels");
  layer.channels = 1;
  const Gemm gemm = im2col(layer, where);
  for (std::int64_t channel = 0; channel < channels; ++channel) {
    layers.push_back({fmt::format("{}Channel_{}", name, channel), gemm});
  }
}

// As Python prints a float: the shortest digits that read back the same, and never without a point.
std::string python_float(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

std::vector<NamedGemm> parse_scale_sim_topology(std::string_view text, const std::string& file) {
  const CsvTable table = parse_csv(text, file, kTopologyHeader);
  const auto& titles = table.header.cells;
  if (titles.size() > 1 && titles[1].find_first_not_of("0123456789") == std::string::npos) {
    throw UserError(table.where(table.header), "the header is missing",
                    fmt::format("the first line is {}", kTopologyHeader));
  }
  std::vector<NamedGemm> layers;
  for (const CsvRow& row : table.rows) {
    const Convolution layer = convolution(table, row);
    const std::string& name = row.cells[0];
    if (name.find("DP") != std::string::npos) {
      add_depthwise(layers, name, layer, table.where(row));
    } else {
      layers.push_back({name, im2col(layer, table.where(row))});
    }
  }
  return layers;
}

std::vector<NamedGemm> read_scale_sim_topology(const std::filesystem::path& path) {
  return parse_scale_sim_topology(read_file(path), path.string());
}

std::string compute_report(const std::vector<LayerReport>& layers) {
  std::string text =
      "LayerID, Total Cycles, Stall Cycles, Overall Util %, Mapping Efficiency %, Compute Util %,\n";
  for (std::size_t id = 0; id < layers.size(); ++id) {
    const LayerReport& layer = layers[id];
    text += fmt::format("{}, {}, {}, {}, {}, {},\n", id, layer.total_cycles, layer.stall_cycles,
                        python_float(layer.overall_utilization), python_float(layer.mapping_efficiency),
                        python_float(layer.compute_utilization));
  }
  return text;
}

}  // namespace overture::compute
