// From a training and a network to the planner's problem: probes for the estimate, the simulator for prices.
#pragma once

#include "overture/simulation/simulation.h"
#include "overture/study/plan/planner.h"
#include "overture/workload/dlrm_training.h"

namespace overture::study {

// `config` has system and network; its workload is made from `training` and each plan. Simulates a few
// collectives at once. Throws UserError.
PlanProblem make_plan_problem(workload::DlrmTraining training, const simulation::SimulationConfig& config);

}  // namespace overture::study
