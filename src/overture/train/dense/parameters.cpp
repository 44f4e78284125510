#include "overture/train/dense/parameters.h"

#include <cmath>
#include <numbers>

#include "overture/base/random.h"

namespace overture::train {
namespace {

// Box and Muller, 1958; one of the pair, so that every number takes two draws.
double normal(RandomStream& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.unit()));
  return radius * std::cos(2 * std::numbers::pi * random.unit());
}

}  // namespace

std::int64_t Parameters::add(const std::string& name, std::int64_t size, double deviation) {
  // Every entry starts at a cache line; the numbers between are zero and stay so.
  const std::int64_t start = (this->size() + 15) / 16 * 16;
  values_.resize(static_cast<std::size_t>(start + size), 0);
  gradients_.resize(static_cast<std::size_t>(start + size), 0);
  entries_.push_back({name, start, size});
  RandomStream random = RandomStreams(seed_).make(name);
  for (std::int64_t i = 0; i < size; ++i) value(start)[i] = static_cast<float>(deviation * normal(random));
  return start;
}

}  // namespace overture::train
