// What was simulated, on disk: a line for each candidate, appended as rounds end. Several machines write
// files of their own into one folder and read all of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include "overture/study/codesign/candidate.h"

namespace overture::study {

class SearchJournal {
 public:
  // Reads all journals of the folder; writes to that of the part. Lines that are cut short are left out.
  SearchJournal(const std::filesystem::path& folder, std::size_t part, std::size_t parts);

  // The key is of all that a result follows from.
  std::optional<StepTime> find(std::uint64_t key) const;
  void add(std::uint64_t key, const StepTime& time);
  // Throws UserError when the disk is full.
  void flush();

 private:
  void read(const std::filesystem::path& file);

  std::map<std::uint64_t, StepTime> known_;
  std::filesystem::path file_;
  std::ofstream out_;
};

}  // namespace overture::study
