// What the runs of the tutorial's study show: its claims, one by one, the figures of the slides with every
// layer, and tables.
#pragma once

#include <string>
#include <vector>

#include "overture/study/astra_tutorial/tutorial.h"
#include "overture/study/study_report.h"

namespace overture::study::astra_tutorial {

// `times` are those of cells_of(plan), in any order; what is missing is left out or open. The report has no
// cells yet: who ran them knows their setups.
StudyReport tutorial_report(const TutorialPlan& plan, const std::vector<CellTimes>& times);

std::vector<Claim> tutorial_claims(const TutorialPlan& plan, const std::vector<CellTimes>& times);
std::vector<Figure> tutorial_figures(const TutorialPlan& plan, const std::vector<CellTimes>& times);
std::vector<StudyTable> tutorial_tables(const TutorialPlan& plan, const std::vector<CellTimes>& times);

// For the terminal: nodes and compute scales, with the share of exposed communication.
std::string cells_table(const std::vector<CellTimes>& times);

// Null: not run.
const CellTimes* find_cell(const std::vector<CellTimes>& times, const TutorialCell& cell);

// The plan's shapes that were run, the smallest first; its compute scales on the drawn shape, the slowest
// first.
std::vector<const CellTimes*> runs_by_nodes(const TutorialPlan& plan, const std::vector<CellTimes>& times);
std::vector<const CellTimes*> runs_by_speed(const TutorialPlan& plan, const std::vector<CellTimes>& times);

}  // namespace overture::study::astra_tutorial
