#include "overture/study/codesign/journal.h"

#include <cstdio>
#include <sstream>

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::study {

namespace fs = std::filesystem;

namespace {

// It was cut short: what is appended must not become part of its last line.
bool ends_within_a_line(const fs::path& file) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (in.tellg() <= 0) return false;
  in.seekg(-1, std::ios::end);
  return in.get() != '\n';
}

}  // namespace

SearchJournal::SearchJournal(const fs::path& folder, std::size_t part, std::size_t parts) {
  fs::create_directories(folder);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".journal") read(entry.path());
  }
  file_ = folder / fmt::format("part-{}-of-{}.journal", part + 1, parts);
  out_.open(file_, std::ios::app);
  if (ends_within_a_line(file_)) out_ << '\n';
  if (!out_) throw UserError({.file = file_.string()}, "cannot be written");
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
    if (!whole || line.find('\0') != std::string::npos) continue;  // zeros: a power cut left them
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

void SearchJournal::flush() {
  if (!out_.flush()) throw UserError({.file = file_.string()}, "cannot be written");
}

}  // namespace overture::study
