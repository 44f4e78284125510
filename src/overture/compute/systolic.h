// A systolic array as SCALE-Sim v2 times it, in closed form: a grid of multiply-accumulate units through
// which the operands of a GEMM are pumped, fold by fold. Memory never stalls it, which is what SCALE-Sim
// assumes with `InterfaceBandwidth: CALC`. SCALE-Sim's files are read in scale_sim_config.h.
#pragma once

#include <cstdint>

#include "overture/base/units.h"
#include "overture/compute/gemm.h"
#include "overture/compute/rates.h"

namespace overture::compute {

// Which matrix stays in the array while the others stream through it.
enum class Dataflow : std::uint8_t { output_stationary, weight_stationary, input_stationary };

// What SCALE-Sim's COMPUTE_REPORT.csv says of one layer. Utilisations are percentages, as there.
struct LayerReport {
  std::int64_t total_cycles = 0;
  std::int64_t stall_cycles = 0;
  double overall_utilization = 0;  // multiplications done per unit and cycle of the whole run
  double mapping_efficiency = 0;   // units that hold part of the GEMM, averaged over folds
  double compute_utilization = 0;  // multiplications per unit and cycle of a fold, averaged over folds
};

struct SystolicArray {
  int height = 1;  // units; at least one
  int width = 1;
  Dataflow dataflow = Dataflow::weight_stationary;
  Bytes ifmap_sram{};  // the buffers are part of the description only: they matter to stalls, and there are
                       // none
  Bytes filter_sram{};
  Bytes ofmap_sram{};
  Frequency clock = Frequency::hertz(1'000'000'000);  // so that a cycle is ASTRA-sim's nanosecond

  // Throws UserError when the cycles do not fit in 63 bits.
  std::int64_t cycles(const Gemm& gemm) const;
  LayerReport report(const Gemm& gemm) const;
  // `element` plays no role: a unit multiplies one pair a cycle, whatever its type.
  Duration time(const Gemm& gemm, Bytes element) const;
};

}  // namespace overture::compute
