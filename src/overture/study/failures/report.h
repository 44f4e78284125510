// What `overture study failures` leaves: goodput by checkpoint interval and scale beside Young's and Daly's
// formulas, what one slow node costs, and how networks stand the loss of a share of their parts.
#pragma once

#include <string>
#include <vector>

#include "overture/study/failures/connectivity.h"
#include "overture/study/failures/goodput.h"
#include "overture/study/study_report.h"

namespace overture::study::failures {

// So many nodes, with all intervals that were tried.
struct Scale {
  Parts parts;
  double mtbf = 0;
  Best best;
  double young = 0;
  double daly = 0;
  std::vector<std::pair<double, Goodput>> by_interval;  // ascending
  Goodput at_best;
};

// The same machine, with checkpoints that take longer and longer to write.
struct Regime {
  double write_over_mtbf = 0;
  double best = 0;  // intervals, as shares of the mean time between failures
  double young = 0;
  double daly = 0;
  double useful_best = 0;  // of the time, with each of the three
  double useful_young = 0;
  double useful_daly = 0;
};

// Training with one node, or one node's cable, slower by a factor.
struct SlowRun {
  std::string training;  // "synchronous", "cache, 8 batches ahead"
  std::string slow;      // "computing" or "cable"
  double factor = 1;
  double iteration_us = 0;
  StudyCell cell;
};

struct NetworkRun {
  std::string network;
  double share = 0;  // of its cables between switches that are down
  int draws = 0;
  double makespan_us = 0;  // mean of those draws in which all arrived
  double unfinished = 0;   // share of flows, mean of all draws
  StudyCell cell;
};

struct Results {
  Reliability reliability;
  Checkpointing checkpoints;
  TrainingRuns runs;
  std::vector<Scale> scales;
  std::vector<Regime> regimes;
  std::vector<SlowRun> slow;
  std::vector<NetworkRun> networks;
  std::vector<Connectivity> connectivity;

  bool empty() const {
    return scales.empty() && regimes.empty() && slow.empty() && networks.empty() && connectivity.empty();
  }
};

// Goodput by interval, and the best one.
Scale run_scale(double nodes, const Results& asked);
// Times to write a checkpoint, as shares of the mean time between failures; and what is best with one of
// them.
constexpr double kRegimes[] = {0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0};
Regime run_regime(double write_over_mtbf, const Results& asked);

// How far a formula's interval is from the best one, as a share of that.
double deviation(double formula, double best);
// Up to which share of the mean time between failures a checkpoint may take for a formula to stay within 5 %.
double holds_up_to(const std::vector<Regime>& regimes, double Regime::*formula);

StudyReport make_report(const Results& results);

// Tables for the terminal.
std::string scales_text(const Results& results);
std::string regimes_text(const Results& results);
std::string slow_text(const Results& results);
std::string networks_text(const Results& results);

}  // namespace overture::study::failures
