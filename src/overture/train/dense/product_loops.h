// The loops behind product.h, included by one source file per instruction set; no standard library here. As
// in Goto and van de Geijn (2008), a tile of the product stays in registers while a panel of the right factor
// is read from the first cache and rows of the left one from the second.
#pragma once

#include "overture/train/dense/product.h"

namespace overture::train {
namespace {

constexpr std::int64_t kInner = 192;  // numbers of a chain at once: a panel fits the first cache
constexpr std::int64_t kLeftStride = kInner + 16;
constexpr std::int64_t kAhead = 4;       // rows that are asked for early
constexpr std::int64_t kTileRows = 128;  // at once: rows of the left factor fit the second

template <int kLanes>
struct Register;
template <>
struct Register<4> {
  typedef float Vector __attribute__((vector_size(16)));
  [[gnu::always_inline]] static Vector all(float n) { return Vector{n, n, n, n}; }
};
template <>
struct Register<8> {
  typedef float Vector __attribute__((vector_size(32)));
  [[gnu::always_inline]] static Vector all(float n) { return Vector{n, n, n, n, n, n, n, n}; }
};
template <>
struct Register<16> {
  typedef float Vector __attribute__((vector_size(64)));
  [[gnu::always_inline]] static Vector all(float n) {
    return Vector{n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n};
  }
};

// A machine's registers: numbers in one, and rows and registers across a tile.
template <int kLanes, int kRows, int kVectors>
struct Loops {
  using Vector = typename Register<kLanes>::Vector;

  static constexpr std::int64_t kWidth = kLanes * kVectors;

  [[gnu::always_inline]] static Vector load(const float* from) {
    Vector value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
  }
  [[gnu::always_inline]] static void store(float* to, Vector value) {
    __builtin_memcpy(to, &value, sizeof value);
  }
  static std::int64_t smaller(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
  // Whole registers, the last one over what the one before has copied.
  [[gnu::always_inline]] static void copy(const float* from, std::int64_t count, float* to) {
    if (count < kLanes) {
      for (std::int64_t i = 0; i < count; ++i) to[i] = from[i];
      return;
    }
    for (std::int64_t i = 0; i + kLanes < count; i += kLanes) store(to + i, load(from + i));
    store(to + count - kLanes, load(from + count - kLanes));
  }

  [[gnu::always_inline]] static void prefetch(const float* from, std::int64_t count) {
    for (std::int64_t i = 0; i < count; i += 16) __builtin_prefetch(from + i);
  }

  // ---- the right factor

  static std::int64_t vectors(std::int64_t columns) { return (columns + kLanes - 1) / kLanes; }
  // Of a panel, when so many are left: rather two of middling width than a narrow one at the end.
  static int panel_vectors(std::int64_t left) {
    if (left == kVectors || left > kVectors + 1) return kVectors;
    return left > kVectors ? (kVectors + 2) / 2 : static_cast<int>(left);
  }
  template <class Visit>
  static void each_panel(std::int64_t columns, Visit visit) {
    for (std::int64_t at = 0; at < vectors(columns);) {
      const int wide = panel_vectors(vectors(columns) - at);
      visit(at * kLanes, wide);
      at += wide;
    }
  }

  static std::int64_t packed_size(const ProductShape& shape) {
    return vectors(shape.columns) * kLanes * shape.inner;
  }

  static void pack(const ProductShape& shape, const Factor& right, std::int64_t from, std::int64_t to,
                   float* packed) {
    if (right.transposed) {
      each_panel(shape.columns, [&](std::int64_t column, int wide) {
        const std::int64_t width = wide * kLanes;
        pack_transposed(to - from, right.data + column * right.stride + from, right.stride,
                        smaller(width, shape.columns - column), width,
                        packed + column * shape.inner + from * width);
      });
      return;
    }
    for (std::int64_t k = from; k < to; ++k) {  // rows one after the other, as they lie in memory
      if (k + kAhead < shape.inner) prefetch(right.data + (k + kAhead) * right.stride, shape.columns);
      each_panel(shape.columns, [&](std::int64_t column, int wide) {
        const std::int64_t width = wide * kLanes;
        const std::int64_t count = smaller(width, shape.columns - column);
        float* const out = packed + column * shape.inner + k * width;
        copy(right.data + k * right.stride + column, count, out);
        for (std::int64_t i = count; i < width; ++i) out[i] = 0;
      });
    }
  }
  static void pack_transposed(std::int64_t inner, const float* from, std::int64_t stride, std::int64_t count,
                              std::int64_t width, float* out) {
    constexpr std::int64_t kLine = 16;  // numbers of a cache line
    for (std::int64_t first = 0; first < inner; first += kLine) {
      const std::int64_t last = smaller(first + kLine, inner);
      for (std::int64_t i = 0; i < width; i += 4) {
        std::int64_t k = first;
        if (i + 4 <= count) {
          for (; k + 4 <= last; k += 4) transpose(from + i * stride + k, stride, out + k * width + i, width);
        }
        for (; k < last; ++k) {
          for (std::int64_t j = i; j < i + 4; ++j) out[k * width + j] = j < count ? from[j * stride + k] : 0;
        }
      }
    }
  }
  // Four by four.
  [[gnu::always_inline]] static void transpose(const float* from, std::int64_t stride, float* to,
                                               std::int64_t to_stride) {
    typedef float Four __attribute__((vector_size(16)));
    Four row[4];
    for (int i = 0; i < 4; ++i) __builtin_memcpy(&row[i], from + i * stride, sizeof row[i]);
    const Four low01 = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5);
    const Four low23 = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5);
    const Four high01 = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7);
    const Four high23 = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
    const Four column[4] = {__builtin_shufflevector(low01, low23, 0, 1, 4, 5),
                            __builtin_shufflevector(low01, low23, 2, 3, 6, 7),
                            __builtin_shufflevector(high01, high23, 0, 1, 4, 5),
                            __builtin_shufflevector(high01, high23, 2, 3, 6, 7)};
    for (int i = 0; i < 4; ++i) __builtin_memcpy(to + i * to_stride, &column[i], sizeof column[i]);
  }

  // ---- the left factor

  // Some of its rows, and zeros to fill the last tile, such that no two lie a page apart: those would throw
  // each other out of the first cache.
  static void copy_rows(const Factor& left, std::int64_t row, std::int64_t rows, std::int64_t first,
                        std::int64_t inner, float* out) {
    const std::int64_t whole = (rows + kRows - 1) / kRows * kRows;
    for (std::int64_t i = 0; i < whole; ++i, out += kLeftStride) {
      if (i < rows) {
        copy(left.data + (row + i) * left.stride + first, inner, out);
      } else {
        for (std::int64_t k = 0; k < inner; ++k) out[k] = 0;
      }
    }
  }
  // Of a transposed factor, in blocks of kRows rows beside each other; adds up its rows in the same visit.
  static void pack_columns(const Factor& left, std::int64_t row, std::int64_t rows, std::int64_t first,
                           std::int64_t inner, float* sums, float* out) {
    const float* from = left.data + first * left.stride + row;
    for (std::int64_t k = 0; k < inner; ++k, from += left.stride) {
      if (k + kAhead < inner) prefetch(from + kAhead * left.stride, rows);
      std::int64_t i = 0;
      for (; i + kRows <= rows; i += kRows)
        __builtin_memcpy(out + i * inner + k * kRows, from + i, kRows * sizeof(float));
      for (; i < rows; i += kRows) {
        for (std::int64_t j = 0; j < kRows; ++j)
          out[i * inner + k * kRows + j] = i + j < rows ? from[i + j] : 0;
      }
      if (sums != nullptr) add(from, rows, first + k == 0, sums + row);
    }
  }
  [[gnu::always_inline]] static void add(const float* from, std::int64_t count, bool anew, float* to) {
    if (anew) return copy(from, count, to);
    std::int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) store(to + i, load(to + i) + load(from + i));
    for (; i < count; ++i) to[i] += from[i];
  }

  // ---- tiles

  struct Tile {
    std::int64_t inner;
    const float* left;
    bool beside;  // the numbers of the left rows stand beside each other
    const float* right;
    const float* start;  // what the chains start from
    std::int64_t start_stride;
    float* out;
    std::int64_t out_stride;
    const float* gate;  // as `out`; null: none
    bool relu;
  };

  template <int kWide, bool kBeside>
  [[gnu::always_inline]] static void chains(const Tile& tile, Vector (&sum)[kRows][kWide]) {
    const float* left = tile.left;
    const float* right = tile.right;
    for (std::int64_t k = 0; k < tile.inner; ++k, right += kWide * kLanes, left += kBeside ? kRows : 1) {
      Vector factor[kWide];
#pragma GCC unroll 16
      for (int v = 0; v < kWide; ++v) factor[v] = load(right + v * kLanes);
#pragma GCC unroll 16
      for (int i = 0; i < kRows; ++i) {
        const Vector number = Register<kLanes>::all(left[kBeside ? i : i * kLeftStride]);
#pragma GCC unroll 16
        for (int v = 0; v < kWide; ++v) sum[i][v] += number * factor[v];
      }
    }
  }

  template <int kWide>
  static void tile(const Tile& tile) {
    Vector sum[kRows][kWide];
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 16
      for (int v = 0; v < kWide; ++v) {
        sum[i][v] = load(tile.start + i * tile.start_stride + v * kLanes);
        __builtin_prefetch(tile.out + i * tile.out_stride + v * kLanes, 1);
      }
    }
    if (tile.beside) {
      chains<kWide, true>(tile, sum);
    } else {
      chains<kWide, false>(tile, sum);
    }
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 16
      for (int v = 0; v < kWide; ++v) {
        Vector value = sum[i][v];
        if (tile.relu) value = value > Vector{} ? value : Vector{};
        if (tile.gate != nullptr)
          value = load(tile.gate + i * tile.out_stride + v * kLanes) > Vector{} ? value : Vector{};
        store(tile.out + i * tile.out_stride + v * kLanes, value);
      }
    }
  }
  static void any_tile(int wide, const Tile& one) {
    if constexpr (kVectors >= 3) {
      if (wide == 3) return tile<3>(one);
    }
    return wide == 2 ? tile<2>(one) : tile<1>(one);
  }

  // One at the edge: the same in a place with room for all of it.
  static void edge_tile(int wide, std::int64_t rows, std::int64_t columns, Tile one) {
    alignas(64) float start[kRows * kWidth] = {};
    alignas(64) float gate[kRows * kWidth] = {};
    alignas(64) float out[kRows * kWidth];
    const std::int64_t width = wide * kLanes;
    for (std::int64_t i = 0; i < rows; ++i) {
      if (i == 0 || one.start_stride > 0) copy(one.start + i * one.start_stride, columns, start + i * width);
      if (one.gate != nullptr) copy(one.gate + i * one.out_stride, columns, gate + i * width);
    }
    float* const into = one.out;
    const std::int64_t stride = one.out_stride;
    one.start = start;
    one.start_stride = one.start_stride > 0 ? width : 0;
    one.out_stride = width;
    one.out = out;
    if (one.gate != nullptr) one.gate = gate;
    any_tile(wide, one);
    for (std::int64_t i = 0; i < rows; ++i) copy(out + i * width, columns, into + i * stride);
  }

  // ---- all of it

  static void panel_tiles(const ProductJob& job, std::int64_t row, std::int64_t rows, std::int64_t first,
                          std::int64_t inner, const float* packed, std::int64_t column, int wide) {
    static constexpr float kZeros[kWidth] = {};
    const Product& product = job.product;
    const bool last = first + inner == job.shape.inner;
    const bool goes_on = first > 0 || product.add;
    const std::int64_t columns = smaller(wide * kLanes, job.shape.columns - column);
    for (std::int64_t i = 0; i < rows; i += kRows) {
      const std::int64_t count = smaller(kRows, rows - i);
      float* const out = product.data + (row + i) * product.stride + column;
      const float* const biases = job.around.biases == nullptr ? kZeros : job.around.biases + column;
      const float* const gate = job.around.gate;
      const Tile one{.inner = inner,
                     .left = packed + i * (job.left.transposed ? inner : kLeftStride),
                     .beside = job.left.transposed,
                     .right = job.packed + column * job.shape.inner + first * wide * kLanes,
                     .start = goes_on ? out : biases,
                     .start_stride = goes_on ? product.stride : 0,
                     .out = out,
                     .out_stride = product.stride,
                     .gate = last && gate != nullptr ? gate + (row + i) * product.stride + column : nullptr,
                     .relu = last && job.around.relu};
      if (count < kRows || columns < wide * kLanes) {
        edge_tile(wide, count, columns, one);
      } else {
        any_tile(wide, one);
      }
    }
  }

  static void multiply(const ProductJob& job) {
    alignas(64) static thread_local float packed[(kTileRows + kRows) * kLeftStride];
    for (std::int64_t row = job.from; row < job.to; row += kTileRows) {
      const std::int64_t rows = smaller(kTileRows, job.to - row);
      for (std::int64_t first = 0; first < job.shape.inner; first += kInner) {
        const std::int64_t inner = smaller(kInner, job.shape.inner - first);
        if (job.left.transposed) {
          pack_columns(job.left, row, rows, first, inner, job.around.row_sums, packed);
        } else {
          copy_rows(job.left, row, rows, first, inner, packed);
        }
        each_panel(job.shape.columns, [&](std::int64_t column, int wide) {
          panel_tiles(job, row, rows, first, inner, packed, column, wide);
        });
      }
    }
  }

  static void add_multiple(std::int64_t count, float number, const float* from, float* to) {
    std::int64_t i = 0;
    const Vector numbers = Register<kLanes>::all(number);
    for (; i + kLanes <= count; i += kLanes) {
      Vector sum = load(to + i);
      sum += numbers * load(from + i);
      store(to + i, sum);
    }
    for (; i < count; ++i) to[i] += number * from[i];
  }

  static constexpr ProductLoops kLoops{
      .packed_size = packed_size, .pack = pack, .multiply = multiply, .add_multiple = add_multiple};
};

}  // namespace
}  // namespace overture::train
