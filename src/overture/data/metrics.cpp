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
  return m;
}

}  // namespace overture::data
