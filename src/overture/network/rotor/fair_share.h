// How RotorLB divides whole packets (opera-htsim, section 1.8): equally, what is not needed goes to the
// others, and a remainder too small for everybody is dealt out at random. Plain arithmetic, no network.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "overture/base/random.h"

namespace overture::network::rotor {

class FairShare {
 public:
  explicit FairShare(RandomStream random) : random_(random) {}

  // Takes at most `capacity` from `demand`, which holds what is left afterwards.
  void take(std::span<int> demand, int capacity);

  // Divides under a capacity for each row and each column: up to five rounds of rows, then columns. Returns
  // what each element of the matrix, row by row, is granted.
  std::span<const int> matrix(std::span<const int> demand, std::span<const int> row_capacity,
                              std::span<const int> column_capacity);

  // One element: how much of a demand in some column is granted.
  struct Element {
    int column = 0;
    int demand = 0;
    int granted = 0;
  };
  // Divides under one capacity for all and one for each column, `room` indexed by column, in up to five
  // rounds.
  void shared(std::span<Element> elements, int capacity, std::span<const int> room);

  RandomStream& random() { return random_; }

 private:
  void deal_remainder(std::span<int> demand, int capacity);
  void limit_columns(std::span<Element> elements, std::span<const int> room);

  RandomStream random_;
  std::vector<std::size_t> wanting_;
  std::vector<int> left_;
  std::vector<int> granted_;
  std::vector<int> round_;
  std::vector<int> column_;
  std::vector<std::size_t> order_;
  std::vector<int> used_;
};

}  // namespace overture::network::rotor
