// How good predictions are: log-loss, AUC, accuracy, over a held-out part of the data. Exact, not binned, and
// the same in whatever batches the predictions come, up to the rounding of a sum of doubles.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace overture::data {

// A point of the ROC curve: what is found and what is taken for a click with one border.
struct RocPoint {
  double false_positive_share = 0;
  double true_positive_share = 0;
};

// Samples with predictions of about one size: the mean of them, and how many were clicks.
struct CalibrationBin {
  double predicted = 0;
  double observed = 0;
  std::int64_t samples = 0;
};

struct Metrics {
  std::int64_t samples = 0;
  double positive_share = 0;
  double log_loss = 0;            // natural logarithm, mean over the samples
  double normalized_entropy = 0;  // log-loss over that of always predicting the positive share
  double auc = 0;                 // not a number when all labels are the same
  double accuracy = 0;            // with 0.5 as the border; 0.5 itself counts as a click
  double calibration = 0;         // predicted over true positives
  std::vector<RocPoint> roc{};    // from (0, 0) to (1, 1), at most 201; empty when all labels are the same
  std::vector<CalibrationBin> bins{};  // of equally many samples, ascending; at most 20
};

class Evaluation {
 public:
  // Probabilities from 0 to 1 and labels of 0 or 1, equally many. Throws UserError for a prediction that is
  // not a number.
  void add(std::span<const float> probabilities, std::span<const float> labels);

  // Sorts what was added; more can be added later.
  Metrics metrics();

 private:
  std::vector<std::uint32_t> keys_;  // a prediction and its label
  double loss_ = 0;
  double predicted_ = 0;
  std::int64_t positives_ = 0;
  std::int64_t right_ = 0;
};

}  // namespace overture::data
