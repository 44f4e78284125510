// The four ratios that the paper is known for (Opera with DPS over the fat tree with a ring, model A), beside
// what comes out here: as a fluid, with packets over several seeds, with the time stamp that was missing, and
// in the sound setting.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "overture/study/opera_dlrm/table.h"
#include "overture/study/study_report.h"

namespace overture::study::opera_dlrm {

struct Headline {
  Cell work;         // model, variant and nodes; the rest is open
  double published;  // 1.20, 1.14, 0.93, 1.79 to more digits
  std::string what;  // "A, 16 nodes"
  // What packets gave when the guide was written (docs/guides/opera-dlrm.md), seed by seed; shown, as
  // recorded, until they are run.
  std::vector<double> recorded;
};
// Those whose nodes are wanted; all if none are named.
std::vector<Headline> headlines(const std::vector<int>& nodes = {});

// What --headline runs. With packets: the fat tree with so many seeds as published and once with stamped
// SYNs; Opera, which has no transport, once. As a fluid: both, as published and sound. Small networks first.
std::vector<Cell> headline_cells(const std::vector<int>& nodes, int seeds);

// CPU time of a cell of headline_cells(), as it was measured, and its memory.
struct CellCost {
  double cpu_seconds;
  double memory_gb;
};
CellCost expected_cost(const Cell& cell);
// "4 of 20 cells are left: about 2 min of CPU time, up to 0.2 GB each": for what is not finished.
std::string announcement(const std::vector<Cell>& left, std::size_t all, int jobs);

// What `rows` tell of one headline; ranges are over seeds.
struct HeadlineFinding {
  std::vector<double> packets;    // as published
  std::optional<double> stamped;  // packets, SYNs stamped
  std::optional<double> flow;     // as published
  std::optional<double> sound;    // packets, or else flow
  bool sound_is_packets = false;
};
HeadlineFinding finding_of(const Headline& headline, const std::vector<StudyRow>& rows);

// At most 80 columns, with a note on what is recorded only.
std::string headline_table(const std::vector<Headline>& wanted, const std::vector<StudyRow>& rows);
Figure headline_figure(const std::vector<Headline>& wanted, const std::vector<StudyRow>& rows);
std::vector<Claim> headline_claims(const std::vector<Headline>& wanted, const std::vector<StudyRow>& rows);

// The published comparisons with DPS on both networks, which tell the networks apart and not the all-reduces;
// for rows as published.
std::vector<Claim> same_reduce_claims(const std::vector<StudyRow>& rows);

}  // namespace overture::study::opera_dlrm
