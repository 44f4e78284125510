// How far a run is: a line on the terminal, and progress.json in its folder, which `overture serve` and
// `overture runs` show while the run is under way. The file goes when the run has ended.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

#include "overture/cli/progress.h"

namespace overture::cli {

class RunProgress {
 public:
  struct About {
    std::filesystem::path folder;  // empty: no file is written
    std::string kind;
    std::string name;
    std::string what;        // that is counted: "flows"
    std::int64_t total = 0;  // 0: not known
    bool line = true;        // also on the terminal
  };
  explicit RunProgress(About about);
  ~RunProgress();
  RunProgress(const RunProgress&) = delete;
  RunProgress& operator=(const RunProgress&) = delete;

  // Cheap enough to be called often. `facts` is JSON that the file holds too, such as "\"loss\": 0.5".
  void update(const SoFar& so_far, const std::string& facts = {});
  void update(std::int64_t done, const std::string& facts = {}) { update({.done = done}, facts); }
  // Would update() tell anybody now?
  bool due() const;
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  bool file_is_due() const { return Clock::now() - written_ >= std::chrono::seconds(1); }
  void write(const SoFar& so_far, const std::string& facts);

  About about_;
  Progress line_;
  Clock::time_point started_ = Clock::now();
  Clock::time_point written_{};
  bool open_ = true;
};

}  // namespace overture::cli
