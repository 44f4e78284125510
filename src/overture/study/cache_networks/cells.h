// The cells of `overture study cache-networks`: one DLRM whose rows are sharded over the nodes, or with
// servers and a cache that looks ahead; on a fat tree, on rails of RoCE and on Opera; for several numbers of
// nodes.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "overture/study/sweep.h"

namespace overture::study::cache_networks {

struct CellChoice {
  std::vector<int> nodes{16, 128, 1024};  // of those that the networks come in
  std::vector<int> lookaheads{1, 8, 32};  // 1: rows are fetched for every batch
  std::int64_t batch = 16'384;            // of all nodes together
  int packets_up_to = 16;                 // nodes for which packets are played as well; 0: none
  std::vector<std::string> keys;          // key=value for every cell
};

struct CacheCell {
  int nodes = 0;
  std::string network;  // of network_names()
  std::string rows;     // "table_wise", ..., or "lookahead 8"
  bool packets = false;
  std::vector<std::string> keys;

  bool is_cached() const { return rows.starts_with("lookahead"); }
};
std::string name(const CacheCell& cell);
std::string command_of(const CacheCell& cell);

const std::vector<std::string>& network_names();

// Throws UserError for a number of nodes or a lookahead that cannot be.
std::vector<CacheCell> cells_of(const CellChoice& choice);

// The setup that every cell changes, as text.
std::string_view setup_text();
SweepJob cell_job(const std::vector<CacheCell>& cells, const std::filesystem::path& program,
                  const std::string& version, const std::filesystem::path& folder);

// A finished cell.
struct CellTime {
  CacheCell cell;
  std::string folder;
  double step_us = 0;
  double compute_us = 0;  // of a step
};
std::vector<CellTime> finished_cells(const std::vector<CacheCell>& cells, const SweepJob& job,
                                     const std::filesystem::path& root);

}  // namespace overture::study::cache_networks
