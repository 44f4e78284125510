// ASTRA-sim 1.0's reports, same names, same columns, same numbers: EndToEnd.csv, detailed.csv,
// <run>_dimension_utilization.csv, backend_end_to_end.csv and backend_dim_info.csv.
#pragma once

#include <string>

#include "overture/simulation/simulation.h"

namespace overture::report {

struct AstraReport {
  std::string path;  // glued in front of the file names, so it ends with '/'
  std::string run_name;
  int total_rows = 1;         // how many runs share the files
  int row = 0;                // which of them this is; row 0 starts the files anew
  bool layer_files = true;    // EndToEnd, detailed and utilisation, too
  bool backend_files = true;  // those of the analytical backend
  double cost_dollars = 0;    // of the network, for these
};

// Writes each file once, whole. Throws UserError when one cannot be written or an old one does not fit.
void write_astra_csv(const AstraReport& report, const workload::Workload& workload,
                     const simulation::SimulationResult& result);

}  // namespace overture::report
