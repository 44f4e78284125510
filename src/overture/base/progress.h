// One line of progress on a terminal: how much is done, how fast, how long it will take. Silent when the
// output is not a terminal, so logs stay clean. Only the command line makes one.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace overture {

class Progress {
 public:
  // `total` 0 means unknown: no share and no estimate are shown. Writes to `out` when it is a terminal.
  Progress(std::string what, std::int64_t total, std::FILE* out = stderr);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Cheap enough to call for every item: it draws at most ten times a second.
  void update(std::int64_t done);
  // Takes the line away, so that results stand alone.
  void finish();

  // The text of the line, for tests: "sweep 30/120 25% 12.0/s, 8 s left".
  static std::string line(const std::string& what, std::int64_t done, std::int64_t total, double seconds);

 private:
  using Clock = std::chrono::steady_clock;
  std::string what_;
  std::int64_t total_;
  std::FILE* out_;  // null when not a terminal
  Clock::time_point started_ = Clock::now();
  Clock::time_point drawn_{};
};

}  // namespace overture
