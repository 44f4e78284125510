// What the study finds: which network is best for which number of nodes with and without the cache, by how
// much, and whether the cache changes that. All sentences are made from the cells that were run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "overture/study/cache_networks/cells.h"
#include "overture/study/study_report.h"

namespace overture::study::cache_networks {

// For one number of nodes and one way to hold the rows, every network's time; sharded is the best sharding.
struct Race {
  int nodes = 0;
  bool packets = false;
  std::string rows;              // "sharded", "lookahead 8"
  std::vector<std::string> how;  // of each network: the sharding that was best, or the lookahead
  std::vector<double> step_us;   // of each network; 0: not run
  std::vector<double> compute_us;

  std::optional<std::size_t> best() const;  // of network_names()
};
std::vector<Race> races(const std::vector<CellTime>& times);

// Nodes for which another network is best with some cache than without, as sentences; empty: none.
std::vector<std::string> changes(const std::vector<Race>& all);
std::string headline_of(const std::vector<Race>& all);

// For the terminal, at most 80 columns.
std::string race_table(const std::vector<Race>& all);

StudyReport make_report(const std::vector<CellTime>& times, const CellChoice& choice);

}  // namespace overture::study::cache_networks
