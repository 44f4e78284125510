#include "overture/study/codesign/journal.h"

#include <cstdio>
#include <sstream>

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::study {

namespace fs = std::filesystem;

SearchJournal::SearchJournal(const fs::path& folder, std::size_t part, std::size_t parts) {
  fs::create_directories(folder);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".journal") read(entry.path());
  }
  const fs::path file = folder / fmt::format("part-{}-of-{}.journal", part + 1, parts);
  out_.open(file, std::ios::app);
  if (!out_) throw UserError({.file = file.string()}, "cannot be written");
}

// key step_us compute_us limit, with tabs between and a dot at the end that tells a whole line.
void SearchJournal::read(const fs::path& file) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string key;
    std::string step;
    std::string compute;
    std::string limit;
    std::string end;
    const bool whole = std::getline(words, key, '\t') && std::getline(words, step, '\t') &&
                       std::getline(words, compute, '\t') && std::getline(words, limit, '\t') &&
                       std::getline(words, end) && end == ".";
    if (!whole) continue;
    char* rest = nullptr;
    const std::uint64_t number = std::strtoull(key.c_str(), &rest, 16);
    if (*rest != '\0') continue;
    known_[number] = {.step_us = std::strtod(step.c_str(), nullptr),
                      .compute_us = std::strtod(compute.c_str(), nullptr),
                      .limit = limit};
  }
}

std::optional<StepTime> SearchJournal::find(std::uint64_t key) const {
  const auto found = known_.find(key);
  return found == known_.end() ? std::nullopt : std::optional(found->second);
}

void SearchJournal::add(std::uint64_t key, const StepTime& time) {
  known_[key] = time;
  out_ << fmt::format("{:016x}\t{:.17g}\t{:.17g}\t{}\t.\n", key, time.step_us, time.compute_us, time.limit);
}

void SearchJournal::flush() { out_.flush(); }

}  // namespace overture::study
