// What each artefact carries of the published advantage: the published comparison (Opera with DPS against the
// fat tree with a ring), and the same with one artefact less each time.
#pragma once

#include <string>
#include <vector>

#include "overture/study/opera_dlrm/table.h"

namespace overture::study::opera_dlrm {

// All that the table needs, for every model, variant and size of the choice; its setting does not matter.
std::vector<Cell> explain_cells(const MatrixChoice& choice);

// A table for each model, variant and size; what was not run is a dash.
std::string explain_tables(const std::vector<StudyRow>& rows);

}  // namespace overture::study::opera_dlrm
