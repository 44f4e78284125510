// The studies' scoreboards beside the references: which published claims hold, as the study's own folder
// says. A claim that does not hold is a finding, not a failure of ours.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "overture/study/study_report.h"

namespace overture::study {

struct StudyScore {
  std::string study;
  std::vector<Claim> claims;  // empty: it was not run
  std::string from;           // where they come from, or how to get them
};

// Reads a study's study.json. Throws UserError that names the file.
std::vector<Claim> read_claims(const std::filesystem::path& file);

// All studies. One that was run has its results in `results`/<study>; of the others, those that take seconds
// are run with `program` into `scratch`, on the smallest part that has claims.
std::vector<StudyScore> study_scores(const std::filesystem::path& results,
                                     const std::filesystem::path& program,
                                     const std::filesystem::path& scratch);

// One line a study: how many claims are met, not met and open.
std::string scores_table(const std::vector<StudyScore>& scores);
// All claims of all studies.
std::string scores_csv(const std::vector<StudyScore>& scores);

}  // namespace overture::study
