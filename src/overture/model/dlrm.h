// Deep learning recommendation models as data: layers, tables and their sizes. Whoever needs a DLRM (setups,
// generators, studies) describes it with these types. Model-A and Model-I are those of Mudigere et al. (ISCA
// 2022) as the Opera study built them (EuroMLSys 2024): no dot interaction, the outputs of the bottom MLP and
// of all tables are concatenated.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "overture/base/units.h"
#include "overture/base/words.h"

namespace overture::model {

enum class NumberType : std::uint8_t { fp32, fp16, bf16, fp8 };
constexpr auto vocabulary(NumberType) {
  return std::to_array<Word<NumberType>>({
      {NumberType::fp32, "fp32"},
      {NumberType::fp16, "fp16"},
      {NumberType::bf16, "bf16"},
      {NumberType::fp8, "fp8"},
  });
}
constexpr Bytes size_of(NumberType type) {
  return Bytes{type == NumberType::fp32 ? 4 : type == NumberType::fp8 ? 1 : 2};
}

struct DenseLayer {
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;

  std::int64_t kernel() const { return inputs * outputs; }  // parameters
  std::int64_t bias() const { return outputs; }
};

struct EmbeddingTable {
  std::int64_t rows = 0;
  std::int64_t columns = 0;  // the feature size
  int bag = 1;               // rows that are summed for a sample
  NumberType number = NumberType::fp32;
  // Numbers of four bytes that the optimizer keeps: for a row, or a share of its columns, and for each
  // column.
  int kept_of_row = 0;
  int kept_of_column = 0;

  Bytes row() const { return size_of(number) * columns; }
  Bytes size() const { return row() * rows; }
  // With what the optimizer keeps; of the whole table, or of some rows and columns of it.
  Bytes memory() const { return memory(rows, columns); }
  Bytes memory(std::int64_t of_rows, std::int64_t of_columns) const {
    const std::int64_t kept = kept_of_row + kept_of_column * of_columns;
    return (size_of(number) * of_columns + Bytes{4 * kept}) * of_rows;
  }
};

// How the outputs of the bottom MLP and of the tables become the input of the top MLP.
enum class Interaction : std::uint8_t {
  dot,  // the dot product of every pair of them, beside the output of the bottom MLP
  cat,  // side by side
};
constexpr auto vocabulary(Interaction) {
  return std::to_array<Word<Interaction>>({
      {Interaction::dot, "dot"},
      {Interaction::cat, "cat"},
  });
}

struct Dlrm {
  std::string name;
  std::vector<DenseLayer> bottom;
  std::vector<EmbeddingTable> tables;
  std::vector<DenseLayer> top;  // the first takes the interaction
  Interaction interaction = Interaction::cat;
  NumberType weights = NumberType::fp32;    // of the dense layers, and what is computed with
  NumberType gradients = NumberType::fp32;  // of the dense layers
  bool biases = true;

  // What the tables give for a sample.
  std::int64_t pooled_columns() const;
  // What the top MLP takes.
  std::int64_t interacted() const;
  // What data-parallel training reduces: the gradients of a layer, and of all of them.
  Bytes gradient(const DenseLayer& layer) const;
  Bytes dense_gradients() const;
  Bytes weights_of(const DenseLayer& layer) const;
};
// Throws UserError when layers do not follow on each other, a dot product has vectors of different lengths,
// or a count is not positive.
void require_sound(const Dlrm& model);

// A model from its shape, with equal tables and equal layers; the top ends in one output. Throws UserError
// when a count is not positive.
struct DlrmShape {
  std::string name;
  int tables = 0;
  std::int64_t rows = 10'000'000;
  std::int64_t columns = 0;
  int bag = 100;
  std::int64_t width = 0;  // of all dense layers
  int bottom_layers = 0;
  int top_layers = 0;
};
Dlrm make_dlrm(const DlrmShape& shape);

// Of the study, to be changed and handed to make_dlrm().
DlrmShape model_a(std::int64_t columns = 80);
DlrmShape model_i();
// "A" or "I". Throws UserError for any other name.
DlrmShape published_model(std::string_view name);

}  // namespace overture::model
