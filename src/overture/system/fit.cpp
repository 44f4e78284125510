#include "overture/system/fit.h"

#include <bit>

#include <fmt/format.h>

#include "overture/base/check.h"
#include "overture/base/error.h"
#include "overture/system/algorithms.h"
#include "overture/system/steps.h"

namespace overture::system {
namespace {

// One algorithm at one place: a dimension, a group, or the whole machine.
class Fitting {
 public:
  Fitting(const SystemConfig& config, const std::string& file) : config_(config), file_(file) {}

  void check(const Algorithm& algorithm, CollectiveKind kind, int ranks, const std::string& where) const {
    if (ranks < 2) return;
    need_ability(algorithm, kind, where);
    need_power_of_two(algorithm, ranks, where);
    need_steps(algorithm, ranks, where);
    if (algorithm.kind->rounds && config_.shared_bus)
      fail(fmt::format("{} has no model of a shared bus", name(algorithm.kind)),
           "leave out shared_bus, or use another algorithm");
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& hint) const {
    throw UserError({.file = file_}, what, hint);
  }

  void need_ability(const Algorithm& algorithm, CollectiveKind kind, const std::string& where) const {
    if (algorithm.kind->can_do.has(kind)) return;
    if (algorithm.kind == kDoubleBinaryTree && config_.tree_always_reduces &&
        kind != CollectiveKind::all_to_all)
      return;
    fail(fmt::format("{} on {} cannot do {}", name(algorithm.kind), where, name(kind)),
         "use ring or direct there");
  }

  void need_power_of_two(const Algorithm& algorithm, int ranks, const std::string& where) const {
    if (!algorithm.kind->power_of_two || std::has_single_bit(static_cast<unsigned>(ranks))) return;
    fail(fmt::format("{} needs a power of two of NPUs, but {} has {}", name(algorithm.kind), where, ranks),
         "use ring or direct there, or change the number of NPUs");
  }

  void need_steps(const Algorithm& algorithm, int ranks, const std::string& where) const {
    if (algorithm.kind != kFromFile || algorithm.steps->ranks == ranks) return;
    fail(fmt::format("the algorithm's file is for {} ranks, but {} has {}", algorithm.steps->ranks, where,
                     ranks),
         "write one for as many ranks");
  }

  const SystemConfig& config_;
  const std::string& file_;
};

bool scatters_and_gathers(const SystemConfig& config, CollectiveKind kind) {
  return kind == CollectiveKind::all_reduce && config.optimization == Optimization::local_bandwidth_aware;
}

// Inside the last dimension that a chunk visits, an all-reduce is scattered and gathered. Which one is the
// last is fixed only if the order is.
void check_dimensions(const Fitting& fitting, const SystemConfig& config, CollectiveKind kind,
                      const LogicalDimensions& logical) {
  const Implementation& implementation = config.implementation(kind);
  check(static_cast<int>(implementation.per_dimension.size()) == logical.count(),
        "an algorithm per dimension");
  int last = -1;
  for (int d = 0; d < logical.count(); ++d) {
    if (logical.dimensions[static_cast<std::size_t>(d)].size > 1) last = d;
  }
  for (int d = 0; d < logical.count(); ++d) {
    const auto i = static_cast<std::size_t>(d);
    const std::string where = fmt::format("dimension {}", d);
    fitting.check(implementation.per_dimension[i], kind, logical.dimensions[i].size, where);
    const bool halves = scatters_and_gathers(config, kind) &&
                        (d != last || config.inter_order != InterOrder::ascending) && last > 0;
    if (!halves) continue;
    for (const CollectiveKind half : {CollectiveKind::reduce_scatter, CollectiveKind::all_gather})
      fitting.check(implementation.per_dimension[i], half, logical.dimensions[i].size, where);
  }
}

}  // namespace

SystemConfig fit(SystemConfig config, std::span<const CollectiveKind> used, const LogicalDimensions& logical,
                 const topology::Hierarchy& machine, const std::string& file,
                 std::span<const int> group_sizes) {
  for (Implementation& implementation : config.implementations) {
    if (implementation.flat || logical.broken < 0 || implementation.per_dimension.empty()) continue;
    const auto at = implementation.per_dimension.begin() + logical.broken;
    implementation.per_dimension.insert(at, *at);
  }
  const Fitting fitting(config, file);
  for (const CollectiveKind kind : used) {
    const Implementation& implementation = config.implementation(kind);
    for (const int ranks : group_sizes)
      fitting.check(implementation.per_dimension.back(), kind, ranks, fmt::format("a group of {}", ranks));
    if (implementation.flat) {
      fitting.check(implementation.per_dimension.front(), kind, machine.ranks(), "the machine");
    } else {
      check_dimensions(fitting, config, kind, logical);
    }
  }
  return config;
}

}  // namespace overture::system
