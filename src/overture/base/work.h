// Work: the pieces that training consists of, each with the numbers that its time depends on. Who does a
// piece tells Marks that it is done; who knows a clock, the driver, notes how long it took. Recordings name
// pieces by these words, and calibrations say what each costs.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace overture {

enum class Work : std::uint8_t {
  other,  // whatever has no name
  // trainers
  begin_step,  // an order is read
  pack_rows,   // rows that leave the cache, for one server
  ask_rows,    // a request for rows, for one server
  take_rows,   // rows that were asked for
  gather,      // rows are looked up and pooled
  forward,     // a product of a linear layer, and the next two
  input_gradient,
  weight_gradient,
  interact,  // dot products of vectors
  interact_back,
  model,                // the rest of a model: loss, columns joined
  update_rows,          // gradients of rows are added up and applied: one trainer
  sum_rows,             // gradients of rows are added up: several trainers
  pack_gradients,       // of rows, for their owners
  apply_gradients,      // owners add up what they got, and pack the rows for their next users
  take_updates,         // rows that others own
  late_pack_gradients,  // the same three for rows that the next batch does not use
  late_apply_gradients,
  late_take_updates,
  pack_dense,  // dense gradients for those who add them up
  add_dense,   // a share of them is added up
  take_dense,  // parameters that others have changed
  update_dense,
  end_step,
  // servers
  serve_rows,
  store_rows,
  // the oracle
  read_data,
  look_ahead,  // the planner takes a batch in
  plan,
  pack_order,  // for one trainer
  // every party
  send,  // a message is handed to the transport
  take,  // a message is handed to the party, beyond the pieces above
};
inline constexpr std::size_t kWorks = static_cast<std::size_t>(Work::take) + 1;
inline constexpr std::size_t kWorkNumbers = 3;
using WorkNumbers = std::array<std::int64_t, kWorkNumbers>;

struct WorkKind {
  Work work;
  std::string_view name;                             // as in files
  std::array<std::string_view, kWorkNumbers> units;  // what its numbers count; empty: unused
  std::string_view help;
};
// By number of the work.
std::span<const WorkKind> work_kinds();
inline const WorkKind& kind_of(Work work) { return work_kinds()[static_cast<std::size_t>(work)]; }
// Late rounds do what the urgent ones do: one cost for both.
Work priced_as(Work work);

// Told what has been done since it was told last.
class Marks {
 public:
  virtual ~Marks() = default;
  // `step` is the batch that the work is for, where it may be another than the one under way; or kThisStep.
  static constexpr std::int64_t kThisStep = -1;
  virtual void done(Work work, const WorkNumbers& numbers, std::int64_t step = kThisStep) = 0;
};

}  // namespace overture
