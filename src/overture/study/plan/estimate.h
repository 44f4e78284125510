// What a sharding plan costs a training step, in closed form: computing by the model, exchanges by lines
// through two simulated collectives each. It guides the planner's search; what the planner compares in the
// end is simulated.
#pragma once

#include "overture/model/table_plan.h"
#include "overture/simulation/simulation.h"
#include "overture/workload/dlrm_training.h"

namespace overture::study {

// A line through two measured points.
struct ExchangeLine {
  double base_ps = 0;
  double ps_per_byte = 0;

  double of(Bytes size) const {
    return size <= Bytes{} ? 0 : base_ps + ps_per_byte * static_cast<double>(size.count());
  }
};

struct ExchangeLines {
  ExchangeLine all_to_all;
  ExchangeLine reduce_scatter;
  ExchangeLine all_gather;
  ExchangeLine all_reduce;
};
// Simulates two sizes of each collective on the network of `config`. Throws UserError.
ExchangeLines measure_exchanges(const simulation::SimulationConfig& config);

class StepEstimate {
 public:
  // `training` outlives the estimate.
  StepEstimate(const workload::DlrmTraining& training, int ranks, const ExchangeLines& lines);

  // The part of a step that depends on where tables are, in picoseconds.
  double picoseconds(const model::TableLoads& loads) const;

  // What the parts of it are, for those who explain.
  struct Parts {
    double gather_ps = 0;    // of the rank that gathers most, forward and backward
    double exchange_ps = 0;  // forward and backward, in part behind the bottom MLP
    double copies_ps = 0;    // the sums of gradients of tables that all ranks have
  };
  Parts parts(const model::TableLoads& loads) const;

 private:
  double gather_ps(Bytes rows, int gpus) const;

  const workload::DlrmTraining& training_;
  std::int64_t ranks_;
  std::int64_t samples_;  // of a rank
  Bytes mean_row_;
  ExchangeLines lines_;
  double bottom_forward_ps_ = 0;
  double bottom_backward_ps_ = 0;
};

}  // namespace overture::study
