// Runs overture itself on a case as its user would, for references that are whole runs of a program.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "overture/study/validate/validate.h"

namespace overture::study {

// Runs `program` with these arguments in `folder`, silently. Throws UserError when it fails.
void run_program(const std::filesystem::path& program, const std::filesystem::path& folder,
                 const std::vector<std::string>& arguments);

// Runs the commands of the case's cmd.txt with `program`, writing to `results`, and compares its expected
// CSVs cell by cell: the check counts those that are equal. A cell that is not a number matches any such
// cell.
Check run_program_case(const std::filesystem::path& folder, const std::filesystem::path& program,
                       const std::filesystem::path& results, const std::string& source);

// The folders in `folder` that hold a case, by name.
std::vector<std::filesystem::path> program_cases(const std::filesystem::path& folder);

// A folder that goes when the object goes.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace overture::study
