// Machine: what one machine needs for the pieces of training (base/work.h), as `overture calibrate` measured
// them, and what a message takes between two of its processes. A file (setup/machine_file.h); simulate, plan
// and codesign price with it. Holds for the machine that it names.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "overture/base/this_machine.h"
#include "overture/base/units.h"
#include "overture/base/work.h"

namespace overture::model {

// A piece costs `each`, and more for what it works on: `per_million` of each of its quantities.
struct WorkCost {
  Duration each{};
  std::array<Duration, kWorkNumbers> per_million{};
  double spread = 0;         // median of |measured - fitted| / fitted
  std::uint64_t pieces = 0;  // that were measured
};

// A linear layer of a shape that was measured itself: better than the cost of any shape.
struct ShapeCost {
  Work work = Work::forward;  // or input_gradient, weight_gradient
  int inputs = 0;
  int outputs = 0;
  Duration each{};
  Duration per_million_samples{};
};

struct Machine {
  MachineName name;
  std::string made_by;  // version of the program that calibrated it
  int threads = 1;      // of a trainer
  std::array<std::optional<WorkCost>, kWorks> costs{};
  std::vector<ShapeCost> shapes;
  Duration message{};      // from a send to the receiver's work, beside the bytes' own time
  Bandwidth wire{};        // at which the bytes of a message go where no link is slower; 0: at once
  Duration message_cpu{};  // of sender and receiver each, outside their own threads
  Duration message_cpu_per_million{};         // bytes
  Duration message_interrupts_per_million{};  // the same for bytes that links hold back; of whoever computes

  const std::optional<WorkCost>& cost(Work work) const {
    return costs[static_cast<std::size_t>(priced_as(work))];
  }
  // Zero for work that was not measured.
  Duration time(Work work, const WorkNumbers& numbers) const;
};

// What the cost of a piece depends on: its numbers, or for products and interactions what follows from them.
std::array<double, kWorkNumbers> quantities(Work work, const WorkNumbers& numbers);
// Their names, as in files; empty: unused.
std::array<std::string_view, kWorkNumbers> quantity_names(Work work);

constexpr bool is_product(Work work) {
  return work == Work::forward || work == Work::input_gradient || work == Work::weight_gradient;
}

}  // namespace overture::model
