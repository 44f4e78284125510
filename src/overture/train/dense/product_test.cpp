#include "overture/train/dense/product.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "overture/train/dense/testing.h"

namespace overture::train {
namespace {

std::vector<const ProductLoops*> loops_of_this_machine() {
  std::vector<const ProductLoops*> result{&portable_product()};
  for (const ProductLoops* loops : {avx2_product(), avx512_product()}) {
    if (loops != nullptr) result.push_back(loops);
  }
  return result;
}

struct Case {
  ProductShape shape;
  bool left_transposed = false;
  bool right_transposed = false;
  bool add = false;
  bool relu = false;
};

// Numbers of every operand of a case, and the product as it is written down.
struct Numbers {
  explicit Numbers(const Case& one)
      : left(random_floats(one.shape.rows * one.shape.inner, "left")),
        right(random_floats(one.shape.inner * one.shape.columns, "right")),
        start(random_floats(one.shape.rows * one.shape.columns, "start")),
        biases(random_floats(one.shape.columns, "biases")),
        gate(random_floats(one.shape.rows * one.shape.columns, "gate")),
        sums(static_cast<std::size_t>(one.shape.rows)) {}

  std::vector<float> left;
  std::vector<float> right;
  std::vector<float> start;
  std::vector<float> biases;
  std::vector<float> gate;
  std::vector<float> sums;
};

std::vector<float> computed(const ProductLoops& loops, const Case& one, Numbers& numbers,
                            std::int64_t stripe) {
  const ProductShape& shape = one.shape;
  std::vector<float> packed(static_cast<std::size_t>(loops.packed_size(shape)), NAN);
  const Factor right{numbers.right.data(), one.right_transposed ? shape.inner : shape.columns,
                     one.right_transposed};
  for (std::int64_t from = 0; from < shape.inner; from += 50)
    loops.pack(shape, right, from, std::min(from + 50, shape.inner), packed.data());
  std::vector<float> out = one.add ? numbers.start : std::vector<float>(numbers.start.size(), NAN);
  const ProductJob job{
      .shape = shape,
      .left = {numbers.left.data(), one.left_transposed ? shape.rows : shape.inner, one.left_transposed},
      .packed = packed.data(),
      .product = {out.data(), shape.columns, one.add},
      .around = {.biases = one.add ? nullptr : numbers.biases.data(),
                 .relu = one.relu,
                 .gate = one.relu ? nullptr : numbers.gate.data(),
                 .row_sums = one.left_transposed ? numbers.sums.data() : nullptr},
      .from = 0,
      .to = 0};
  for (std::int64_t from = 0; from < shape.rows; from += stripe) {
    ProductJob part = job;
    part.from = from;
    part.to = std::min(from + stripe, shape.rows);
    loops.multiply(part);
  }
  return out;
}

float expected(const Case& one, const Numbers& numbers, std::int64_t i, std::int64_t j, bool fused) {
  const auto at = [](const std::vector<float>& from, std::int64_t n) {
    return from[static_cast<std::size_t>(n)];
  };
  const ProductShape& shape = one.shape;
  float sum = one.add ? at(numbers.start, i * shape.columns + j) : at(numbers.biases, j);
  for (std::int64_t k = 0; k < shape.inner; ++k) {
    const float a = at(numbers.left, one.left_transposed ? k * shape.rows + i : i * shape.inner + k);
    const float b = at(numbers.right, one.right_transposed ? j * shape.inner + k : k * shape.columns + j);
    sum = fused ? std::fma(a, b, sum) : sum + a * b;
  }
  if (one.relu) return sum > 0 ? sum : 0;
  return at(numbers.gate, i * shape.columns + j) > 0 ? sum : 0;
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {.shape = {8, 48, 5}, .relu = true},
      {.shape = {1, 1, 1}},
      {.shape = {13, 1, 300}, .right_transposed = true, .relu = true},
      {.shape = {131, 67, 401}, .right_transposed = true},
      {.shape = {50, 64, 200}, .add = true},
      {.shape = {150, 33, 390}, .left_transposed = true, .add = true},
      {.shape = {3, 100, 193}, .left_transposed = true, .right_transposed = true}};
  return all;
}

// Where there is a fused multiply-add, all loops have it, but for those for any x86.
bool fused(const ProductLoops* loops) {
#ifdef __x86_64__
  return loops != &portable_product();
#else
  return loops != nullptr;
#endif
}

TEST(Product, IsAChainInTheOrderOfTheInnerIndex) {
  for (const ProductLoops* loops : loops_of_this_machine()) {
    for (const Case& one : cases()) {
      Numbers numbers(one);
      const std::vector<float> out = computed(*loops, one, numbers, one.shape.rows);
      for (std::int64_t i = 0; i < one.shape.rows; ++i) {
        for (std::int64_t j = 0; j < one.shape.columns; ++j)
          ASSERT_EQ(out[static_cast<std::size_t>(i * one.shape.columns + j)],
                    expected(one, numbers, i, j, fused(loops)))
              << i << ", " << j << " of " << one.shape.rows << " x " << one.shape.columns;
      }
    }
  }
}

TEST(Product, DoesNotDependOnHowItsRowsAreShared) {
  for (const ProductLoops* loops : loops_of_this_machine()) {
    for (const Case& one : cases()) {
      Numbers numbers(one);
      const std::vector<float> whole = computed(*loops, one, numbers, one.shape.rows);
      const std::vector<float> sums = numbers.sums;
      EXPECT_EQ(computed(*loops, one, numbers, 7), whole);
      EXPECT_EQ(numbers.sums, sums);
    }
  }
}

TEST(Product, AddsAMultipleNumberByNumber) {
  const std::vector<float> from = random_floats(77, "from");
  const std::vector<float> start = random_floats(77, "to");
  for (const ProductLoops* loops : loops_of_this_machine()) {
    std::vector<float> to = start;
    loops->add_multiple(std::ssize(to), 0.7f, from.data(), to.data());
    for (std::size_t i = 0; i < to.size(); ++i)
      ASSERT_EQ(to[i], fused(loops) ? std::fma(0.7f, from[i], start[i]) : start[i] + 0.7f * from[i]);
  }
}

TEST(Product, AddsUpTheRowsOfATransposedLeftFactor) {
  const Case one{.shape = {150, 33, 390}, .left_transposed = true};
  for (const ProductLoops* loops : loops_of_this_machine()) {
    Numbers numbers(one);
    computed(*loops, one, numbers, one.shape.rows);
    for (std::size_t i = 0; i < 150; ++i) {
      float sum = 0;
      for (std::size_t k = 0; k < 390; ++k) sum += numbers.left[k * 150 + i];
      ASSERT_EQ(numbers.sums[i], sum);
    }
  }
}

}  // namespace
}  // namespace overture::train
