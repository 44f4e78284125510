#include "overture/cli/flows_tries.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "overture/base/error.h"
#include "overture/base/interrupt.h"
#include "overture/network/run_flows.h"

namespace overture::cli {
namespace {

constexpr std::size_t kMostOfAKind = 3;
constexpr std::uint64_t kMostHops = 5'000'000;  // a second of the packet engine, or less
constexpr std::uint64_t kMostEvents = 500'000;  // of a simulated training, above the network
constexpr std::size_t kMostFlows = 100'000;     // for backends that count no hops
constexpr double kWorthTelling = 0.99;          // of the makespan

// Zero if it is not faster, or cannot be done on this network.
Duration makespan_with(const setup::Setup& setup, std::vector<std::string> overrides,
                       const std::string& change, const std::vector<network::FlowSpec>& flows,
                       Duration makespan) {
  overrides.push_back(change);
  network::RunLimits limits{.until = Time{makespan}};
  limits.go_on = [](const network::RunSoFar&) { return !Interrupt::requested(); };
  try {
    const setup::Setup changed = setup::load_setup(setup.file, overrides, setup::Needs::network);
    const auto result = network::run_flows(setup::network_config(changed), flows, limits);
    return result.finished == flows.size() && result.makespan < makespan ? result.makespan : Duration{};
  } catch (const UserError&) {
    return {};
  }
}

// The same of a simulated training.
Duration finished_with(const setup::Setup& setup, std::vector<std::string> overrides,
                       const std::string& change, Duration finished) {
  overrides.push_back(change);
  simulation::Limits limits{.until = Time{finished}};
  limits.go_on = [](Time, std::uint32_t) { return !Interrupt::requested(); };
  try {
    const setup::Setup changed = setup::load_setup(setup.file, overrides);
    const auto result = simulation::simulate(changed.simulation, {}, limits);
    return result.complete && result.finished < finished ? result.finished : Duration{};
  } catch (const UserError&) {
    return {};
  }
}

const FlowsTry* best(const std::vector<FlowsTry>& tries, bool buys, Duration makespan) {
  const FlowsTry* found = nullptr;
  for (const FlowsTry& one : tries) {
    if (one.buys != buys || one.makespan == Duration{}) continue;
    if (static_cast<double>(one.makespan.count()) > kWorthTelling * static_cast<double>(makespan.count()))
      continue;
    if (found == nullptr || one.makespan < found->makespan) found = &one;
  }
  return found;
}

}  // namespace

std::vector<FlowsTry> likely_changes(const setup::Setup& setup, const network::NetworkRecord& record) {
  std::vector<FlowsTry> settings;
  std::vector<FlowsTry> purchases;
  for (network::SetupChange& one : network::changes_to_try(setup::network_config(setup), record)) {
    std::vector<FlowsTry>& list = one.buys ? purchases : settings;
    if (list.size() < kMostOfAKind) list.push_back({.change = std::move(one.change), .buys = one.buys});
  }
  settings.insert(settings.end(), purchases.begin(), purchases.end());
  return settings;
}

std::vector<FlowsTry> try_changes(const setup::Setup& setup, const std::vector<std::string>& overrides,
                                  const std::vector<network::FlowSpec>& flows,
                                  const network::FlowsResult& result) {
  if (result.finished != flows.size() || result.makespan == Duration{}) return {};
  const std::uint64_t hops = result.record.count("packet_hops") + result.record.count("flit_hops");
  if (hops > kMostHops || flows.size() > kMostFlows) return {};
  std::vector<FlowsTry> tries = likely_changes(setup, result.record);
  for (FlowsTry& one : tries)
    one.makespan = makespan_with(setup, overrides, one.change, flows, result.makespan);
  return tries;
}

std::vector<FlowsTry> try_changes(const setup::Setup& setup, const std::vector<std::string>& overrides,
                                  const simulation::SimulationResult& result,
                                  const network::NetworkRecord& record) {
  const std::uint64_t hops = record.count("packet_hops") + record.count("flit_hops");
  if (!result.complete || result.finished == Duration{} || hops > kMostHops || result.events > kMostEvents)
    return {};
  std::vector<FlowsTry> tries = likely_changes(setup, record);
  for (FlowsTry& one : tries) one.makespan = finished_with(setup, overrides, one.change, result.finished);
  return tries;
}

std::string tell(const std::vector<FlowsTry>& tries, Duration makespan) {
  if (tries.empty()) return {};
  const FlowsTry* setting = best(tries, false, makespan);
  const FlowsTry* purchase = best(tries, true, makespan);
  std::vector<std::string> changes;
  for (const FlowsTry& one : tries) changes.push_back(one.change);
  if (setting == nullptr && purchase == nullptr)
    return fmt::format("we tried {} and none made it faster", fmt::join(changes, ", "));
  std::vector<std::string> found;
  for (const FlowsTry* one : {setting, purchase}) {
    if (one == nullptr) continue;
    found.push_back(fmt::format("with {} the run takes {} instead of {}", one->change,
                                to_string(one->makespan), to_string(makespan)));
  }
  if (tries.size() == 1) return fmt::format("we tried one change: {}", found.front());
  return fmt::format("of {} changes that we tried, what helps most: {}", tries.size(),
                     fmt::join(found, "; "));
}

}  // namespace overture::cli
