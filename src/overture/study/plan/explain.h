// Why a plan puts every table where it is, in sentences: what was chosen, what each other kind of sharding
// would cost by the estimate, and what would not fit.
#pragma once

#include <string>
#include <vector>

#include "overture/study/plan/planner.h"

namespace overture::study {

// Tables of one shape that are sharded in one way.
struct PlanDecision {
  std::vector<std::size_t> tables;
  model::EmbeddingTable shape;
  model::TablePlace place;  // of the first of them
  std::string why;
};
std::vector<PlanDecision> explain_plan(const PlanProblem& problem, const model::TablePlan& plan);

std::string_view name(model::TableSharding sharding);  // as in setups
// "0-3, 7": numbers in order.
std::string ranges(const std::vector<std::size_t>& numbers);

}  // namespace overture::study
