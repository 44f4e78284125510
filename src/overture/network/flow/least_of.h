// The least of many numbers that only rise, and of equal ones the first: a tree of blocks that know their
// least. For numbers of which many rise before they are the least, it is twice as fast as a heap.
#pragma once

#include <cstddef>
#include <vector>

namespace overture::network::flow {

class LeastOf {
 public:
  // `count` numbers, at least one, all infinite.
  void reset(std::size_t count);
  // The first numbers; after them build() is called once.
  void set(std::size_t place, double value) { tiers_.front()[place] = value; }
  void build();

  double operator[](std::size_t place) const { return tiers_.front()[place]; }
  double least() const { return tiers_.back().front(); }
  std::size_t place() const;  // of the least

  // `value` is not less than what was there.
  void raise(std::size_t place, double value) {
    for (std::size_t tier = 0;; ++tier) {
      const double before = tiers_[tier][place];
      tiers_[tier][place] = value;
      if (tier + 1 == tiers_.size()) return;
      place /= kBlock;
      if (before > tiers_[tier + 1][place]) return;  // the block's least is another one
      value = least_of(tiers_[tier].data() + place * kBlock);
    }
  }

 private:
  static constexpr std::size_t kBlock = 16;
  static double least_of(const double* block);

  std::vector<std::vector<double>> tiers_;  // the numbers, the least of each block, ..., the least of all
};

}  // namespace overture::network::flow
