#include "run_checks.h"

#include <optional>
#include <string_view>

namespace overture::fuzz {
namespace {

void check_result(const simulation::SimulationResult& result) {
  require(result.finished >= result.compute(), "computing takes its time");
  for (const simulation::LayerAccount& layer : result.layers) {
    for (const simulation::PassAccount& pass : layer.passes) {
      require(pass.compute >= Duration{} && pass.communication >= Duration{}, "no time is negative");
      require(pass.exposed >= Duration{} && pass.exposed <= result.finished, "no wait outlasts the run");
    }
  }
  for (const system::DimensionUse& use : result.dimensions) {
    Time last{};
    for (const auto& interval : use.busy) {
      require(interval.from >= last && interval.to >= interval.from, "busy times follow each other");
      last = interval.to;
    }
    require(last.time_since_epoch() <= result.finished, "nothing is busy after the end");
  }
}

void check_same(const simulation::SimulationResult& one, const simulation::SimulationResult& all) {
  require(one.finished == all.finished, "one rank tells when all finish");
  require(one.sent_by_rank_0 == all.sent_by_rank_0, "rank 0 sends the same, whoever else is simulated");
  for (std::size_t l = 0; l < one.layers.size(); ++l) {
    for (std::size_t k = 0; k < workload::kPassKinds; ++k) {
      require(one.layers[l].passes[k].exposed == all.layers[l].passes[k].exposed,
              "one rank tells how long all wait");
    }
  }
}

// Nothing when the configuration was refused.
std::optional<simulation::SimulationResult> attempt(const simulation::SimulationConfig& config) {
  try {
    return simulation::simulate(config);
  } catch (const UserError& error) {
    require(std::string_view(error.what()).find("deadlock") == std::string_view::npos, error.what());
    return std::nullopt;
  }
}

}  // namespace

void check_run(simulation::SimulationConfig config) {
  const auto one = attempt(config);
  config.scope = system::Scope::all;
  const auto all = attempt(config);
  require(one.has_value() == all.has_value(), "one rank tells whether all can run");
  if (!one) return;
  check_result(*one);
  check_result(*all);
  check_same(*one, *all);
}

}  // namespace overture::fuzz
