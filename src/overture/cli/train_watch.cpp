#include "overture/cli/train_watch.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "overture/base/text.h"
#include "overture/cli/progress.h"

namespace overture::cli {
namespace {

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

LiveLine::LiveLine(std::int64_t total) : terminal_(isatty(STDERR_FILENO) != 0), total_(total) {}

void LiveLine::show(const train::Totals& totals, double seconds, std::int64_t step) {
  if (!terminal_ || Clock::now() - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = Clock::now();
  std::string at = fmt::format("step {}", step);
  if (total_ > 0) {
    const double left = seconds * static_cast<double>(std::max<std::int64_t>(total_ - step, 0)) /
                        static_cast<double>(std::max<std::int64_t>(totals.steps, 1));
    at += fmt::format(" of {}, {} left", total_, time_left(left));
  }
  const std::string auc = auc_ ? fmt::format("  AUC {:.4f}", *auc_) : "";
  draw_over(stderr, fmt::format("{}{}  loss {:.5f}  {:.0f} samples/s  hits {:.1f} %", at, auc, totals.loss,
                                static_cast<double>(totals.samples) / seconds, 100 * totals.hit_rate()));
}

void LiveLine::say(const std::string& text) {
  if (!terminal_) return;
  drawn_ = Clock::now();
  draw_over(stderr, text);
}

void LiveLine::tell(const train::HeldOut& held_out) {
  const data::Metrics& m = held_out.metrics;
  auc_ = m.auc;
  clear();
  fmt::print(stderr, "step {}: AUC {:.4f}, log-loss {:.5f}, accuracy {:.2f} % on {} held out\n",
             held_out.steps, m.auc, m.log_loss, 100 * m.accuracy, with_commas(m.samples));
}

void LiveLine::clear() const {
  if (terminal_ && drawn_ != Clock::time_point{}) fmt::print(stderr, "\r\033[K");
}

TensorBoard::TensorBoard(const std::filesystem::path& folder, std::int64_t first_step)
    : file_(folder, first_step, seconds_since_1970()) {}

void TensorBoard::add(const train::StepReport& report, const train::Totals& totals, double seconds) {
  write(report.step,
        {{"loss", static_cast<float>(report.loss)},
         {"hit rate", static_cast<float>(report.hit_rate())},
         {"samples per second", static_cast<float>(static_cast<double>(totals.samples) / seconds)},
         {"fetched bytes", static_cast<float>(report.fetched_bytes)},
         {"rows in the cache", static_cast<float>(report.resident_rows)}});
}

void TensorBoard::add(const train::HeldOut& held_out) {
  write(held_out.steps, {{"held out/AUC", static_cast<float>(held_out.metrics.auc)},
                         {"held out/log-loss", static_cast<float>(held_out.metrics.log_loss)},
                         {"held out/accuracy", static_cast<float>(held_out.metrics.accuracy)}});
}

void TensorBoard::write(std::int64_t step, std::initializer_list<train::Scalar> scalars) {
  file_.add(step, seconds_since_1970(), {scalars.begin(), scalars.end()});
}

}  // namespace overture::cli
