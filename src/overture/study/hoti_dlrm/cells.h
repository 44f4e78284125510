// The cells of the study: one system, one value of one axis, one backend. A cell is a run of
// `overture simulate` in a folder of its own, named after all that its result depends on.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "overture/base/units.h"
#include "overture/study/hoti_dlrm/axes.h"
#include "overture/study/sweep.h"

namespace overture::study::hoti {

inline constexpr int kPublishedGpus = 128;

struct Cell {
  std::string group;              // an axis, "systems", "flow", "all-to-all" or "all-reduce"
  std::string system;             // Flat100G
  std::string value;              // of the axis, or what is different
  std::vector<std::string> keys;  // key=value on top of the system's setup
};

std::string name(const Cell& cell);

// What is run. Empty lists: everything.
struct Choice {
  std::vector<std::string> systems;
  std::vector<std::string> axes;
  int gpus = 128;
  std::string backend = "packet";
  std::vector<std::string> keys{};  // key=value for every cell, before those of its axis
};

// Single collectives; the systems as they are, on packets; then axis by axis; then the systems as a fluid.
// Throws UserError.
std::vector<Cell> cells_of(const Choice& choice);

// ns-3's all-to-alls (tests/golden/hoti-tcp/ns3_points.csv) and all-reduces of one layer, on Flat100G.
std::vector<Cell> single_all_to_alls(int gpus);
std::vector<Cell> single_all_reduces(int gpus);

// Writes the systems' setups into `folder` and returns the job that runs the cells there. `version` is that
// of the program: what another one made is run again.
SweepJob cell_job(const std::vector<Cell>& cells, const std::filesystem::path& program,
                  const std::string& version, const std::filesystem::path& folder);

// The command that runs the cell alone, beside the setups.
std::string command_of(const Cell& cell);

// The time that a network without queues, losses and latency needs for a direct or tree all-reduce: every GPU
// sends 2 (n - 1) / n of the data.
Duration all_reduce_bound(Bytes size, int gpus, Bandwidth rate);

}  // namespace overture::study::hoti
