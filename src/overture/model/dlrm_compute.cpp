#include "overture/model/dlrm_compute.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "overture/base/csv.h"
#include "overture/base/error.h"
#include "overture/base/files.h"

namespace overture::model {
namespace {

Duration scaled(Duration time, std::int64_t amount, std::int64_t reference) {
  return Duration{static_cast<std::int64_t>(Int128{time.count()} * amount / reference)};
}

template <class T>
T value_or_throw(const Result<T>& result, const Where& where) {
  if (!result) throw UserError(where, result.error());
  return result.value();
}

// How each entry of the file is read.
struct Entry {
  std::string name;
  std::function<void(DlrmCalibration&, std::string_view, const Where&)> read;
};

Entry duration(std::string name, Duration DlrmCalibration::*member) {
  return {std::move(name), [member](DlrmCalibration& c, std::string_view text, const Where& where) {
            c.*member = value_or_throw(parse_duration(text), where);
          }};
}
Entry bandwidth(std::string name, Bandwidth DlrmCalibration::*member) {
  return {std::move(name), [member](DlrmCalibration& c, std::string_view text, const Where& where) {
            c.*member = value_or_throw(parse_bandwidth(text), where);
            if (c.*member <= Bandwidth::bits_per_second(0))
              throw UserError(where, "a rate must be above zero");
          }};
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all{duration("embedding_forward", &DlrmCalibration::embedding_forward),
                                      duration("embedding_backward", &DlrmCalibration::embedding_backward),
                                      {"reference_batch",
                                       [](DlrmCalibration& c, std::string_view text, const Where& where) {
                                         c.reference_batch =
                                             whole_number(text, where, 1, std::int64_t{1} << 40);
                                       }},
                                      bandwidth("gather_rate", &DlrmCalibration::gather_rate),
                                      {"dense_rate",
                                       [](DlrmCalibration& c, std::string_view text, const Where& where) {
                                         c.dense_rate = value_or_throw(compute::parse_flop_rate(text), where);
                                       }},
                                      duration("dense_floor", &DlrmCalibration::dense_floor),
                                      bandwidth("concat_rate", &DlrmCalibration::concat_rate),
                                      duration("concat_floor", &DlrmCalibration::concat_floor)};
  return all;
}

const Entry& entry(const std::string& name, const Where& where) {
  const auto found = std::ranges::find(entries(), name, &Entry::name);
  if (found != entries().end()) return *found;
  std::vector<std::string> known;
  for (const Entry& each : entries()) known.push_back(each.name);
  throw UserError(where, fmt::format("unknown number \"{}\"", name), suggest(name, known));
}

}  // namespace

Duration dense_time(const DlrmCalibration& calibration, const DenseLayer& layer, std::int64_t samples) {
  const double flops = 2.0 * static_cast<double>(samples) * static_cast<double>(layer.inputs) *
                       static_cast<double>(layer.outputs);
  const double ps = flops / static_cast<double>(calibration.dense_rate.per_second()) * 1e12;
  return std::max(calibration.dense_floor, Duration{std::llround(ps)});
}

Duration concat_time(const DlrmCalibration& calibration, std::int64_t width, std::int64_t samples) {
  // Every fp32 number is read once and written once.
  return std::max(calibration.concat_floor,
                  transfer_time(Bytes{8 * samples * width}, calibration.concat_rate));
}

ForwardBackward fitted_embedding_time(const DlrmCalibration& calibration, std::int64_t batch) {
  return {.forward = scaled(calibration.embedding_forward, batch, calibration.reference_batch),
          .backward = scaled(calibration.embedding_backward, batch, calibration.reference_batch)};
}

DensePasses dense_passes(const DlrmCompute& compute, const Dlrm& model, const DenseLayer& layer,
                         std::int64_t samples) {
  if (const auto* fits = std::get_if<DlrmCalibration>(&compute.by)) {
    const Duration each = dense_time(*fits, layer, samples);
    return {each, each, each};
  }
  if (const auto* machine = std::get_if<Machine>(&compute.by)) {
    const WorkNumbers shape{samples, layer.inputs, layer.outputs};
    return {.forward = machine->time(Work::forward, shape),
            .input_gradient = machine->time(Work::input_gradient, shape),
            .weight_gradient = machine->time(Work::weight_gradient, shape)};
  }
  const auto time = [&](std::int64_t rows, std::int64_t inner, std::int64_t columns) {
    const auto& products = std::get<ProductsAndMemory>(compute.by).products;
    return compute::time(products, {.rows = rows, .inner = inner, .columns = columns},
                         size_of(model.weights));
  };
  return {.forward = time(samples, layer.inputs, layer.outputs),
          .input_gradient = time(samples, layer.outputs, layer.inputs),
          .weight_gradient = time(layer.inputs, samples, layer.outputs)};
}

ForwardBackward interaction_passes(const DlrmCompute& compute, const Dlrm& model, std::int64_t samples) {
  const bool dot = model.interaction == Interaction::dot;
  const auto vectors = static_cast<std::int64_t>(model.tables.size()) + 1;
  const std::int64_t length = model.tables.front().columns;
  if (const auto* fits = std::get_if<DlrmCalibration>(&compute.by)) {
    if (!dot) {
      const Duration copy = concat_time(*fits, model.interacted(), samples);
      return {.forward = copy, .backward = copy};
    }
    const Duration product = dense_time(*fits, {.inputs = length * vectors, .outputs = vectors}, samples);
    return {.forward = product, .backward = 2 * product};
  }
  if (const auto* machine = std::get_if<Machine>(&compute.by)) {
    const WorkNumbers shape{samples, vectors, length};
    return {.forward = machine->time(dot ? Work::interact : Work::model, shape),
            .backward = machine->time(dot ? Work::interact_back : Work::model, shape)};
  }
  const auto& [products, memory] = std::get<ProductsAndMemory>(compute.by);
  if (!dot) {
    // Every number is read once and written once.
    const Duration copy = transfer_time(size_of(model.weights) * (2 * samples * model.interacted()), memory);
    return {.forward = copy, .backward = copy};
  }
  const Duration product = compute::time(
      products, {.rows = samples * vectors, .inner = length, .columns = vectors}, size_of(model.weights));
  return {.forward = product, .backward = 2 * product};
}

ForwardBackward gather_passes(const DlrmCompute& compute, Bytes rows, Bytes row) {
  if (const auto* machine = std::get_if<Machine>(&compute.by)) {
    const std::int64_t lookups = rows.count() / std::max<std::int64_t>(row.count(), 1);
    const WorkNumbers size{lookups, rows.count() / 4, lookups};
    return {.forward = machine->time(Work::gather, size),
            .backward =
                machine->time(machine->cost(Work::update_rows) ? Work::update_rows : Work::sum_rows, size)};
  }
  const auto* fits = std::get_if<DlrmCalibration>(&compute.by);
  const Bandwidth rate = fits != nullptr ? fits->gather_rate : std::get<ProductsAndMemory>(compute.by).memory;
  const Duration forward = transfer_time(rows, rate);
  const double backward = static_cast<double>(forward.count()) * compute.table_backward;
  return {.forward = forward, .backward = Duration{std::llround(backward)}};
}

DlrmCalibration parse_calibration(std::string_view text, const std::string& file, DlrmCalibration defaults) {
  const CsvTable table = parse_csv(text, file, "name,value");
  if (table.header.cells != std::vector<std::string>{"name", "value"}) {
    throw UserError(table.where(table.header), "the first line is name,value");
  }
  std::set<std::string> seen;
  for (const CsvRow& row : table.rows) {
    if (row.cells.size() != 2) throw UserError(table.where(row), "a line is a name, a comma and a value");
    const Where where = table.where(row, row.cells[0]);
    if (!seen.insert(row.cells[0]).second) throw UserError(where, "appears twice");
    entry(row.cells[0], table.where(row)).read(defaults, row.cells[1], where);
  }
  return defaults;
}

DlrmCalibration read_calibration(const std::filesystem::path& path, const DlrmCalibration& defaults) {
  return parse_calibration(read_file(path), path.string(), defaults);
}

}  // namespace overture::model
