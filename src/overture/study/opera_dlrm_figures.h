// The figures of the Opera study, drawn anew from our results with the published points beside them.
#pragma once

#include <string>
#include <vector>

#include "overture/study/opera_dlrm_table.h"

namespace overture::study {

struct Figure {
  std::string file;  // scaling-A.svg
  std::string svg;
};

// Those for which there are results: scaling, traffic, number of tables, ends of tasks.
std::vector<Figure> study_figures(const std::vector<StudyRow>& rows);

}  // namespace overture::study
