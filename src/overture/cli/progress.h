// One line of progress on a terminal: how much is done, how fast, how long it will take. Silent when the
// output is not a terminal, so logs stay clean. Only the command line makes one.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace overture::cli {

// What there is to tell at a moment.
struct SoFar {
  std::int64_t done = 0;
  double share = -1;      // of the work, from 0 to 1, where it is known better than by counting
  std::string note = {};  // "1.2 ms simulated", in place of the rate
};

// "8 s", "12 min": how long something will still take.
std::string time_left(double seconds);
// Writes over the last line of a terminal, with no more than fits into its width.
void draw_over(std::FILE* terminal, const std::string& text);

class Progress {
 public:
  // `total` 0 means unknown: no share and no estimate are shown. Writes to `out` when it is a terminal.
  Progress(std::string what, std::int64_t total, std::FILE* out = stderr);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Cheap enough to call for every item: it draws at most ten times a second, and only what fits a line.
  void update(const SoFar& so_far);
  void update(std::int64_t done) { update({.done = done}); }
  // Would update() draw now? For callers whose note takes time to make.
  bool due() const;
  // Takes the line away, so that results stand alone.
  void finish();

  // The text of the line, for tests: "sweep 30/120 25%, 12.0/s, 8 s left".
  static std::string line(const std::string& what, const SoFar& so_far, std::int64_t total, double seconds);

 private:
  using Clock = std::chrono::steady_clock;
  std::string what_;
  std::int64_t total_;
  std::FILE* out_;  // null when not a terminal
  Clock::time_point started_ = Clock::now();
  Clock::time_point drawn_{};
};

}  // namespace overture::cli
