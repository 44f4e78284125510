// What a person sees of a training run while it goes on: a line on the terminal, and curves for TensorBoard.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>

#include "overture/train/results.h"
#include "overture/train/run.h"
#include "overture/train/tensorboard.h"

namespace overture::cli {

// One line that is drawn again and again while training runs; only on a terminal.
class LiveLine {
 public:
  // Of so many steps; 0: not known.
  explicit LiveLine(std::int64_t total);

  // What is done before the first step.
  void say(const std::string& text);
  void show(const train::Totals& totals, double seconds, std::int64_t step);
  // Stays on the screen, also where no line is drawn; the AUC then stands in the line.
  void tell(const train::HeldOut& held_out);
  void clear() const;

 private:
  using Clock = std::chrono::steady_clock;

  bool terminal_;
  std::int64_t total_;
  Clock::time_point drawn_{};
  std::optional<double> auc_;
};

// The curves that people watch while training runs, by steps.
class TensorBoard {
 public:
  TensorBoard(const std::filesystem::path& folder, std::int64_t first_step);

  void add(const train::StepReport& report, const train::Totals& totals, double seconds);
  void add(const train::HeldOut& held_out);

 private:
  void write(std::int64_t step, std::initializer_list<train::Scalar> scalars);

  train::EventFile file_;
};

}  // namespace overture::cli
