// How long a GEMM takes: the one place where the models meet. A new model is a file of its own with
// `Duration time(const Gemm&, Bytes element) const`, an entry in the variant, and a word in
// parse_compute_model().
#pragma once

#include <filesystem>
#include <string_view>
#include <variant>

#include "overture/base/units.h"
#include "overture/compute/gemm.h"
#include "overture/compute/measured.h"
#include "overture/compute/roofline.h"
#include "overture/compute/systolic.h"

namespace overture::compute {

using ComputeModel = std::variant<SystolicArray, Roofline, MeasuredTable>;

// `element` is the size of one number of the matrices.
inline Duration time(const ComputeModel& model, const Gemm& gemm, Bytes element) {
  return std::visit([&](const auto& chosen) { return chosen.time(gemm, element); }, model);
}

// A model as typed on a command line: "scale-sim:tpu.cfg", "roofline:312 TFLOPS,1.5 TB/s" or
// "table:a100.csv". SCALE-Sim's array may be given a clock, "scale-sim:tpu.cfg,700 MHz", and the roofline an
// efficiency, "roofline:312 TFLOPS,1.5 TB/s,0.6"; a peak alone never waits for memory. Files are found in
// `folder`. Throws UserError when it cannot be read.
ComputeModel parse_compute_model(std::string_view text, const std::filesystem::path& folder = {});

}  // namespace overture::compute
