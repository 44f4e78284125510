#include "overture/system/fit.h"

#include <bit>

#include <fmt/format.h>

#include "overture/base/check.h"
#include "overture/base/error.h"

namespace overture::system {
namespace {

void need_power_of_two(const Algorithm& algorithm, int ranks, const std::string& where,
                       const std::string& file) {
  const bool halving = algorithm.kind == AlgorithmKind::halving_doubling;
  if (!halving && algorithm.kind != AlgorithmKind::double_binary_tree) return;
  if (ranks < 2 || std::has_single_bit(static_cast<unsigned>(ranks))) return;
  throw UserError({.file = file},
                  fmt::format("{} needs a power of two of NPUs, but {} has {}",
                              halving ? "halvingDoubling" : "doubleBinaryTree", where, ranks),
                  "use ring or direct there, or change the number of NPUs");
}

}  // namespace

SystemConfig fit(SystemConfig config, std::span<const CollectiveKind> used, const LogicalDimensions& logical,
                 const topology::Hierarchy& machine, const std::string& file) {
  for (Implementation& implementation : config.implementations) {
    if (implementation.flat || logical.broken < 0 || implementation.per_dimension.empty()) continue;
    const auto at = implementation.per_dimension.begin() + logical.broken;
    implementation.per_dimension.insert(at, *at);
  }
  for (const CollectiveKind kind : used) {
    const Implementation& implementation = config.implementation(kind);
    if (implementation.flat) {
      need_power_of_two(implementation.per_dimension.front(), machine.ranks(), "the machine", file);
      continue;
    }
    check(static_cast<int>(implementation.per_dimension.size()) == logical.count(),
          "an algorithm per dimension");
    for (std::size_t d = 0; d < logical.dimensions.size(); ++d) {
      need_power_of_two(implementation.per_dimension[d], logical.dimensions[d].size,
                        fmt::format("dimension {}", d), file);
    }
  }
  return config;
}

}  // namespace overture::system
