// The results of the Opera study side by side with what was published: tables for the terminal, and all of it
// as CSV.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "overture/study/opera_dlrm/cells.h"
#include "overture/study/opera_dlrm/published.h"
#include "overture/study/opera_dlrm/run.h"

namespace overture::study::opera_dlrm {

struct FinishedCell {
  Cell cell;
  CellResult result;
};

// Runs of one cell that differ in their seed only.
struct StudyRow {
  Cell cell;  // of the first seed
  std::vector<CellResult> results;

  double mean_seconds() const;
  double spread() const;  // longest minus shortest, over the mean
};

std::vector<StudyRow> by_seed(const std::vector<FinishedCell>& cells);

// One network against another: same model, variant, nodes, setting and tables, with an all-reduce each.
struct Speedup {
  double ours = 0;
  double spread = 0;  // of both together
  std::optional<double> published;

  // "same", "other", or "close" when the published margin is within the spread of the seeds.
  std::string_view winner() const;
};
struct Contender {
  StudyNetwork network;
  system::AlgorithmKind all_reduce;
};
// Of `one` over `other`; none when one of the two was not run.
std::optional<Speedup> speedup(const std::vector<StudyRow>& rows, const Cell& like, const Contender& one,
                               const Contender& other);
// Of Opera over the fat tree.
std::optional<Speedup> opera_speedup(const std::vector<StudyRow>& rows, const Cell& like,
                                     system::AlgorithmKind on_opera, system::AlgorithmKind on_tree);

// How Opera fares against the fat tree with the same all-reduce on both, in one sentence; empty when nothing
// can be compared.
std::string finding(const std::vector<StudyRow>& rows);

// At most 80 columns each.
std::string iteration_table(const std::vector<StudyRow>& rows);
std::string speedup_table(const std::vector<StudyRow>& rows);
// TopoOpt with its rings against both; empty when it was not run.
std::string topoopt_table(const std::vector<StudyRow>& rows);
std::string cost_table(const std::vector<StudyRow>& rows);

// A line for every run, with all that the tables show.
std::string study_csv(const std::vector<FinishedCell>& cells);

}  // namespace overture::study::opera_dlrm
