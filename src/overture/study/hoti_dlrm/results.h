// What came out of the cells: read back from their folders.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "overture/study/hoti_dlrm/cells.h"

namespace overture::study::hoti {

// A line of collectives.csv.
struct CollectiveRow {
  int iteration = 1;
  std::string layer;
  std::string pass;
  std::string kind;
  double bytes = 0;
  double issued_us = 0;
  double finished_us = 0;
  double latency_us = 0;
  double exposed_us = 0;
};

struct CellResult {
  Cell cell;
  std::string folder;  // inside of the study's
  std::string setup;   // YAML, with all that the cell changes
  int iterations = 1;
  double finished_us = 0;
  double compute_us = 0;
  double exposed_us = 0;
  double drops = 0;
  double timeouts = 0;
  std::optional<RunCost> cost{};
  std::vector<CollectiveRow> collectives;

  double iteration_us() const { return finished_us / iterations; }
};

// Of one cell's folder. Throws UserError when it is damaged.
CellResult read_result(const Cell& cell, const SweepPoint& point, const std::filesystem::path& root);

// All that is finished, and how to find it.
class Results {
 public:
  explicit Results(std::vector<CellResult> cells) : cells_(std::move(cells)) {}

  const std::vector<CellResult>& all() const { return cells_; }
  // Of a system at a value of an axis; the default's where the value changes nothing, and that of another
  // system where the value makes it that one. Null: not run.
  const CellResult* find(const std::string& axis, const std::string& value, const std::string& system) const;
  const CellResult* system(const std::string& name) const { return at("systems", "default", name); }
  const CellResult* fluid(const std::string& name) const { return at("flow", "fluid", name); }
  const CellResult* single(const std::string& group, const std::string& value) const {
    return at(group, value, "Flat100G");
  }

 private:
  const CellResult* at(const std::string& group, const std::string& value, const std::string& system) const;

  std::vector<CellResult> cells_;
};

// Those of the job's points that are finished.
Results finished_cells(const std::vector<Cell>& cells, const SweepJob& job,
                       const std::filesystem::path& root);

// The collective of a layer in an iteration; null if there is none.
const CollectiveRow* collective(const CellResult& result, int iteration, const std::string& layer,
                                const std::string& pass);

}  // namespace overture::study::hoti
