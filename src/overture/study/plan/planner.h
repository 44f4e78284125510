// Searches where embedding tables go: whole on one node, by columns on some, by rows on all, or copied, table
// by table, under the memory of a node. An estimate guides the search, the simulator decides.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "overture/model/table_plan.h"

namespace overture::study {

struct PlanProblem {
  std::vector<model::EmbeddingTable> tables;
  int nodes = 1;
  Bytes memory;              // of a node, for tables
  bool as_trained = false;   // only plans that the trainer can hold: none with copies
  std::int64_t samples = 1;  // of a node
  // Of the part of a step that depends on the plan; in any unit.
  std::function<double(const model::TableLoads&)> estimate;
  // A step, simulated.
  std::function<Duration(const model::TablePlan&)> price;
  int prices = 400;  // plans that may be simulated, beside those that everybody knows
};

// A plan that somebody proposed, simulated if it fits.
struct PricedPlan {
  std::string name;  // "ours", "greedy", "row_wise", ...
  model::TablePlan plan;
  Bytes fullest;  // memory of the fullest node
  bool fits = false;
  Duration step{};  // if it fits
};

struct PlanSearch {
  PricedPlan best;
  std::vector<PricedPlan> others;  // greedy and every table alike; best first, then those that do not fit
  int priced = 0;                  // plans that were simulated
};

// Throws UserError when no plan fits, with what would.
PlanSearch search_plan(const PlanProblem& problem);

// Where one table could be instead, each kind at its best, and what the estimate of a step becomes.
struct Alternative {
  model::TablePlace place;
  double estimate = 0;
  bool fits = false;
};
std::vector<Alternative> alternatives(const PlanProblem& problem, const model::TablePlan& plan,
                                      std::size_t table);

}  // namespace overture::study
