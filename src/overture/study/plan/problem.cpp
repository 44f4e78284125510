#include "overture/study/plan/problem.h"

#include <memory>

#include "overture/study/plan/estimate.h"

namespace overture::study {

PlanProblem make_plan_problem(workload::DlrmTraining training, const simulation::SimulationConfig& config) {
  const int ranks = network::count_hosts(config.network);
  training.given.clear();
  training.plan.clear();
  const auto shared = std::make_shared<const workload::DlrmTraining>(std::move(training));
  const auto estimate = std::make_shared<const StepEstimate>(*shared, ranks, measure_exchanges(config));
  PlanProblem problem{.tables = shared->model.tables,
                      .nodes = ranks,
                      .memory = shared->memory_per_gpu * shared->gpus_per_node,
                      .samples = (shared->batch + ranks - 1) / ranks};
  problem.estimate = [shared, estimate](const model::TableLoads& loads) {
    return estimate->picoseconds(loads);
  };
  problem.price = [shared, config, ranks](const model::TablePlan& plan) {
    workload::DlrmTraining planned = *shared;
    planned.plan = plan;
    simulation::SimulationConfig run = config;
    run.tasks.reset();
    run.workload = dlrm_workload(planned, ranks);
    return simulate(run).finished / run.passes;
  };
  return problem;
}

}  // namespace overture::study
