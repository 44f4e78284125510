#include "overture/simulation/stragglers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "overture/base/hash.h"
#include "overture/topology/routing.h"

namespace overture::simulation {
namespace {

// Beyond this a task counts as one that never ends.
constexpr double kLongest = 1e18;  // ps

double unit(std::uint64_t random) { return static_cast<double>(random >> 11) * 0x1.0p-53; }

// Box and Muller (1958). The cosine of the standard library may differ in its last bit between machines,
// which moves a task by less than a picosecond in a second.
double normal(std::uint64_t random) {
  const double radius = std::sqrt(-2 * std::log1p(-unit(random)));
  return radius * std::cos(2 * std::numbers::pi * unit(split_mix(random + kGoldenStep)));
}

}  // namespace

Stragglers::Stragglers(const network::Faults& faults, int ranks) : seed_(faults.seed.value_or(1)) {
  of_rank_.resize(static_cast<std::size_t>(ranks));
  for (std::size_t i = 0; i < faults.nodes.size(); ++i) {
    const network::NodeFault& fault = faults.nodes[i];
    faults_.push_back({.from = Time{fault.from},
                       .until = fault.until ? Time{*fault.until} : Time::max(),
                       .what = fault,
                       .number = i});
    for (const int rank : nodes_of(faults, i, ranks))
      of_rank_[static_cast<std::size_t>(rank)].push_back(static_cast<std::uint32_t>(i));
  }
}

double Stragglers::factor(const Fault& fault, int rank, std::uint32_t task) const {
  if (fault.what.dies) return 0;
  std::uint64_t random =
      split_mix(topology::flow_hash(seed_, rank, static_cast<int>(fault.number)) + kGoldenStep * (task + 1));
  if (fault.what.chance < 1 && unit(random) >= fault.what.chance) return 1;
  if (fault.what.spread == 0) return fault.what.slowdown;
  random = split_mix(random + kGoldenStep);
  return fault.what.slowdown * std::exp(fault.what.spread * normal(random));
}

Time Stragglers::end(int rank, Time start, Duration work, std::uint32_t task) const {
  const std::vector<std::uint32_t>& mine = of_rank_[static_cast<std::size_t>(rank)];
  if (mine.empty()) return start + work;
  std::vector<Factor> factors;
  for (const std::uint32_t i : mine)
    factors.push_back({faults_[i].from, faults_[i].until, factor(faults_[i], rank, task)});
  auto left = static_cast<double>(work.count());
  for (Time now = start;;) {
    // The pace is the same until the next fault begins or ends.
    double pace = 1;
    Time next = Time::max();
    for (const Factor& each : factors) {
      if (each.from <= now && now < each.until) pace = each.factor == 0 ? 0 : pace / each.factor;
      if (each.from > now) next = std::min(next, each.from);
      if (each.until > now) next = std::min(next, each.until);
    }
    if (left == 0) return now;
    const double needed = pace == 0 ? std::numeric_limits<double>::infinity() : left / pace;
    if (next == Time::max()) return needed >= kLongest ? Time::max() : now + Duration{std::llround(needed)};
    const auto window = static_cast<double>((next - now).count());
    if (needed <= window) return now + Duration{std::llround(needed)};
    left -= window * pace;
    now = next;
  }
}

Time Stragglers::last_end(Time start, Duration work, std::uint32_t task) const {
  Time last = start + work;
  for (std::size_t rank = 0; rank < of_rank_.size(); ++rank) {
    if (!of_rank_[rank].empty()) last = std::max(last, end(static_cast<int>(rank), start, work, task));
  }
  return last;
}

}  // namespace overture::simulation
