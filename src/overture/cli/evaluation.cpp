#include "overture/cli/evaluation.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/interrupt.h"
#include "overture/base/json.h"
#include "overture/base/text.h"
#include "overture/cli/progress.h"
#include "overture/train/dense/loss.h"

namespace overture::cli {

double share_read(const data::Batches& source) {
  const data::Position position = source.reader().position();
  if (position.total <= 0) return -1;
  return static_cast<double>(position.done) / static_cast<double>(position.total);
}

Predict naming_the_file(Predict predict, std::string file) {
  return [predict = std::move(predict), file = std::move(file)](const data::Batch& batch) {
    try {
      return predict(batch);
    } catch (const UserError& error) {
      throw at({.file = file}, error);
    }
  };
}

data::Metrics evaluate(data::BatchSource& source, const Predict& predict,
                       const std::function<double()>& share) {
  data::Evaluation evaluation;
  Progress progress("samples", 0);
  data::Batch batch;
  std::vector<float> probabilities;
  for (std::int64_t done = 0; !Interrupt::requested() && source.next(batch);) {
    probabilities.clear();
    for (const float logit : predict(batch)) probabilities.push_back(train::sigmoid(logit));
    evaluation.add(probabilities, batch.labels);
    done += batch.samples;
    if (progress.due()) progress.update({.done = done, .share = share()});
  }
  return evaluation.metrics();
}

Json metrics_json(const data::Metrics& metrics) {
  return {{"samples", metrics.samples},
          {"log_loss", metrics.log_loss},
          {"auc", metrics.auc},
          {"accuracy", metrics.accuracy},
          {"normalized_entropy", metrics.normalized_entropy},
          {"calibration", metrics.calibration}};
}

void write_quality(const data::Metrics& metrics, const std::filesystem::path& folder) {
  std::string roc = "false_positive_share,true_positive_share\n";
  for (const data::RocPoint& point : metrics.roc)
    roc += fmt::format("{:.6f},{:.6f}\n", point.false_positive_share, point.true_positive_share);
  write_file(folder / "roc.csv", roc);
  std::string bins = "predicted,observed,samples\n";
  for (const data::CalibrationBin& bin : metrics.bins)
    bins += fmt::format("{:.6f},{:.6f},{}\n", bin.predicted, bin.observed, bin.samples);
  write_file(folder / "calibration.csv", bins);
}

namespace {

// Both are a share of what the labels are on average, which may be nothing.
std::string finite(double number) { return std::isfinite(number) ? fmt::format("{:.4f}", number) : "-"; }

}  // namespace

std::vector<std::pair<std::string, std::string>> metric_lines(const data::Metrics& metrics, bool held_out) {
  return {{held_out ? "held-out samples" : "samples, all there are", with_commas(metrics.samples)},
          {"log-loss", fmt::format("{:.6f}", metrics.log_loss)},
          {"AUC", std::isnan(metrics.auc) ? "- (all held-out labels are equal)"
                                          : fmt::format("{:.6f}", metrics.auc)},
          {"accuracy", fmt::format("{:.2f} %", 100 * metrics.accuracy)},
          {"normalised entropy", finite(metrics.normalized_entropy)},
          {"calibration", finite(metrics.calibration)}};
}

}  // namespace overture::cli
