#include "overture/data/metrics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "overture/base/check.h"
#include "overture/base/error.h"

namespace overture::data {
namespace {

// A certain prediction that is wrong would cost infinitely much; this is where single precision ends.
constexpr double kNearest = 1e-7;

double loss(double probability, bool positive) {
  const double p = std::clamp(probability, kNearest, 1 - kNearest);
  return -std::log(positive ? p : 1 - p);
}

double entropy(double share) {
  if (share <= 0 || share >= 1) return 0;
  return -share * std::log(share) - (1 - share) * std::log1p(-share);
}

// The bits of floats from 0 up sort as the floats do, and leave the highest bit free: shifted, there is room
// for the label in the lowest.
std::uint32_t key(float probability, bool positive) {
  return std::bit_cast<std::uint32_t>(probability + 0.0F) << 1U | (positive ? 1U : 0U);
}

// The chance that a positive ranks above a negative, a tie counting half (Mann-Whitney).
double auc(const std::vector<std::uint32_t>& sorted, std::int64_t positives) {
  const auto negatives = static_cast<std::int64_t>(sorted.size()) - positives;
  if (positives == 0 || negatives == 0) return std::numeric_limits<double>::quiet_NaN();
  double wins = 0;
  std::int64_t negatives_below = 0;
  for (std::size_t i = 0; i < sorted.size();) {
    std::int64_t tied[2] = {0, 0};
    const std::uint32_t prediction = sorted[i] >> 1U;
    for (; i < sorted.size() && sorted[i] >> 1U == prediction; ++i) ++tied[sorted[i] & 1U];
    wins += static_cast<double>(tied[1]) *
            (static_cast<double>(negatives_below) + static_cast<double>(tied[0]) / 2);
    negatives_below += tied[0];
  }
  return wins / (static_cast<double>(positives) * static_cast<double>(negatives));
}

bool is_positive(std::uint32_t sorted_key) { return (sorted_key & 1U) != 0; }
double prediction(std::uint32_t sorted_key) {
  return static_cast<double>(std::bit_cast<float>(sorted_key >> 1U));
}

// From the highest prediction down; equal ones are taken together. A point whenever enough was added.
std::vector<RocPoint> roc(const std::vector<std::uint32_t>& sorted, std::int64_t positives) {
  constexpr double kPoints = 200;
  const auto negatives = static_cast<std::int64_t>(sorted.size()) - positives;
  if (positives == 0 || negatives == 0) return {};
  std::vector<RocPoint> points{{}};
  RocPoint now;
  for (std::size_t i = sorted.size(); i > 0;) {
    const std::uint32_t tied = sorted[i - 1] >> 1U;
    for (; i > 0 && sorted[i - 1] >> 1U == tied; --i)
      (is_positive(sorted[i - 1]) ? now.true_positive_share : now.false_positive_share) += 1;
    const RocPoint share{now.false_positive_share / static_cast<double>(negatives),
                         now.true_positive_share / static_cast<double>(positives)};
    const RocPoint& last = points.back();
    const double step = share.false_positive_share - last.false_positive_share + share.true_positive_share -
                        last.true_positive_share;
    if (step >= 2 / kPoints || i == 0) points.push_back(share);
  }
  return points;
}

std::vector<CalibrationBin> calibration_bins(const std::vector<std::uint32_t>& sorted) {
  constexpr std::size_t kMostBins = 20;
  const std::size_t count = std::min(kMostBins, sorted.size());
  std::vector<CalibrationBin> bins(count);
  for (std::size_t b = 0; b < count; ++b) {
    const std::size_t from = b * sorted.size() / count;
    const std::size_t to = (b + 1) * sorted.size() / count;
    for (std::size_t i = from; i < to; ++i) {
      bins[b].predicted += prediction(sorted[i]);
      bins[b].observed += is_positive(sorted[i]) ? 1 : 0;
    }
    bins[b].samples = static_cast<std::int64_t>(to - from);
    bins[b].predicted /= static_cast<double>(to - from);
    bins[b].observed /= static_cast<double>(to - from);
  }
  return bins;
}

}  // namespace

void Evaluation::add(std::span<const float> probabilities, std::span<const float> labels) {
  check(probabilities.size() == labels.size(), "every prediction has its label");
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const float p = probabilities[i];
    if (!(p >= 0 && p <= 1)) {
      throw UserError("a prediction is not a probability",
                      "the model has diverged: try a smaller learning rate");
    }
    const bool positive = labels[i] > 0.5F;
    keys_.push_back(key(p, positive));
    loss_ += loss(static_cast<double>(p), positive);
    predicted_ += static_cast<double>(p);
    positives_ += positive ? 1 : 0;
    right_ += (p >= 0.5F) == positive ? 1 : 0;
  }
}

Metrics Evaluation::metrics() {
  Metrics m{.samples = static_cast<std::int64_t>(keys_.size())};
  if (keys_.empty()) {
    m.auc = std::numeric_limits<double>::quiet_NaN();
    return m;
  }
  const auto n = static_cast<double>(m.samples);
  std::sort(keys_.begin(), keys_.end());
  m.positive_share = static_cast<double>(positives_) / n;
  m.log_loss = loss_ / n;
  m.normalized_entropy = m.log_loss / entropy(m.positive_share);
  m.auc = auc(keys_, positives_);
  m.accuracy = static_cast<double>(right_) / n;
  m.calibration = predicted_ / static_cast<double>(positives_);
  m.roc = roc(keys_, positives_);
  m.bins = calibration_bins(keys_);
  return m;
}

}  // namespace overture::data
