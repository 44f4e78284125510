// Every reference result that comes with Overture, run again: what the original program gave, what we give,
// how far apart they may be. The same comparisons as in the tests, for people who want to see the numbers.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace overture::study {

struct Check {
  std::string source;  // the program that gave the reference
  std::string scenario;
  std::string what;  // with its unit
  double reference = 0;
  double ours = 0;
  double allowed = 0;  // relative; 0: exact
  double seconds = 0;  // of CPU, ours

  double error() const;  // relative
  bool passes() const;
};

using Report = std::function<void(const Check&)>;

// `golden` is the folder with the references (tests/golden in the sources); each tells `report` one check
// after the other. Throws UserError when a file is missing.
void validate_ns3(const std::filesystem::path& golden, const Report& report);
void validate_htsim(const std::filesystem::path& golden, const Report& report);
void validate_opera(const std::filesystem::path& golden, const Report& report);
void validate_scale_sim(const std::filesystem::path& golden, const Report& report);
// Finish and exposed cycles of every NPU.
void validate_astra2(const std::filesystem::path& golden, const Report& report);
void validate_lookahead(const std::filesystem::path& golden, const Report& report);
// Runs `program`, which is overture itself, as a user of ASTRA-sim does.
void validate_astra(const std::filesystem::path& golden, const std::filesystem::path& program,
                    const Report& report);
void validate_garnet(const std::filesystem::path& golden, const std::filesystem::path& program,
                     const Report& report);

}  // namespace overture::study
