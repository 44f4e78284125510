#include "overture/study/hoti_dlrm/systems.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/hoti_setups.h"

namespace overture::study::hoti {
namespace {

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return text;
}

}  // namespace

const std::vector<SystemSetup>& systems() {
  static const std::vector<SystemSetup> all{
      {"Flat100G", "flat100g.yaml", setups::kFlat100G, false},
      {"Flat800G", "flat800g.yaml", setups::kFlat800G, false},
      {"Hier", "hier.yaml", setups::kHier, true},
      {"HierOpt", "hieropt.yaml", setups::kHierOpt, true},
  };
  return all;
}

const SystemSetup& system_named(const std::string& name) {
  const auto found = std::ranges::find_if(
      systems(), [&](const SystemSetup& system) { return lower(system.name) == lower(name); });
  if (found != systems().end()) return *found;
  std::vector<std::string> known;
  for (const SystemSetup& system : systems()) known.push_back(system.name);
  throw UserError({.key = "--systems"}, fmt::format("unknown system \"{}\"", name), suggest(name, known));
}

setup::Setup parsed(const SystemSetup& system, const std::vector<std::string>& overrides) {
  return setup::parse_setup(system.text, system.file, overrides);
}

}  // namespace overture::study::hoti
