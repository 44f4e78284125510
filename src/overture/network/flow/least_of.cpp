#include "overture/network/flow/least_of.h"

#include <limits>

namespace overture::network::flow {

void LeastOf::reset(std::size_t count) {
  std::size_t tiers = 0;
  for (;; count = (count + kBlock - 1) / kBlock) {
    const std::size_t room = count == 1 ? 1 : (count + kBlock - 1) / kBlock * kBlock;
    if (tiers_.size() == tiers) tiers_.emplace_back();
    tiers_[tiers++].assign(room, std::numeric_limits<double>::infinity());
    if (count == 1) break;
  }
  tiers_.resize(tiers);
}

void LeastOf::build() {
  for (std::size_t tier = 1; tier < tiers_.size(); ++tier) {
    const std::vector<double>& below = tiers_[tier - 1];
    for (std::size_t i = 0; i < below.size() / kBlock; ++i)
      tiers_[tier][i] = least_of(below.data() + i * kBlock);
  }
}

// In four chains, as each comparison waits for the one before it.
double LeastOf::least_of(const double* block) {
  double least[4] = {block[0], block[1], block[2], block[3]};
  for (std::size_t i = 4; i < kBlock; i += 4) {
    for (std::size_t j = 0; j < 4; ++j) least[j] = block[i + j] < least[j] ? block[i + j] : least[j];
  }
  for (std::size_t j = 0; j < 2; ++j) least[j] = least[j + 2] < least[j] ? least[j + 2] : least[j];
  return least[1] < least[0] ? least[1] : least[0];
}

std::size_t LeastOf::place() const {
  const double value = least();
  std::size_t place = 0;
  for (std::size_t tier = tiers_.size() - 1; tier > 0; --tier) {
    const double* const block = tiers_[tier - 1].data() + place * kBlock;
    std::size_t i = 0;
    while (block[i] != value) ++i;
    place = place * kBlock + i;
  }
  return place;
}

}  // namespace overture::network::flow
