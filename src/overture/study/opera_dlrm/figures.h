// The figures of the Opera study, drawn anew from our results with the published points beside them: those of
// the paper and of its evaluation scripts, for every model and variant that was run.
#pragma once

#include <string>
#include <vector>

#include "overture/study/opera_dlrm/table.h"
#include "overture/study/study_report.h"

namespace overture::study::opera_dlrm {

// The same network and all-reduce has the same colour in every chart: blues are the fat tree, oranges Opera,
// green TopoOpt.
std::string contender_colour(const Cell& cell);

// Those for which there are results, for a model a and a variant baseline:
//   scaling-A.svg             iteration time over nodes (the paper's figure 1); bars where there is one size
//   baseline_a.svg            iteration time as bars by nodes
//   baseline_traffic_a.svg    what the bytes are for (figure 2)
//   tables_a_128.svg          iteration time over the all-reduces' share, for numbers of tables (figure 3)
//   baseline_tasks_a_16.svg   when tasks ended, fat tree and Opera in one picture
std::vector<Figure> study_figures(const std::vector<StudyRow>& rows);

}  // namespace overture::study::opera_dlrm
