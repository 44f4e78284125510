#include "overture/study/codesign/candidate.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/setup/prices.h"

namespace overture::study {
namespace {

using simulation::SimulationConfig;
using simulation::SimulationResult;
using workload::Communication;
using workload::Layer;
using workload::PassKind;

double micro(Duration time) { return static_cast<double>(time.count()) / 1e6; }

// What a host can send: all its links together.
double host_bytes_per_us(const topology::Graph& graph) {
  double rate = 0;
  for (const topology::Link& link : graph.links_of(0)) rate += link.wire.rate.bytes_per_ns() * 1e3;
  return rate;
}

double host_bytes_per_us(const network::NetworkConfig& config) {
  const network::Wires wires = wires_of(config);
  if (const auto links = links_of(wires)) return host_bytes_per_us(topology::make_topology(*links).graph);
  return std::get<network::RotorWires>(wires.kind).rate.bytes_per_ns() * 1e3;
}

// What a rank sends on the average, whatever the algorithm (Chan et al., 2007).
double bytes_of_rank(const Communication& communication, double ranks) {
  const auto size = static_cast<double>(communication.size.count());
  switch (communication.kind) {
    case system::CollectiveKind::all_reduce: return 2 * size * (ranks - 1) / ranks;
    case system::CollectiveKind::all_gather: return size * (ranks - 1);
    case system::CollectiveKind::reduce_scatter: return size * (ranks - 1) / ranks;
    case system::CollectiveKind::all_to_all: break;
    default: return 0;
  }
  if (!communication.sizes) return size * (ranks - 1) / ranks;
  std::int64_t sum = 0;
  const int all = communication.sizes->ranks();
  for (int from = 0; from < all; ++from) {
    for (int to = 0; to < all; ++to) sum += communication.sizes->at(from, to).count();
  }
  return static_cast<double>(sum) / ranks;
}

// A rank computes all its layers, and sends all its bytes through its own links.
double bound_us(const workload::Workload& workload, int ranks, double bytes_per_us) {
  double compute = 0;
  double bytes = 0;
  for (const Layer& layer : workload.layers) {
    for (const workload::Pass* pass : {&layer.forward, &layer.input_gradient, &layer.weight_gradient}) {
      compute += micro(pass->compute);
      if (pass->communication && ranks > 1) bytes += bytes_of_rank(*pass->communication, ranks);
    }
  }
  return std::max(compute, bytes / bytes_per_us);
}

// With a cache the rows that travel are known only when they are planned: what is computed remains, and what
// dense layers sum.
double bound_of(const setup::Setup& setup, int ranks) {
  workload::DlrmTraining training = make_training(*setup.dlrm, setup.file);
  const double bytes_per_us = host_bytes_per_us(setup.simulation.network);
  if (!setup.cache) return bound_us(dlrm_workload(training, ranks), ranks, bytes_per_us);
  training.sharding = workload::TableSharding::data_parallel;
  training.given.clear();
  training.plan.clear();
  training.memory_per_gpu = Bytes{std::int64_t{1} << 60};
  const int trainers = setup.cache->apart ? std::max(1, ranks - setup.cache->servers - 1) : ranks;
  workload::Workload dense = dlrm_workload(training, trainers);
  Layer& tables = dense.layers.front();
  for (workload::Pass* pass : {&tables.forward, &tables.input_gradient, &tables.weight_gradient})
    pass->communication.reset();
  return bound_us(dense, trainers, bytes_per_us);
}

// The layer and pass whose collective the loop waited for most, if that is more than the computing.
std::string limit_of(const SimulationConfig& config, const SimulationResult& result) {
  const double whole = std::max(1.0, static_cast<double>(result.finished.count()));
  const double compute = static_cast<double>(result.compute().count()) / whole;
  if (compute >= 0.5) return fmt::format("computing, {:.0f} % of the step", 100 * compute);
  Duration most{};
  std::string name = "the exchange of rows and gradients";
  for (std::size_t i = 0; i < result.layers.size(); ++i) {
    for (const PassKind kind : {PassKind::forward, PassKind::input_gradient, PassKind::weight_gradient}) {
      const Duration exposed = result.layers[i].of(kind).exposed;
      if (exposed <= most) continue;
      most = exposed;
      name = fmt::format("{} {}", config.workload.layers[i].name, workload::name(kind));
    }
  }
  return fmt::format("network, {:.0f} % of the step; most of it {}", 100 * (1 - compute), name);
}

void slow_computing(workload::Workload& workload) {
  for (Layer& layer : workload.layers) {
    for (workload::Pass* pass : {&layer.forward, &layer.input_gradient, &layer.weight_gradient})
      pass->compute *= 2;
  }
}

}  // namespace

topology::OperaSource DrawnRotors::drawn(const topology::OperaSource& source) {
  const auto* config = std::get_if<topology::OperaConfig>(&source);
  if (config == nullptr) return source;
  const std::string key =
      fmt::format("{} {} {} {} {} {} {} {} {} {} {}", config->tors, config->ports, config->seed,
                  config->draws, config->rate.bits_per_second(), config->wire.count(), config->dark.count(),
                  config->queue_packets, config->packet.count(), config->slice.count(), config->connected);
  const std::lock_guard lock(mutex_);
  const auto found = drawn_.find(key);
  return found != drawn_.end() ? found->second : drawn_.emplace(key, make_opera(source)).first->second;
}

void DrawnRotors::give(network::NetworkConfig& config) {
  if (topology::OperaSource* circuits = network::circuits_of(config)) *circuits = drawn(*circuits);
}

CandidateModel::CandidateModel(const setup::SearchSetup& search, std::function<bool()> stop)
    : search_(search),
      stop_(std::move(stop)),
      setup_file_((std::filesystem::path(search.file).parent_path() / search.setup).string()),
      setup_text_(read_file(setup_file_)) {
  if (!search.prices.empty()) {
    prices_ = setup::load_prices(std::filesystem::path(search.file).parent_path() / search.prices);
  } else {
    prices_ = setup::parse_setup(setup_text_, setup_file_, search.fixed, setup::Needs::description).prices;
  }
}

const network::Prices& CandidateModel::prices_of(const setup::Setup& setup) const {
  return search_.prices.empty() ? setup.prices : prices_;
}

setup::Setup CandidateModel::load(const setup::SearchPoint& point, setup::Needs needs) const {
  setup::Setup setup = setup::parse_setup(setup_text_, setup_file_, point.overrides, needs, &planned_);
  rotors_.give(setup.simulation.network);
  return setup;
}

Candidate CandidateModel::describe(std::uint64_t number) const {
  Candidate candidate{.point = setup::search_point(search_, number)};
  if (stopped()) return candidate;
  try {
    const setup::Setup setup = load(candidate.point, setup::Needs::description);
    if (!setup.dlrm)
      throw UserError({.file = setup_file_, .key = "workload.dlrm"}, "is missing",
                      "`overture codesign` searches for a DLRM");
    const int ranks = network::count_hosts(setup.simulation.network);
    candidate.dollars = cost_in_dollars(setup.simulation.network, prices_of(setup));
    candidate.watts = power_in_watts(setup.simulation.network, prices_of(setup));
    candidate.batch = static_cast<std::int64_t>(setup.dlrm->batch);
    candidate.bound_us = bound_of(setup, ranks);
  } catch (const UserError& error) {
    candidate.problem = error.what();
  }
  return candidate;
}

SimulationResult CandidateModel::play(const SimulationConfig& config) const {
  simulation::Limits limits;
  if (stop_) limits.go_on = [this](Time, std::uint32_t) { return !stop_(); };
  return stopped() ? SimulationResult{} : simulation::simulate(config, {}, limits);
}

StepTime CandidateModel::simulate(const setup::SearchPoint& point) const {
  const setup::Setup setup = load(point, setup::Needs::workload);
  const SimulationResult result = play(setup.simulation);
  const double passes = setup.simulation.passes;
  return {.step_us = micro(result.finished) / passes,
          .compute_us = micro(result.compute()) / passes,
          .limit = limit_of(setup.simulation, result)};
}

std::string CandidateModel::setup_yaml(const setup::SearchPoint& point) const {
  return write_setup(load(point, setup::Needs::description));
}

std::vector<network::CostPart> CandidateModel::bill(const setup::SearchPoint& point) const {
  const setup::Setup setup = load(point, setup::Needs::description);
  return cost_parts(setup.simulation.network, prices_of(setup));
}

std::string CandidateModel::what_matters(const setup::SearchPoint& point, const StepTime& now) const {
  setup::Setup setup = load(point, setup::Needs::workload);
  const auto times_as_long = [&](const SimulationConfig& config) {
    return micro(play(config).finished) / setup.simulation.passes / now.step_us;
  };
  SimulationConfig slower = setup.simulation;
  std::string text;
  if (halve_rates(slower.network))
    text = fmt::format("with links half as fast {:.2f} times as long", times_as_long(slower));
  if (setup.simulation.tasks) return text;
  slow_computing(setup.simulation.workload);
  return text + fmt::format("{}with computing half as fast {:.2f} times", text.empty() ? "" : ", ",
                            times_as_long(setup.simulation));
}

std::string CandidateModel::packet_backend(const setup::SearchPoint& point) const {
  return load(point, setup::Needs::description).network.topology.opera ? "rotor" : "packet";
}

}  // namespace overture::study
