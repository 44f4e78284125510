#include "overture/train/weights.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "overture/base/error.h"
#include "overture/base/json.h"
#include "overture/base/whole_file.h"
#include "overture/data/npy.h"
#include "overture/data/zip.h"
#include "overture/data/zip_writer.h"
#include "overture/train/torch_pickle.h"

namespace overture::train {
namespace {

namespace fs = std::filesystem;
using data::ZipWriter;
using Piece = std::function<void(std::span<float>)>;

// A weight is followed by its bias, which has as many numbers as the weight has rows.
std::vector<std::int64_t> shape_of(const std::vector<Parameters::Entry>& entries, std::size_t i,
                                   const ModelShape& shape) {
  const Parameters::Entry& entry = entries[i];
  const bool weight = entry.name.ends_with(".weight") && i + 1 < entries.size();
  if (weight) return {entries[i + 1].size, entry.size / entries[i + 1].size};
  if (entry.name == "dense") return {shape.dense_features, entry.size / shape.dense_features};
  return {entry.size};
}

void visit_table(embedding::Tables& tables, std::int64_t table, const Piece& piece) {
  const embedding::TableConfig& config = tables.config().tables[static_cast<std::size_t>(table)];
  for (std::int64_t id = 0; id < config.rows; ++id)
    piece({tables.row(table, id), static_cast<std::size_t>(config.dim)});
}

void put_array(WeightsArray& array, const ZipWriter::Sink& sink) {
  std::vector<float> block;
  const auto flush = [&] {
    sink(std::as_bytes(std::span(block)));
    block.clear();
  };
  array.visit([&](std::span<float> numbers) {
    block.insert(block.end(), numbers.begin(), numbers.end());
    if (block.size() >= 1 << 16) flush();
  });
  flush();
}

// numpy's format 1.0; the data start at a multiple of 64.
std::string npy_header(const WeightsArray& array) {
  std::string shape = fmt::format("{}", fmt::join(array.shape, ", "));
  if (array.shape.size() == 1) shape += ",";
  std::string text = fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}), }}", shape);
  text += std::string((64 - (10 + text.size() + 1) % 64) % 64, ' ') + "\n";
  const auto length = static_cast<std::uint16_t>(text.size());
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(length & 0xFF);
  header += static_cast<char>(length >> 8);
  return header + text;
}

void write_npz(std::vector<WeightsArray>& arrays, const fs::path& file) {
  ZipWriter zip(file);
  for (WeightsArray& array : arrays) {
    zip.add(array.name + ".npy", [&](const ZipWriter::Sink& sink) {
      sink(std::as_bytes(std::span<const char>(npy_header(array))));
      put_array(array, sink);
    });
  }
  zip.finish();
}

void write_torch(std::vector<WeightsArray>& arrays, const fs::path& file) {
  ZipWriter zip(file);
  zip.add("archive/data.pkl", pickle_of(arrays));
  zip.add("archive/version", "3\n");
  for (std::size_t i = 0; i < arrays.size(); ++i)
    zip.add(fmt::format("archive/data/{}", i),
            [&](const ZipWriter::Sink& sink) { put_array(arrays[i], sink); });
  zip.finish();
}

void write_safetensors(std::vector<WeightsArray>& arrays, const fs::path& path) {
  Json header = Json::object();
  std::int64_t at = 0;
  for (const WeightsArray& array : arrays) {
    const std::int64_t end = at + array.size() * std::int64_t{sizeof(float)};
    header[array.name] = {{"dtype", "F32"}, {"shape", array.shape}, {"data_offsets", {at, end}}};
    at = end;
  }
  std::string text = write_json(header, -1);
  text += std::string((8 - text.size() % 8) % 8, ' ');
  const std::uint64_t length = text.size();
  WholeFile file(path);
  file.write(&length, sizeof length);
  file.write(text);
  for (WeightsArray& array : arrays)
    put_array(array, [&](std::span<const std::byte> bytes) { file.write(bytes.data(), bytes.size()); });
  file.close();
}

[[noreturn]] void odd(const fs::path& file, const std::string& what, const std::string& hint = {}) {
  throw UserError({.file = file.string()}, what, hint);
}

void check_shape(const WeightsArray& array, const std::vector<std::int64_t>& found, const fs::path& file) {
  if (found == array.shape) return;
  odd(file,
      fmt::format("{} has the shape ({}), not ({})", array.name, fmt::join(found, ", "),
                  fmt::join(array.shape, ", ")),
      "weights are those of the same model, tables and data");
}

[[noreturn]] void missing(const WeightsArray& array, const fs::path& file) {
  odd(file, array.name + " is missing",
      "names are those of `overture export`: tables.0.weight, ..., and the dense part's");
}

// Further on they would hide: a ReLU makes 0 of what is not a number.
void check_finite(const WeightsArray& array, const fs::path& file) {
  array.visit([&](std::span<const float> numbers) {
    if (!std::ranges::all_of(numbers, [](float one) { return std::isfinite(one); }))
      odd(file, array.name + " holds what is not a finite number", "save the weights again");
  });
}

void read_npz(std::vector<WeightsArray>& arrays, const fs::path& file,
              const std::vector<data::ZipMember>& members) {
  for (WeightsArray& array : arrays) {
    const auto found = std::find_if(members.begin(), members.end(),
                                    [&](const auto& one) { return one.name == array.name + ".npy"; });
    if (found == members.end()) missing(array, file);
    data::NpyArray numbers(data::open_zip_member(file, *found), {.file = file.string(), .key = array.name});
    check_shape(array, numbers.shape(), file);
    array.visit([&](std::span<float> into) {
      for (float& one : into) one = static_cast<float>(numbers.next());
    });
  }
}

void read_torch(std::vector<WeightsArray>& arrays, const fs::path& file,
                const std::vector<data::ZipMember>& members) {
  const std::map<std::string, TorchTensor> tensors = torch_tensors(file, members);
  for (WeightsArray& array : arrays) {
    const auto found = tensors.find(array.name);
    if (found == tensors.end()) missing(array, file);
    check_shape(array, found->second.shape, file);
    read_tensor(file, found->second, array);
  }
}

// Where the numbers of an array begin, behind the header. Throws what Json throws for what is not as it
// should be.
std::uint64_t place_in(const Json& entry, const WeightsArray& array, const fs::path& path) {
  if (entry.at("dtype").get<std::string>() != "F32") odd(path, array.name + " is not of float32");
  check_shape(array, entry.at("shape").get<std::vector<std::int64_t>>(), path);
  return entry.at("data_offsets").at(0).get<std::uint64_t>();
}

void read_safetensors(std::vector<WeightsArray>& arrays, const fs::path& path, std::ifstream& in) {
  const std::uint64_t size = fs::file_size(path);
  std::uint64_t length = 0;
  in.read(reinterpret_cast<char*>(&length), sizeof length);
  if (!in || length > size - sizeof length) odd(path, "is neither npz, nor torch's, nor safetensors");
  std::string text(length, ' ');
  in.read(text.data(), static_cast<std::streamsize>(length));
  const Json header = parse_json(text);
  if (!in || !header.is_object()) odd(path, "is neither npz, nor torch's, nor safetensors");
  for (WeightsArray& array : arrays) {
    if (!header.contains(array.name)) missing(array, path);
    std::uint64_t place = 0;
    try {
      place = place_in(header[array.name], array, path);
    } catch (const Json::exception&) {
      odd(path, "says of " + array.name + " what cannot be read",
          "an entry has dtype, shape and data_offsets");
    }
    if (place > size) odd(path, "is cut short");
    in.seekg(static_cast<std::streamoff>(sizeof length + length + place));
    array.visit([&](std::span<float> into) {
      in.read(reinterpret_cast<char*>(into.data()), static_cast<std::streamsize>(into.size_bytes()));
    });
    if (!in) odd(path, "is cut short");
  }
}

}  // namespace

WeightsFormat weights_format(const std::string& word) {
  if (word == "npz") return WeightsFormat::npz;
  if (word == "torch") return WeightsFormat::torch;
  if (word == "safetensors") return WeightsFormat::safetensors;
  throw UserError({.key = "--to"}, fmt::format("unknown format \"{}\"", word),
                  suggest(word, {"npz", "torch", "safetensors"}));
}

std::int64_t WeightsArray::size() const {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::vector<WeightsArray> weights_of(LocalTraining& training) {
  std::vector<WeightsArray> arrays;
  embedding::Tables& tables = training.tables();
  ModelShape shape{.dense_features = training.config().dense_features};
  for (std::int64_t t = 0; t < std::ssize(tables.config().tables); ++t) {
    const embedding::TableConfig& table = tables.config().tables[static_cast<std::size_t>(t)];
    arrays.push_back({.name = fmt::format("tables.{}.weight", t),
                      .shape = {table.rows, table.dim},
                      .visit = [&tables, t](const Piece& piece) { visit_table(tables, t, piece); }});
  }
  Parameters& parameters = training.learner().parameters();
  for (std::size_t i = 0; i < parameters.entries().size(); ++i) {
    const Parameters::Entry& entry = parameters.entries()[i];
    const std::span<float> numbers(parameters.value(entry.start), static_cast<std::size_t>(entry.size));
    arrays.push_back({.name = entry.name,
                      .shape = shape_of(parameters.entries(), i, shape),
                      .visit = [numbers](const Piece& piece) { piece(numbers); }});
  }
  return arrays;
}

void write_weights(std::vector<WeightsArray>& arrays, WeightsFormat format, const fs::path& file) {
  switch (format) {
    case WeightsFormat::npz: write_npz(arrays, file); return;
    case WeightsFormat::torch: write_torch(arrays, file); return;
    case WeightsFormat::safetensors: write_safetensors(arrays, file); return;
  }
}

namespace {

void read_any(std::vector<WeightsArray>& arrays, const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) odd(file, "cannot be read");
  char first[2] = {};
  in.read(first, sizeof first);
  in.seekg(0);
  if (first[0] != 'P' || first[1] != 'K') {
    read_safetensors(arrays, file, in);
    return;
  }
  const std::vector<data::ZipMember> members = data::read_zip(file);
  const bool npz =
      std::any_of(members.begin(), members.end(), [](const auto& one) { return one.name.ends_with(".npy"); });
  if (npz) {
    read_npz(arrays, file, members);
  } else {
    read_torch(arrays, file, members);
  }
}

}  // namespace

void read_weights(std::vector<WeightsArray>& arrays, const fs::path& file) {
  read_any(arrays, file);
  for (const WeightsArray& array : arrays) check_finite(array, file);
}

fs::path checkpoint_of_weights(const TrainConfig& config, const fs::path& file, const fs::path& folder) {
  LocalTraining training(config);
  std::vector<WeightsArray> arrays = weights_of(training);
  read_weights(arrays, file);
  PartialCheckpoint partial(folder, 0);
  save_rows(training.tables(), partial.path());
  Learner& learner = training.learner();
  save_dense(learner.parameters().values(), learner.optimizer().state(), partial.path());
  partial.complete(config, {.steps = 0, .samples = 0, .servers = 1}, learner.parameters().size());
  return complete_checkpoint(folder, 0);
}

}  // namespace overture::train
