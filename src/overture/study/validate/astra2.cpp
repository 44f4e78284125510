// ASTRA-sim 2: finish and exposed cycles of every NPU, from its own files.
#include <fstream>
#include <sstream>

#include "overture/astra2/files.h"
#include "overture/astra2/machine.h"
#include "overture/study/validate/program.h"
#include "overture/study/validate/validate.h"

namespace overture::study {
namespace {

namespace fs = std::filesystem;

astra2::Config astra2_config(const fs::path& folder) {
  const fs::path groups = folder / "comm_groups.json";
  return astra2::read_config({.workload = folder / "workload",
                              .groups = fs::exists(groups) ? groups.string() : "empty",
                              .system = folder / "system.json",
                              .network = folder / "network.yml",
                              .memory = folder / "remote_memory.json"},
                             folder.filename().string().ends_with("-aware"));
}

// How many numbers of the reference there are, and how many are equal.
Check compare(const fs::path& folder, const astra2::MachineResult& result) {
  Check check{.source = "ASTRA-sim 2", .scenario = folder.filename(), .what = "equal cycles"};
  std::ifstream expected(folder / "expected.txt");
  std::string line;
  while (std::getline(expected, line)) {
    std::size_t npu = 0;
    std::int64_t finish = 0;
    std::uint64_t exposed = 0;
    if (line.starts_with("#") || !(std::istringstream(line) >> npu >> finish >> exposed)) continue;
    check.reference += 2;
    if (npu >= result.npus.size()) continue;
    check.ours += result.npus[npu].cycles == finish ? 1 : 0;
    check.ours += result.npus[npu].exposed() == exposed ? 1 : 0;
  }
  return check;
}

}  // namespace

void validate_astra2(const fs::path& golden, const Report& report) {
  for (const fs::path& folder : program_cases(golden / "astra-sim-2")) {
    const std::clock_t start = std::clock();
    const astra2::Config config = astra2_config(folder);
    const astra2::MachineResult result =
        run(config, astra2::read_programs(folder / "workload", config.network.npus()));
    Check check = compare(folder, result);
    check.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    report(check);
  }
}

}  // namespace overture::study
