// Parameters: all numbers of a dense model that are trained, and their gradients, each in one row. So one
// optimizer, one exchange between trainers and one checkpoint serve every model.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "overture/train/dense/floats.h"

namespace overture::train {

class Parameters {
 public:
  explicit Parameters(std::uint64_t seed) : seed_(seed) {}

  struct Entry {
    std::string name;
    std::int64_t start;
    std::int64_t size;
    bool operator==(const Entry&) const = default;
  };

  // `size` numbers, drawn from a normal distribution with this deviation from a stream of this name. Returns
  // where they start. Only before training.
  std::int64_t add(const std::string& name, std::int64_t size, double deviation);

  float* value(std::int64_t start) { return values_.data() + start; }
  float* gradient(std::int64_t start) { return gradients_.data() + start; }

  std::span<float> values() { return values_; }
  std::span<float> gradients() { return gradients_; }
  std::int64_t size() const { return std::ssize(values_); }
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::uint64_t seed_;
  std::vector<Entry> entries_;
  Floats values_;
  Floats gradients_;
};

}  // namespace overture::train
