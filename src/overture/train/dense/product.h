// Matrix products on one core, with what stands around them in a layer done in the same visit. Compiled for
// any machine, for AVX2 and for AVX-512, and chosen when the program starts. Every number of a product is one
// chain of fused multiply-adds in the order of the inner index, whatever the registers and however the work
// is cut; so it is the same on every machine that has them (x86 since 2013).
#pragma once

#include <cstdint>

namespace overture::train {

struct ProductShape {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t inner;
};

// A part of a matrix: `stride` numbers from one row to the next.
struct Factor {
  const float* data;
  std::int64_t stride;
  bool transposed = false;
};
struct Product {
  float* data;
  std::int64_t stride;
  bool add = false;  // to what is there
};

// What a layer does with its product.
struct AroundProduct {
  const float* biases = nullptr;  // by column; added first
  bool relu = false;              // in place of a number below zero, zero
  const float* gate = nullptr;    // lies as the product does; where it is not above zero, the product is zero
  float* row_sums = nullptr;      // gets the sums of the left factor's rows; needs it to be transposed
};

// Rows [from, to) of a product; `packed` is its right factor.
struct ProductJob {
  ProductShape shape;
  Factor left;
  const float* packed;
  Product product;
  AroundProduct around;
  std::int64_t from;
  std::int64_t to;
};

struct ProductLoops {
  // The right factor in the order in which it is read: panels of some columns each, one after the other.
  // Packs the part of it between two places of the inner index.
  std::int64_t (*packed_size)(const ProductShape& shape);
  void (*pack)(const ProductShape& shape, const Factor& right, std::int64_t from, std::int64_t to,
               float* packed);
  void (*multiply)(const ProductJob& job);
  // to += number * from
  void (*add_multiple)(std::int64_t count, float number, const float* from, float* to);
};

const ProductLoops& portable_product();
const ProductLoops* avx2_product();    // null where there is none, or no fused multiply-add
const ProductLoops* avx512_product();  // null where there is none
const ProductLoops& product_loops();   // the best of them

}  // namespace overture::train
