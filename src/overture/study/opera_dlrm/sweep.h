// Co-design: which slice, reconfiguration time, bulk threshold, placement and all-reduce serve Opera best for
// a model on so many nodes, and how much of its gap to the best fat tree they close. Says which cells to run
// and reads their results.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "overture/study/opera_dlrm/figures.h"
#include "overture/study/opera_dlrm/table.h"

namespace overture::study::opera_dlrm {

// "all-reduce" or the name of a knob, and the values to try.
struct SweepAxis {
  std::string name;
  std::vector<std::string> values;
};
// "slice-us=10,20,40". Throws UserError for an unknown name, a value that it cannot have, and for none.
SweepAxis parse_sweep_axis(std::string_view text);

// What --sweep auto varies; the packet backend adds the bulk threshold, which the fluid cannot know.
std::vector<SweepAxis> automatic_axes(StudyBackend backend);

// Combinations that cannot run.
struct LeftOut {
  std::string reason;
  std::vector<Cell> cells;
};

struct SweepPlan {
  std::vector<Cell> cells;
  std::vector<LeftOut> left_out;
};

// Every combination of the axes on every network of the choice (Opera and the fat tree, if it names none),
// which ignores what it does not have; always with the unchanged Opera and the fat tree to compare with.
// Without an axis for it, the all-reduce is ring and DPS. Throws UserError when no combination can run.
SweepPlan sweep_all(const MatrixChoice& choice, const std::vector<SweepAxis>& axes);
// Every value of every axis, with all else as it was. Placements are tried on tables of different sizes, and
// only where a node has several: else all are alike.
SweepPlan sweep_each(const MatrixChoice& choice, const std::vector<SweepAxis>& axes);
// For all that was trained in `rows`: the best values of the design axes, found one at a time, together; and
// every slice that was tried with the best reconfiguration time.
SweepPlan sweep_best(const std::vector<StudyRow>& rows);

// One model on so many nodes, with a batch, tables and columns: on the same work times compare.
struct CoDesign {
  Cell work;                        // without a network
  const StudyRow* tree = nullptr;   // the best fat tree, any all-reduce
  const StudyRow* opera = nullptr;  // unchanged, DPS
  const StudyRow* tuned = nullptr;  // the best Opera with the reconfiguration time of the unchanged one
  const StudyRow* best = nullptr;   // the best Opera

  double gap() const;   // of the unchanged Opera's time over the tree's, 0: none
  double left() const;  // of the best Opera's
  // Of the gap; none if there was none. More than 1: Opera is ahead.
  std::optional<double> closed() const;
};
// Of all work that ran on both networks; `rows` outlives them.
std::vector<CoDesign> co_designs(const std::vector<StudyRow>& rows);

std::string gap_table(const std::vector<CoDesign>& designs);
// The best configuration of each network for all work, in samples a second: across batches these compare.
std::string best_configurations(const std::vector<CoDesign>& designs);
// What co-design closes at the most nodes, in a sentence for each model.
std::string gap_summary(const std::vector<CoDesign>& designs);

std::string sweep_csv(const std::vector<FinishedCell>& cells);

// For each model at the most nodes: Opera's time over the best fat tree's, as each axis alone moves it.
std::vector<Figure> sweep_figures(const std::vector<StudyRow>& rows);

}  // namespace overture::study::opera_dlrm
