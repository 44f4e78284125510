#include "overture/study/cache_networks/cells.h"

#include <algorithm>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/cache_networks_setup.h"
#include "overture/model/published.h"

namespace overture::study::cache_networks {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSetupFile = "dlrm.yaml";
constexpr int kGpusOfNode = 8;  // of a machine with rails

using Words = std::vector<std::string>;

// Each host with 100 Gbps; full bisection on tree and rails.
std::string network_value(const std::string& network, int nodes, bool packets) {
  const model::PublishedNetworks sizes = model::published_networks(nodes);
  if (network == "fat tree")
    return fmt::format("{{backend: {}, paths: hash_per_flow, topology: {{fat_tree: {{k: {}}}}}}}",
                       packets ? "packet" : "flow", sizes.fat_tree_k);
  if (network == "RoCE rail") {
    const int machines = nodes / kGpusOfNode;
    return fmt::format(
        "{{backend: {}, transport: roce, paths: hash_per_flow, nodes: {{gpus_per_node: {}, nics_per_node: "
        "{}}}, "
        "topology: {{leaf_spine: {{leaves: {}, hosts_per_leaf: {}, spines: {}, rails: true}}}}}}",
        packets ? "packet" : "flow", kGpusOfNode, kGpusOfNode, kGpusOfNode, machines, machines);
  }
  return fmt::format(
      "{{backend: {}, rotor: {{bulk_from: 0 B}}, topology: {{opera: {{tors: {}, ports: {}}}}}}}",
      packets ? "rotor" : "flow", sizes.tors, 2 * sizes.hosts_per_tor);
}

// Halving and doubling in each dimension; rails have two. On Opera every round waits for its circuits, so
// everybody sends to everybody at once: the 14 rounds of halving and doubling take four times as long on 128
// nodes.
std::string all_reduce_of(const std::string& network) {
  if (network == "RoCE rail") return "system.all_reduce=[halving_doubling, halving_doubling]";
  return network == "Opera" ? "system.all_reduce=[direct]" : "system.all_reduce=[halving_doubling]";
}

// The oracle's orders come from one node to all, steps ahead of time. They are left out: as flows they make
// every pair of 1,024 nodes a case of its own.
Words rows_keys(const std::string& rows) {
  if (rows.starts_with("lookahead "))
    return {fmt::format("workload.cache={{lookahead: {}, orders: false, data: {{synthetic: kaggle}}}}",
                        rows.substr(10))};
  return {"workload.cache=~", "workload.dlrm.sharding=" + rows};
}

CacheCell make_cell(const CellChoice& choice, int nodes, const std::string& network, const std::string& rows,
                    bool packets) {
  CacheCell cell{.nodes = nodes, .network = network, .rows = rows, .packets = packets, .keys = {}};
  cell.keys = {"network=" + network_value(network, nodes, packets), all_reduce_of(network),
               fmt::format("workload.dlrm.batch={}", choice.batch)};
  const Words rows_words = rows_keys(rows);
  cell.keys.insert(cell.keys.end(), rows_words.begin(), rows_words.end());
  cell.keys.insert(cell.keys.end(), choice.keys.begin(), choice.keys.end());
  return cell;
}

}  // namespace

const std::vector<std::string>& network_names() {
  static const std::vector<std::string> kNames{"fat tree", "RoCE rail", "Opera"};
  return kNames;
}

std::string name(const CacheCell& cell) {
  return fmt::format("{} nodes, {}, {}{}", cell.nodes, cell.network, cell.rows,
                     cell.packets ? ", packets" : "");
}

std::vector<CacheCell> cells_of(const CellChoice& choice) {
  for (const int lookahead : choice.lookaheads) {
    if (lookahead < 1) throw UserError({.key = "--lookaheads"}, "a lookahead is at least 1");
  }
  Words rows{"table_wise", "column_wise", "row_wise"};
  for (const int lookahead : choice.lookaheads) rows.push_back(fmt::format("lookahead {}", lookahead));
  std::vector<CacheCell> cells;
  for (const int nodes : choice.nodes) {
    model::published_networks(nodes);
    for (const bool packets : {false, true}) {
      if (packets && nodes > choice.packets_up_to) continue;
      for (const std::string& network : network_names()) {
        for (const std::string& one : rows) cells.push_back(make_cell(choice, nodes, network, one, packets));
      }
    }
  }
  return cells;
}

std::string_view setup_text() { return kCacheNetworksSetup; }

SweepJob cell_job(const std::vector<CacheCell>& cells, const fs::path& program, const std::string& version,
                  const fs::path& folder) {
  fs::create_directories(folder / "setups");
  write_file(folder / "setups" / kSetupFile, setup_text());
  SweepJob job{.program = program, .command = "simulate", .setup = {}, .points = {}};
  for (const CacheCell& cell : cells) {
    SweepPoint point{.overrides = cell.keys,
                     .folder = point_folder(folder / "cells", static_cast<std::size_t>(cell.nodes),
                                            "simulate", std::string(setup_text()), cell.keys),
                     .arguments = {(folder / "setups" / kSetupFile).string(), "--no-report", "--no-why"},
                     .version = version};
    for (const std::string& key : cell.keys) point.arguments.insert(point.arguments.end(), {"-s", key});
    job.points.push_back(std::move(point));
  }
  return job;
}

std::string command_of(const CacheCell& cell) {
  std::string text = fmt::format("overture simulate setups/{}", kSetupFile);
  for (const std::string& key : cell.keys) text += fmt::format(" -s '{}'", key);
  return text;
}

std::vector<CellTime> finished_cells(const std::vector<CacheCell>& cells, const SweepJob& job,
                                     const fs::path& root) {
  std::vector<CellTime> times;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!is_finished(job.points[i])) continue;
    CellTime time{.cell = cells[i], .folder = fs::relative(job.points[i].folder, root).string()};
    double iterations = 1;
    for (const auto& [key, number] : numbers_of(job.points[i])) {
      if (key == "iteration_us") time.step_us = number;
      if (key == "compute_us") time.compute_us = number;
      if (key == "iterations") iterations = std::max(1.0, number);
    }
    time.compute_us /= iterations;
    times.push_back(std::move(time));
  }
  return times;
}

}  // namespace overture::study::cache_networks
