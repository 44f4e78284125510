#include "overture/base/progress.h"

#include <algorithm>

#include <fmt/format.h>
#include <unistd.h>

namespace overture {
namespace {

std::string remaining(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

Progress::Progress(std::string what, std::int64_t total, std::FILE* out)
    : what_(std::move(what)), total_(total), out_(isatty(fileno(out)) != 0 ? out : nullptr) {}

Progress::~Progress() { finish(); }

void Progress::update(std::int64_t done) {
  if (out_ == nullptr) return;
  const auto now = Clock::now();
  if (now - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = now;
  const double seconds = std::chrono::duration<double>(now - started_).count();
  fmt::print(out_, "\r\033[K{}", line(what_, done, total_, seconds));
  std::fflush(out_);
}

void Progress::finish() {
  if (out_ == nullptr || drawn_ == Clock::time_point{}) return;
  fmt::print(out_, "\r\033[K");
  std::fflush(out_);
  drawn_ = {};
}

std::string Progress::line(const std::string& what, std::int64_t done, std::int64_t total, double seconds) {
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  if (total <= 0) return fmt::format("{} {} {:.1f}/s", what, done, rate);
  const auto percent = 100 * std::min(done, total) / total;
  std::string text = fmt::format("{} {}/{} {}% {:.1f}/s", what, done, total, percent, rate);
  if (rate > 0)
    text += fmt::format(", {} left",
                        remaining(static_cast<double>(std::max<std::int64_t>(total - done, 0)) / rate));
  return text;
}

}  // namespace overture
