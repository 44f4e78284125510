#include "overture/model/dlrm.h"

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::model {
namespace {

void require_positive(std::int64_t number, std::string_view what) {
  if (number < 1) throw UserError(fmt::format("a DLRM needs at least one {}, not {}", what, number));
}

}  // namespace

std::int64_t Dlrm::concatenated() const {
  std::int64_t width = bottom.empty() ? 0 : bottom.back().outputs;
  for (const EmbeddingTable& table : tables) width += table.columns;
  return width;
}

Bytes Dlrm::dense_parameters() const {
  Bytes sum;
  for (const auto* layers : {&bottom, &top}) {
    for (const DenseLayer& layer : *layers) sum += layer.kernel() + layer.bias();
  }
  return sum;
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
  model.top.front().inputs = model.concatenated();
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
