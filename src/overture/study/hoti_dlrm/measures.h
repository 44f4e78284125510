// Numbers that the claims, tables and figures of the study share, from the cells that were run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "overture/study/hoti_dlrm/results.h"

namespace overture::study::hoti {

struct Measured {
  std::string name;
  double value = 0;
};

// Mean of the iterations of every system, in ms; those that were run.
std::vector<Measured> iteration_times(const Results& results);

// T(value) / T(default) of every system; empty unless all are there.
std::vector<Measured> sensitivities(const Results& results, const std::string& axis,
                                    const std::string& value);

// Single all-reduces over what the volume alone takes at the link's rate.
std::vector<Measured> over_bound(const Results& results);

// Of the embedding's all-to-all, in us.
double exchange_latency(const CellResult& result, int iteration, const std::string& pass);
double exposed_exchange(const CellResult& result, int iteration);
double bottom_forward_us(const SystemSetup& system);

// Spearman's rank correlation between the size of the weight gradients and the latency of their all-reduces.
double size_correlation(const CellResult& result, int iteration);
// The same for the time that the network gives to an all-reduce: from its issue, or from the end of the one
// issued before it if that is later. Where the first issued is the first served, the rest is waiting.
double service_correlation(const CellResult& result, int iteration);
// One of the two in the first iteration of every system that was run with this value.
using Correlation = double (*)(const CellResult& result, int iteration);
std::vector<Measured> correlations(const Results& results, const std::string& axis, const std::string& value,
                                   Correlation correlation);
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b);

struct Concurrency {
  std::string label;         // chunks x at a time
  double kib_under_way = 0;  // of a layer of 8 MiB
  double iteration_ms = 0;
};
// By the bytes under way, then by the chunks.
std::vector<Concurrency> concurrency_curve(const Results& results, const std::string& system);

// Values of published axes at which a flat and a hierarchical system change places. None if there is no such
// value among those that were run, and others were not.
std::optional<std::vector<std::string>> ranking_reversals(const Results& results);

// The longest iteration of all systems over the shortest, with this value where the axis concerns a system.
// None if too little was run.
std::optional<double> ratio_with(const Results& results, const std::string& axis, const std::string& value);

// Which knob turns it: sentences for the scoreboard, from the cells that were run.
std::string ratio_experiments(const Results& results);
std::string buffer_experiments(const Results& results);
std::string exchange_experiments(const Results& results);

}  // namespace overture::study::hoti
