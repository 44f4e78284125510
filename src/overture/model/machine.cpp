#include "overture/model/machine.h"

#include <algorithm>
#include <cmath>

namespace overture::model {
namespace {

bool is_interaction(Work work) { return work == Work::interact || work == Work::interact_back; }

Duration per_million(Duration cost, double count) {
  return Duration{std::llround(static_cast<double>(cost.count()) * count / 1e6)};
}

}  // namespace

std::array<double, kWorkNumbers> quantities(Work work, const WorkNumbers& numbers) {
  const auto a = static_cast<double>(numbers[0]);
  const auto b = static_cast<double>(numbers[1]);
  const auto c = static_cast<double>(numbers[2]);
  if (is_product(work)) return {2 * a * b * c, a * (b + c), b * c};
  if (is_interaction(work)) return {a * b * b * c, a * b * c, a * b * (b + 1) / 2};
  return {a, b, c};
}

std::array<std::string_view, kWorkNumbers> quantity_names(Work work) {
  if (is_product(work)) return {"flops", "numbers", "weights"};
  if (is_interaction(work)) return {"flops", "numbers", "products"};
  return kind_of(work).units;
}

Duration Machine::time(Work work, const WorkNumbers& numbers) const {
  if (is_product(work)) {
    const auto shape = std::ranges::find_if(shapes, [&](const ShapeCost& one) {
      return one.work == work && one.inputs == numbers[1] && one.outputs == numbers[2];
    });
    if (shape != shapes.end())
      return shape->each + per_million(shape->per_million_samples, static_cast<double>(numbers[0]));
  }
  const std::optional<WorkCost>& found = cost(work);
  if (!found) return {};
  const auto counts = quantities(work, numbers);
  Duration sum = found->each;
  for (std::size_t i = 0; i < counts.size(); ++i) sum += per_million(found->per_million[i], counts[i]);
  return sum;
}

}  // namespace overture::model
