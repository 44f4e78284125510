#include "overture/report/astra_csv.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/report/csv_grid.h"

namespace overture::report {
namespace {

using simulation::LayerAccount;
using simulation::SimulationResult;
using workload::PassKind;

constexpr std::size_t kColumns = 50;
constexpr std::size_t kSpareRows = 20;
constexpr int kDimInfoRows = 10;
constexpr int kPayloadColumns = 7;
constexpr Duration kWindow = std::chrono::microseconds{10};

std::string us(Duration d) { return fmt::format("{:f}", to_us(d)); }
std::string us(double ns) { return fmt::format("{:f}", ns / 1000); }

// The file's grid: an empty one for the first of several runs, what the earlier ones left for the others.
CsvGrid open_grid(const AstraReport& report, const std::string& name, std::size_t rows, std::size_t columns) {
  const std::string file = report.path + name;
  if (report.row > 0 && std::filesystem::exists(file)) return CsvGrid::parse(read_file(file));
  return {rows, columns};
}

std::size_t layer_row(const AstraReport& report, std::size_t layer) {
  return layer * static_cast<std::size_t>(report.total_rows) + 1 + static_cast<std::size_t>(report.row);
}

std::size_t layer_rows(const AstraReport& report, const workload::Workload& workload) {
  return workload.layers.size() * static_cast<std::size_t>(report.total_rows) + kSpareRows;
}

void name_rows(CsvGrid& grid, const AstraReport& report, const workload::Workload& workload) {
  for (std::size_t l = 0; l < workload.layers.size(); ++l) {
    if (report.row == 0) grid.insert(layer_row(report, l), 0, workload.layers[l].name);
    grid.insert(layer_row(report, l), 1, report.run_name);
  }
}

void write_end_to_end(const AstraReport& report, const workload::Workload& workload,
                      const SimulationResult& result) {
  CsvGrid grid = open_grid(report, "EndToEnd.csv", layer_rows(report, workload), kColumns);
  if (report.row == 0) {
    std::size_t column = 2;
    for (const char* title : {"fwd compute", "wg compute", "ig compute", "fwd exposed comm",
                              "wg exposed comm", "ig exposed comm", "fwd total comm", "wg total comm",
                              "ig total comm", "workload finished at", "total comp", "total exposed comm"}) {
      grid.insert(0, column++, title);
    }
  }
  name_rows(grid, report, workload);
  constexpr std::array kOrder{PassKind::forward, PassKind::weight_gradient, PassKind::input_gradient};
  for (std::size_t l = 0; l < result.layers.size(); ++l) {
    const LayerAccount& layer = result.layers[l];
    const std::size_t row = layer_row(report, l);
    std::size_t column = 2;
    for (const PassKind kind : kOrder) grid.insert(row, column++, us(layer.of(kind).compute));
    for (const PassKind kind : kOrder) grid.insert(row, column++, us(layer.of(kind).exposed));
    for (const PassKind kind : kOrder) grid.insert(row, column++, us(layer.of(kind).communication));
    grid.insert(row, column++, us(result.finished));
    if (l > 0) continue;
    grid.insert(row, column++, us(result.compute()));
    grid.insert(row, column++, us(result.exposed()));
  }
  write_file(report.path + "EndToEnd.csv", grid.text());
}

// Mean running time of a chunk, as text. A dimension that was never used has none; the original divides by
// zero.
std::string chunk_delay(const system::DimensionUse& use) {
  return use.chunks == 0 ? "-nan" : us(to_ns(use.running) / static_cast<double>(use.chunks));
}

void write_detailed(const AstraReport& report, const workload::Workload& workload,
                    const SimulationResult& result) {
  CsvGrid grid = open_grid(report, "detailed.csv", layer_rows(report, workload), kColumns);
  name_rows(grid, report, workload);
  std::size_t column = 2;
  for (std::size_t l = 0; l < result.layers.size(); ++l) {
    const LayerAccount& layer = result.layers[l];
    const std::size_t row = layer_row(report, l);
    const bool titles = l == 0 && report.row == 0;
    column = 2;
    for (std::size_t p = 0; p < layer.queueing_ns.size(); ++p, ++column) {
      if (titles) grid.insert(0, column, fmt::format("queuing delay phase {}", p));
      grid.insert(row, column, us(layer.queueing_ns[p] / layer.collectives));
    }
    for (std::size_t p = 0; p < layer.network_ns.size(); ++p, ++column) {
      if (titles) grid.insert(0, column, fmt::format("network delay phase {}", p + 1));
      grid.insert(row, column, us(layer.network_ns[p] / layer.collectives));
    }
  }
  // Behind the last layer's values but on the first layer's row, where it may land in front of others.
  for (std::size_t d = 0; d < result.dimensions.size(); ++d, ++column) {
    if (report.row == 0) grid.insert(0, column, fmt::format("avg chunk delay dimension {}", d + 1));
    grid.insert(layer_row(report, 0), column, chunk_delay(result.dimensions[d]));
  }
  write_file(report.path + "detailed.csv", grid.text());
}

// Of each full window, the share in which the dimension had chunks queued or running.
std::vector<double> utilisation(const system::DimensionUse& use, std::size_t windows) {
  std::vector<Duration> busy(windows);
  for (const auto& interval : use.busy) {
    for (auto w = static_cast<std::size_t>(interval.from.time_since_epoch() / kWindow); w < windows; ++w) {
      const Time start{kWindow * static_cast<std::int64_t>(w)};
      const Time end = start + kWindow;
      if (interval.to <= start) break;
      busy[w] += std::min(end, interval.to) - std::max(start, interval.from);
    }
  }
  std::vector<double> percent;
  for (const Duration b : busy)
    percent.push_back(100 * static_cast<double>(b.count()) / static_cast<double>(Duration{kWindow}.count()));
  return percent;
}

// One row per 10 us: a run of minutes would fill the disk.
void check_windows(const SimulationResult& result) {
  constexpr std::int64_t kMost = 20'000'000;
  if (result.finished / kWindow <= kMost) return;
  throw UserError(
      fmt::format("the run lasts {}, too long for a table of every 10 us", to_string(result.finished)),
      "write seprate-log: 0 in the system file to leave out the reports per layer and window");
}

void write_utilisation(const AstraReport& report, const SimulationResult& result) {
  const auto windows = static_cast<std::size_t>(result.finished / kWindow);
  std::string text = " time (us) ,";
  std::vector<std::vector<double>> percent;
  for (std::size_t d = 0; d < result.dimensions.size(); ++d) {
    text += fmt::format("dim{} util,", d + 1);
    percent.push_back(utilisation(result.dimensions[d], windows));
  }
  text += '\n';
  for (std::size_t w = 0; w < windows; ++w) {
    text += us(Duration{kWindow} * static_cast<std::int64_t>(w + 1)) + ',';
    for (const auto& dimension : percent) text += fmt::format("{:f},", dimension[w]);
    text += '\n';
  }
  text += std::string(result.dimensions.size(), ',') + '\n';
  write_file(report.path + report.run_name + "_dimension_utilization.csv", text);
}

void write_backend_end_to_end(const AstraReport& report, const SimulationResult& result) {
  const auto rows = static_cast<std::size_t>(report.total_rows) + 1;
  CsvGrid grid = open_grid(report, "backend_end_to_end.csv", rows, 6 + kPayloadColumns);
  const auto mib = [](Bytes size) {
    return fmt::format("{:f}", static_cast<double>(size.count()) / (1 << 20));
  };
  if (report.row == 0) {
    std::size_t column = 0;
    for (const char* title :
         {"RunName", "CommsTime", "ComputeTime", "ExposedCommsTime", "Cost", "TotalPayloadSize"}) {
      grid.insert(0, column++, title);
    }
    for (int d = 0; d < kPayloadColumns; ++d) grid.insert(0, column++, fmt::format("PayloadSize_Dim{}", d));
  }
  const auto row = static_cast<std::size_t>(report.row) + 1;
  Bytes total;
  for (const Bytes size : result.sent_by_rank_0) total += size;
  std::size_t column = 0;
  for (const std::string& cell :
       {report.run_name, us(result.finished), us(result.compute()), us(result.exposed()),
        fmt::format("{:f}", report.cost_dollars), mib(total)}) {
    grid.insert(row, column++, cell);
  }
  for (std::size_t d = 0; d < std::max<std::size_t>(kPayloadColumns, result.sent_by_rank_0.size()); ++d) {
    grid.insert(row, column++, d < result.sent_by_rank_0.size() ? mib(result.sent_by_rank_0[d]) : "-1");
  }
  write_file(report.path + "backend_end_to_end.csv", grid.text());
}

void write_backend_dim_info(const AstraReport& report, const SimulationResult& result) {
  const auto rows = static_cast<std::size_t>(report.total_rows * kDimInfoRows) + 1;
  CsvGrid grid = open_grid(report, "backend_dim_info.csv", rows, 3);
  if (report.row == 0) {
    grid.insert(0, 0, "RunName");
    grid.insert(0, 1, "DimensionIndex");
    grid.insert(0, 2, "AverageChunkLatency");
  }
  for (std::size_t d = 0; d < result.dimensions.size(); ++d) {
    const std::size_t row = static_cast<std::size_t>(report.row * kDimInfoRows) + 1 + d;
    grid.insert(row, 0, report.run_name);
    grid.insert(row, 1, fmt::format("{}", d));
    grid.insert(row, 2, chunk_delay(result.dimensions[d]));
  }
  write_file(report.path + "backend_dim_info.csv", grid.text());
}

}  // namespace

void write_astra_csv(const AstraReport& report, const workload::Workload& workload,
                     const SimulationResult& result) {
  if (report.layer_files) {
    check_windows(result);
    write_end_to_end(report, workload, result);
    write_detailed(report, workload, result);
    write_utilisation(report, result);
  }
  if (!report.backend_files) return;
  write_backend_end_to_end(report, result);
  write_backend_dim_info(report, result);
}

}  // namespace overture::report
