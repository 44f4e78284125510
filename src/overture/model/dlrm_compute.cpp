#include "overture/model/dlrm_compute.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/compute/csv.h"

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

// How each entry of the file is read and written.
struct Entry {
  std::string name;
  std::function<void(DlrmCalibration&, std::string_view, const Where&)> read;
  std::function<std::string(const DlrmCalibration&)> write;
};

Entry duration(std::string name, Duration DlrmCalibration::*member) {
  return {std::move(name),
          [member](DlrmCalibration& c, std::string_view text, const Where& where) {
            c.*member = value_or_throw(parse_duration(text), where);
          },
          [member](const DlrmCalibration& c) { return exact(c.*member); }};
}
Entry bandwidth(std::string name, Bandwidth DlrmCalibration::*member) {
  return {std::move(name),
          [member](DlrmCalibration& c, std::string_view text, const Where& where) {
            c.*member = value_or_throw(parse_bandwidth(text), where);
            if (c.*member <= Bandwidth::bits_per_second(0))
              throw UserError(where, "a rate is more than zero");
          },
          [member](const DlrmCalibration& c) { return exact(c.*member); }};
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all{
      duration("embedding_forward", &DlrmCalibration::embedding_forward),
      duration("embedding_backward", &DlrmCalibration::embedding_backward),
      {"reference_batch",
       [](DlrmCalibration& c, std::string_view text, const Where& where) {
         c.reference_batch = compute::whole_number(text, where, 1, std::int64_t{1} << 40);
       },
       [](const DlrmCalibration& c) { return fmt::format("{}", c.reference_batch); }},
      bandwidth("gather_rate", &DlrmCalibration::gather_rate),
      {"dense_rate",
       [](DlrmCalibration& c, std::string_view text, const Where& where) {
         c.dense_rate = value_or_throw(compute::parse_flop_rate(text), where);
       },
       [](const DlrmCalibration& c) {
         return fmt::format("{} TFLOPS", static_cast<double>(c.dense_rate.per_second()) / 1e12);
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

DlrmCalibration published_calibration(std::string_view model) {
  DlrmCalibration calibration;
  if (model == "I") calibration.embedding_backward = std::chrono::milliseconds(365);
  return calibration;
}

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

ForwardBackward gathered_embedding_time(const DlrmCalibration& calibration, const EmbeddingTable& table,
                                        std::int64_t batch) {
  const Duration forward =
      transfer_time(Bytes{batch * table.bag * table.columns * 4}, calibration.gather_rate);
  return {.forward = forward, .backward = 2 * forward};
}

DlrmCalibration parse_calibration(std::string_view text, const std::string& file, DlrmCalibration defaults) {
  const compute::CsvTable table = compute::parse_csv(text, file, "name,value");
  if (table.header.cells != std::vector<std::string>{"name", "value"}) {
    throw UserError(table.where(table.header), "the first line is name,value");
  }
  std::set<std::string> seen;
  for (const compute::CsvRow& row : table.rows) {
    if (row.cells.size() != 2) throw UserError(table.where(row), "a line is a name, a comma and a value");
    const Where where = table.where(row, row.cells[0]);
    if (!seen.insert(row.cells[0]).second) throw UserError(where, "is there twice");
    entry(row.cells[0], table.where(row)).read(defaults, row.cells[1], where);
  }
  return defaults;
}

DlrmCalibration read_calibration(const std::filesystem::path& path, const DlrmCalibration& defaults) {
  return parse_calibration(read_file(path), path.string(), defaults);
}

std::string to_csv(const DlrmCalibration& calibration) {
  std::string text = "name,value\n";
  for (const Entry& each : entries()) text += fmt::format("{},{}\n", each.name, each.write(calibration));
  return text;
}

}  // namespace overture::model
