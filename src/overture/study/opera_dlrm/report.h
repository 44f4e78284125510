// The Opera study as every study is reported: claims, terms, figures, tables and cells.
#pragma once

#include <vector>

#include "overture/study/opera_dlrm/headline.h"
#include "overture/study/opera_dlrm/table.h"
#include "overture/study/study_report.h"

namespace overture::study::opera_dlrm {

// What "as published", "sound" and the other words of the tables mean.
std::vector<std::pair<std::string, std::string>> study_terms();
// The same, for the terminal: at most 80 columns.
std::string terms_text();

// `packets` are rows of headline_cells(), as far as they are finished; `cells` are those of `rows`. With
// figures, unless the rows have several settings.
StudyReport opera_report(const std::vector<FinishedCell>& cells, const std::vector<StudyRow>& rows,
                         const std::vector<StudyRow>& packets, bool with_figures);

std::vector<StudyCell> cell_pages(const std::vector<FinishedCell>& cells);

}  // namespace overture::study::opera_dlrm
