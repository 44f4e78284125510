#include "overture/cli/progress.h"

#include <algorithm>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace overture::cli {
namespace {

std::string pace_text(double rate) {
  if (rate > 0 && rate < 1) return fmt::format("{:.1f} s each", 1 / rate);
  return fmt::format("{:.{}f}/s", rate, rate < 1000 ? 1 : 0);
}

// A line that is longer than the terminal is wide could not be written over.
std::size_t columns(std::FILE* out) {
  winsize size{};
  const bool known = ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? size.ws_col : 80;
}

}  // namespace

std::string time_left(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

void draw_over(std::FILE* terminal, const std::string& text) {
  fmt::print(terminal, "\r\033[K{}", text.substr(0, columns(terminal) - 1));
  std::fflush(terminal);
}

Progress::Progress(std::string what, std::int64_t total, std::FILE* out)
    : what_(std::move(what)), total_(total), out_(isatty(fileno(out)) != 0 ? out : nullptr) {}

Progress::~Progress() { finish(); }

bool Progress::due() const {
  return out_ != nullptr && Clock::now() - drawn_ >= std::chrono::milliseconds(100);
}

void Progress::update(const SoFar& so_far) {
  if (!due()) return;
  drawn_ = Clock::now();
  const double seconds = std::chrono::duration<double>(drawn_ - started_).count();
  draw_over(out_, line(what_, so_far, total_, seconds));
}

void Progress::finish() {
  if (out_ == nullptr || drawn_ == Clock::time_point{}) return;
  fmt::print(out_, "\r\033[K");
  std::fflush(out_);
  drawn_ = {};
}

std::string Progress::line(const std::string& what, const SoFar& so_far, std::int64_t total, double seconds) {
  const auto done = static_cast<double>(so_far.done);
  const double rate = seconds > 0 ? done / seconds : 0;
  const std::string pace = !so_far.note.empty()               ? so_far.note
                           : so_far.done == 0 && seconds >= 1 ? time_left(seconds) + " so far"
                                                              : pace_text(rate);
  const double counted = total > 0 ? std::min(done / static_cast<double>(total), 1.0) : -1;
  const double share = so_far.share >= 0 ? std::min(so_far.share, 1.0) : counted;
  std::string text = total <= 0 && so_far.done == 0 ? what : fmt::format("{} {}", what, so_far.done);
  if (total > 0) text += fmt::format("/{}", total);
  if (share >= 0) text += fmt::format(" {}%", static_cast<int>(100 * share + 1e-9));
  text += ", " + pace;
  if (share > 0 && seconds > 0) text += fmt::format(", {} left", time_left(seconds * (1 - share) / share));
  return text;
}

}  // namespace overture::cli
