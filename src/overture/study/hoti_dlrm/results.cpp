#include "overture/study/hoti_dlrm/results.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/json.h"

namespace overture::study::hoti {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void damaged(const fs::path& file) {
  throw UserError({.file = file.string()}, "is damaged", "delete its folder and run the study again");
}

std::vector<std::string> cells_of_line(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream columns(line);
  for (std::string cell; std::getline(columns, cell, ',');) cells.push_back(cell);
  return cells;
}

CollectiveRow row_of(const std::string& line, const fs::path& file) {
  const std::vector<std::string> cells = cells_of_line(line);
  if (cells.size() != 10) damaged(file);
  try {
    return {.iteration = std::stoi(cells[0]),
            .layer = cells[1],
            .pass = cells[2],
            .kind = cells[3],
            .bytes = std::stod(cells[4]),
            .issued_us = std::stod(cells[6]),
            .finished_us = std::stod(cells[7]),
            .latency_us = std::stod(cells[8]),
            .exposed_us = std::stod(cells[9])};
  } catch (const std::logic_error&) {
    damaged(file);
  }
}

std::vector<CollectiveRow> read_collectives(const fs::path& file) {
  std::istringstream lines(read_file(file));
  std::vector<CollectiveRow> rows;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) rows.push_back(row_of(line, file));
  return rows;
}

}  // namespace

CellResult read_result(const Cell& cell, const SweepPoint& point, const fs::path& root) {
  const fs::path file = point.folder / "summary.json";
  const Json summary = parse_json(read_file(file));
  if (!summary.is_object()) damaged(file);
  const auto number = [&](const char* key) {
    const auto found = summary.find(key);
    return found != summary.end() && found->is_number() ? found->get<double>() : 0.0;
  };
  const auto counter = [&](const char* key) {
    const auto network = summary.find("network");
    return network != summary.end() && network->contains(key) ? (*network)[key].get<double>() : 0.0;
  };
  return {.cell = cell,
          .folder = fs::relative(point.folder, root).string(),
          .setup = summary.value("setup_yaml", ""),
          .iterations = std::max(1, static_cast<int>(number("iterations"))),
          .finished_us = number("finished_us"),
          .compute_us = number("compute_us"),
          .exposed_us = number("exposed_communication_us"),
          .drops = counter("drops"),
          .timeouts = counter("timeouts"),
          .cost = cost_of(point),
          .collectives = read_collectives(point.folder / "collectives.csv")};
}

const CellResult* Results::at(const std::string& group, const std::string& value,
                              const std::string& system) const {
  const auto found = std::ranges::find_if(cells_, [&](const CellResult& result) {
    return result.cell.group == group && result.cell.value == value && result.cell.system == system;
  });
  return found == cells_.end() ? nullptr : &*found;
}

const CellResult* Results::find(const std::string& axis, const std::string& value,
                                const std::string& system) const {
  for (const AxisValue& known : axis_named(axis).values) {
    if (known.label != value) continue;
    if (becomes_another(known, system_named(system))) return this->system(known.flat_becomes);
    return keys_of(known, system_named(system)).empty() ? this->system(system) : at(axis, value, system);
  }
  return nullptr;
}

Results finished_cells(const std::vector<Cell>& cells, const SweepJob& job, const fs::path& root) {
  std::vector<CellResult> results;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (is_finished(job.points[i])) results.push_back(read_result(cells[i], job.points[i], root));
  }
  return Results(std::move(results));
}

const CollectiveRow* collective(const CellResult& result, int iteration, const std::string& layer,
                                const std::string& pass) {
  const auto found = std::ranges::find_if(result.collectives, [&](const CollectiveRow& row) {
    return row.iteration == iteration && row.layer == layer && row.pass == pass;
  });
  return found == result.collectives.end() ? nullptr : &*found;
}

}  // namespace overture::study::hoti
