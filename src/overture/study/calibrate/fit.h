// What a machine needs for the pieces of training, fitted to recordings of it: costs in proportion to what a
// piece works on, none of them negative. Pieces that took more than twice as long as fitted were interrupted
// by something else and do not count.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "overture/model/machine.h"
#include "overture/recording/recording.h"

namespace overture::study {

// A measured amount, and what it depends on.
struct Observation {
  std::array<double, kWorkNumbers> counts{};
  double value = 0;
};
struct LinearFit {
  double each = 0;
  std::array<double, kWorkNumbers> per{};
  double spread = 0;     // median of |value - fitted| / fitted
  std::size_t kept = 0;  // observations that count

  double at(const std::array<double, kWorkNumbers>& counts) const;
};
// Least squares, in proportion to the values; every coefficient is zero or more.
LinearFit fit_costs(std::span<const Observation> observations);

// How far a machine's costs are from what a recording measured.
struct Residual {
  Work work = Work::other;
  std::int64_t pieces = 0;
  double measured_ms = 0;  // together
  double fitted_ms = 0;
  double median_error = 0;  // of a piece: |measured - fitted| / fitted
};

struct FittedMachine {
  model::Machine machine;
  std::vector<Residual> residuals;  // on what it was fitted to
};

// To all recordings together; at least one. Messages are those of the recording in which they were fastest:
// in others a link may have slowed them down.
FittedMachine fit_machine(std::span<const recording::Recording> recordings);

// What a million bytes compute more at either end of links that hold them back, from recordings over such
// links: bytes come in small pieces there, and the kernel's share of each interrupts whoever computes. So it
// is what parties computed beside their pieces, and what trainers' pieces computed more than they cost, less
// what carrying costs on `machine`, which was fitted to free links.
Duration interrupts_held_back(const model::Machine& machine,
                              std::span<const recording::Recording> recordings);

// Takes from `better` the costs that it has; messages stay the machine's own.
void prefer_costs(model::Machine& machine, const model::Machine& better);

// On other recordings. Works that the machine has no cost for are left out.
std::vector<Residual> residuals(const model::Machine& machine,
                                std::span<const recording::Recording> recordings);

}  // namespace overture::study
