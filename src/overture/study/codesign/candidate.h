// One candidate of a search: what it costs, how fast it can be at best, and how fast a simulation says it is.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "overture/network/cost.h"
#include "overture/network/make_network.h"
#include "overture/setup/search_setup.h"
#include "overture/setup/setup.h"
#include "overture/simulation/simulation.h"

namespace overture::study {

// What is known without a simulation.
struct Candidate {
  setup::SearchPoint point;
  double dollars = 0;
  double watts = 0;
  double bound_us = 0;  // of a step: no simulation can be faster
  std::int64_t batch = 0;
  std::string problem;  // why it cannot run; empty: it can

  // A step of so long, as microseconds for a million samples.
  double per_million(double step_us) const { return step_us * 1e6 / static_cast<double>(batch); }
};

// A simulated step.
struct StepTime {
  double step_us = 0;
  double compute_us = 0;
  std::string limit;  // what takes most of it
};

// Circuits of rotors that were drawn, by what they were drawn for: candidates that differ in other things
// share them. For many threads.
class DrawnRotors {
 public:
  // In place of a draw of its own.
  void give(network::NetworkConfig& config);

 private:
  topology::OperaSource drawn(const topology::OperaSource& source);

  std::mutex mutex_;
  std::map<std::string, topology::Opera> drawn_;
};

// Loads candidates and simulates them; for many threads at a time.
class CandidateModel {
 public:
  // Reads the price list that the search names. Throws UserError.
  // `stop` is asked by all threads while they simulate.
  explicit CandidateModel(const setup::SearchSetup& search, std::function<bool()> stop = {});

  // Once it was told to stop, it does nothing more and what it returns means nothing.
  bool stopped() const { return stop_ && stop_(); }
  const setup::SearchSetup& search() const { return search_; }
  // Of the search; without one, that of the setup as it stands.
  const network::Prices& prices() const { return prices_; }
  const std::string& setup_text() const { return setup_text_; }
  const std::string& setup_file() const { return setup_file_; }

  // Costs and bound of candidate `number`. Never throws for one that cannot run: that is its `problem`.
  Candidate describe(std::uint64_t number) const;
  // As flows, or whatever backend its setup names. Throws UserError.
  StepTime simulate(const setup::SearchPoint& point) const;
  // The whole setup as YAML, to copy.
  std::string setup_yaml(const setup::SearchPoint& point) const;
  // What its network is made of.
  std::vector<network::CostPart> bill(const setup::SearchPoint& point) const;
  // Simulates again with all links, and with computing, half as fast: how much longer a step takes.
  std::string what_matters(const setup::SearchPoint& point, const StepTime& now) const;
  // The backend that plays packets on this candidate's network.
  std::string packet_backend(const setup::SearchPoint& point) const;

 private:
  const network::Prices& prices_of(const setup::Setup& setup) const;
  setup::Setup load(const setup::SearchPoint& point, setup::Needs needs) const;

  simulation::SimulationResult play(const simulation::SimulationConfig& config) const;

  setup::SearchSetup search_;
  std::function<bool()> stop_;
  network::Prices prices_;
  std::string setup_file_;
  std::string setup_text_;
  mutable setup::PlannedTraffic planned_;
  mutable DrawnRotors rotors_;
};

}  // namespace overture::study
