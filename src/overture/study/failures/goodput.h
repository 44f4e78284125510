// Training through failures, over days: it computes, writes a checkpoint every so often, and after a failure
// restarts and reads the last one. How much of the time is useful, where the rest goes, and which interval is
// best. Nothing here knows a network: failures come at the rate of the parts there are.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

namespace overture::study::failures {

// All times in seconds.
struct Parts {
  double nodes = 0;
  double links = 0;
  double switches = 0;
};

// A k-ary fat tree for so many nodes has three cables and 5/4 (4/n)^(1/3) switches a node (Al-Fares et al.,
// SIGCOMM 2008), as real numbers: k need not be whole.
Parts fat_tree_parts(double nodes);

struct Reliability {
  double node_mtbf = 0;  // mean time between failures of one part
  double link_mtbf = 0;
  double switch_mtbf = 0;
  // Weibull's shape of the time between failures: 1 is exponential, below 1 failures come in bursts.
  double shape = 1;
};

// Of all parts together.
double system_mtbf(const Parts& parts, const Reliability& reliability);

struct Checkpointing {
  double write = 0;    // training stands still meanwhile
  double read = 0;     // after a restart
  double restart = 0;  // from a failure until reading begins: notice, replace, start
};

// Where time goes, as shares of all.
struct Goodput {
  double useful = 0;
  double writing = 0;               // checkpoints
  double lost_work = 0;             // computed, or being written, since the last checkpoint, and gone
  double restarting = 0;            // and reading
  std::array<double, 3> lost_by{};  // of the last two: nodes, links, switches
  double failures = 0;              // in a run
};

struct TrainingRuns {
  double days = 30;  // of a run
  int runs = 1000;
  std::uint64_t seed = 1;
  // Asked often. Once it says yes, what is returned means nothing.
  std::function<bool()> stopped = {};
};

// Means over all runs. An interval is the computing between two checkpoints.
Goodput simulate_goodput(const Parts& parts, const Reliability& reliability, const Checkpointing& checkpoints,
                         double interval, const TrainingRuns& runs);

// Young (1974): sqrt(2 C M). Daly (2006), eq. 37: with higher orders of C / 2M, and M where C is 2M or more.
double young(double write, double mtbf);
double daly(double write, double mtbf);
// What is best for exponential failures, exactly: M (1 + W(-exp(-1 - C/M))) with Lambert's W.
double exact_best(double write, double mtbf);

struct Best {
  double interval = 0;
  double useful = 0;  // there
};
// The interval with the most useful time, from simulated runs around Young's: a parabola through them, since
// the top is flat and runs differ by chance.
Best best_interval(const Parts& parts, const Reliability& reliability, const Checkpointing& checkpoints,
                   const TrainingRuns& runs);

}  // namespace overture::study::failures
