// ASTRA-sim's simulation cases: every cell of every CSV is compared as text.
#include "overture/study/validate/program.h"

namespace overture::study {

void validate_astra(const std::filesystem::path& golden, const std::filesystem::path& program,
                    const Report& report) {
  const ScratchFolder scratch;
  for (const auto& folder : program_cases(golden / "astra-sim-1"))
    report(run_program_case(folder, program, scratch.path() / folder.filename(), "ASTRA-sim"));
}

}  // namespace overture::study
