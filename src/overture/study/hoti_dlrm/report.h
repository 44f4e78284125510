// The study's tables, figures and findings, from the cells that were run.
#pragma once

#include <string>
#include <vector>

#include "overture/study/hoti_dlrm/results.h"
#include "overture/study/study_report.h"

namespace overture::study::hoti {

// A table for the terminal, its CSV and its figure.
struct Section {
  std::string title;
  std::string text;
  StudyTable table;
  Figure figure;
};

// Those for which at least one cell was run.
std::vector<Section> sections(const Results& results);

// Everything, with the scoreboard. The statements are about 128 GPUs: on another number, those that need runs
// stay open.
StudyReport make_report(const Results& results, int gpus);

}  // namespace overture::study::hoti
