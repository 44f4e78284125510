#include "overture/model/dlrm.h"

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::model {
namespace {

void require_positive(std::int64_t number, std::string_view what) {
  if (number < 1) throw UserError(fmt::format("a DLRM needs at least one {}, not {}", what, number));
}

void require_chain(const std::vector<DenseLayer>& layers, std::string_view which) {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    require_positive(layers[i].inputs, "input of a layer");
    require_positive(layers[i].outputs, "neuron in a layer");
    if (i == 0 || layers[i].inputs == layers[i - 1].outputs) continue;
    throw UserError(fmt::format("layer {} of the {} MLP takes {} numbers, but the one before gives {}", i,
                                which, layers[i].inputs, layers[i - 1].outputs));
  }
}

void require_equal_vectors(const Dlrm& model) {
  const std::int64_t length = model.tables.front().columns;
  for (std::size_t t = 0; t < model.tables.size(); ++t) {
    if (model.tables[t].columns == length) continue;
    throw UserError(
        fmt::format("a dot interaction needs vectors of one length; table 0 has {} columns, table {} has {}",
                    length, t, model.tables[t].columns),
        "give all tables as many columns, or write interaction: cat");
  }
  if (model.bottom.empty() || model.bottom.back().outputs == length) return;
  throw UserError(
      fmt::format(
          "a dot interaction needs vectors of one length; tables have {} columns, the bottom MLP ends in {}",
          length, model.bottom.back().outputs),
      "let the last width of the bottom MLP be the columns of a table, or write interaction: cat");
}

}  // namespace

std::int64_t Dlrm::pooled_columns() const {
  std::int64_t width = 0;
  for (const EmbeddingTable& table : tables) width += table.columns;
  return width;
}

std::int64_t Dlrm::interacted() const {
  const std::int64_t dense = bottom.empty() ? 0 : bottom.back().outputs;
  if (interaction == Interaction::cat) return dense + pooled_columns();
  const auto vectors = static_cast<std::int64_t>(tables.size()) + (bottom.empty() ? 0 : 1);
  return dense + vectors * (vectors - 1) / 2;
}

Bytes Dlrm::gradient(const DenseLayer& layer) const {
  return size_of(gradients) * (layer.kernel() + (biases ? layer.bias() : 0));
}

Bytes Dlrm::weights_of(const DenseLayer& layer) const {
  return size_of(weights) * (layer.kernel() + (biases ? layer.bias() : 0));
}

Bytes Dlrm::dense_gradients() const {
  Bytes sum;
  for (const auto* layers : {&bottom, &top}) {
    for (const DenseLayer& layer : *layers) sum += gradient(layer);
  }
  return sum;
}

void require_sound(const Dlrm& model) {
  require_positive(static_cast<std::int64_t>(model.top.size()), "layer at the top");
  require_positive(static_cast<std::int64_t>(model.tables.size()), "embedding table");
  for (const EmbeddingTable& table : model.tables) {
    require_positive(table.rows, "row in a table");
    require_positive(table.columns, "column in a table");
    require_positive(table.bag, "row for a sample");
  }
  require_chain(model.bottom, "bottom");
  require_chain(model.top, "top");
  if (model.interaction == Interaction::dot) require_equal_vectors(model);
  if (model.top.front().inputs != model.interacted()) {
    throw UserError(fmt::format("the top MLP takes {} numbers, but the interaction gives {}",
                                model.top.front().inputs, model.interacted()));
  }
}

Dlrm make_dlrm(const DlrmShape& shape) {
  require_positive(shape.tables, "embedding table");
  require_positive(shape.rows, "row in a table");
  require_positive(shape.columns, "column in a table");
  require_positive(shape.bag, "row for a sample");
  require_positive(shape.width, "neuron in a layer");
  require_positive(shape.bottom_layers, "layer at the bottom");
  require_positive(shape.top_layers, "layer at the top");
  Dlrm model{.name = shape.name};
  model.bottom.assign(static_cast<std::size_t>(shape.bottom_layers),
                      {.inputs = shape.width, .outputs = shape.width});
  model.tables.assign(static_cast<std::size_t>(shape.tables),
                      {.rows = shape.rows, .columns = shape.columns, .bag = shape.bag});
  model.top.assign(static_cast<std::size_t>(shape.top_layers),
                   {.inputs = shape.width, .outputs = shape.width});
  model.top.front().inputs = model.interacted();
  model.top.back().outputs = 1;
  return model;
}

DlrmShape model_a(std::int64_t columns) {
  return {
      .name = "A", .tables = 1000, .columns = columns, .width = 3375, .bottom_layers = 19, .top_layers = 20};
}

DlrmShape model_i() {
  return {.name = "I", .tables = 361, .columns = 92, .width = 682, .bottom_layers = 42, .top_layers = 43};
}

DlrmShape published_model(std::string_view name) {
  if (name == "A") return model_a();
  if (name == "I") return model_i();
  throw UserError(fmt::format("unknown model \"{}\"", name), suggest(name, {"A", "I"}));
}

}  // namespace overture::model
