// Chakra traces as a TaskGraph, which any network plays, and a TaskGraph as Chakra traces, for other tools.
// In a graph operations start as their dependencies allow; the lanes of ASTRA-sim 2 are astra2/'s business.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "overture/formats/chakra/node.h"
#include "overture/workload/task_graph.h"

namespace overture::chakra {

struct GraphOptions {
  int ranks = 0;                           // 0: as many as there are traces
  std::map<int, std::vector<int>> groups;  // by number, as pg_name has it
};

struct TracedGraph {
  workload::TaskGraph graph{0};
  std::vector<std::string> layers;  // names of nodes, in the order of the labels' layer numbers
  std::string note;                 // what a reader of the results must know; may be empty
};

// Where every trace says the same and its collectives are everybody's, the graph is symbolic, and may have
// more ranks than there are traces. Throws UserError: collectives that do not fit together, a send without
// its receive, a kind that no network plays.
TracedGraph read_graph(const std::string& prefix, const GraphOptions& options = {});

// The part of one rank. Groups of ranks are numbered from 1, in the order of the graph.
RankTrace to_trace(const workload::TaskGraph& graph, int rank);
// These groups as ASTRA-sim 2's group file; empty if all collectives are everybody's.
std::string groups_json(const workload::TaskGraph& graph);

}  // namespace overture::chakra
