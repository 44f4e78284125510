// Training of a DLRM with a cache that looks ahead, as a TaskGraph: dense layers data-parallel, rows between
// trainers and servers, and the rounds in which trainers agree on rows that they share. What is sent comes
// from the planner's own decisions (lookahead/traffic.h); how long computing takes comes from the model.
#pragma once

#include <cstdint>
#include <vector>

#include "overture/lookahead/traffic.h"
#include "overture/workload/task_graph.h"
#include "overture/workload/workload.h"

namespace overture::workload {

// How the rows of a step become messages.
enum class RowMessages : std::uint8_t {
  exact,  // every pair sends what the trainer sends
  even,   // every pair sends as much as the busiest party on the average: far fewer sizes, for many trainers
};

struct CachedTraining {
  // The model with its tables on every trainer (TableSharding::data_parallel): what a trainer computes, and
  // the sums of its dense gradients. Layer 0 are the tables.
  Workload layers;
  std::vector<lookahead::StepTraffic> steps;  // one after the other; at least one
  int ranks = 0;                              // of the network
  std::vector<Rank> trainers;
  std::vector<Rank> servers;
  Rank oracle{};
  bool orders = true;  // the oracle sends every trainer its part of the batch and of the plan
  RowMessages messages = RowMessages::exact;
};

// Rows that are fetched before the first of the steps are there when it begins.
TaskGraph cached_dlrm_tasks(const CachedTraining& cached);

// With its header: what a pair sends on the average where the busiest party of a round sends or receives
// most. `sizes` are payloads, a line for every sender. Parties that are both may send nothing to themselves.
Bytes even_message(const std::vector<Bytes>& sizes, int senders, int receivers, bool to_itself = true);

// What all parties send for a step, on the wire; a party beside another sends it nothing there.
struct CachedStepBytes {
  Bytes orders;
  Bytes fetches;  // requests and their rows
  Bytes stores;
  Bytes urgent_round;
  Bytes late_round;
};
CachedStepBytes bytes_of(const lookahead::StepTraffic& step);

}  // namespace overture::workload
