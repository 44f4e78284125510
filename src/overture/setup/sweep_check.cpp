// What is wrong with a key or a value of a sweep, told once and before the first run.
#include <algorithm>
#include <map>
#include <optional>

#include "overture/base/error.h"
#include "overture/setup/setup.h"
#include "overture/setup/sweep_setup.h"
#include "overture/setup/train_setup.h"

namespace overture::setup {
namespace {

namespace fs = std::filesystem;

void load(const SweepSetup& sweep, const fs::path& file, const std::vector<std::string>& overrides) {
  if (sweep.command == "train") {
    load_train_setup(file, overrides);
  } else {
    load_setup(file, overrides, sweep.command == "flows" ? Needs::network : Needs::workload);
  }
}

std::optional<UserError> error_of(const SweepSetup& sweep, const fs::path& file,
                                  const std::vector<std::string>& overrides) {
  try {
    load(sweep, file, overrides);
  } catch (const UserError& error) {
    return error;
  }
  return std::nullopt;
}

}  // namespace

// A value is sound if any point with it loads: some combinations may contradict themselves, and are told as
// the points that they are. Most sweeps are checked by as many loads as they have values.
void check_points(const SweepSetup& setup) {
  constexpr std::size_t kMostLoads = 1000;
  const fs::path file = fs::path(setup.file).parent_path() / setup.setup;
  std::map<std::string, std::optional<UserError>> values;  // what is wrong with each; empty: nothing
  std::size_t loads = 0;
  bool any = false;
  for (const auto& point : sweep_points(setup)) {
    const auto is_sound = [&](const std::string& value) { return values.contains(value) && !values[value]; };
    if (any && std::ranges::all_of(point, is_sound)) continue;
    if (++loads > kMostLoads) return;
    const std::optional<UserError> error = error_of(setup, file, point);
    any = any || !error;
    for (const std::string& value : point) {
      if (!error) values[value].reset();
      if (error && !values.contains(value)) values[value] = error;
    }
  }
  for (const auto& [value, error] : values) {
    if (!error) continue;
    if (!any) throw UserError({.file = setup.file}, "no point can be run", error->what());
    throw UserError({.file = setup.file, .key = "axes"}, "no point can be run with " + value, error->what());
  }
}

}  // namespace overture::setup
