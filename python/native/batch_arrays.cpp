#include "native/batch_arrays.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/lookahead/row.h"

namespace overture::python {
namespace {

template <class T>
py::capsule keep(T owner) {
  return py::capsule(new T(std::move(owner)), [](void* held) { delete static_cast<T*>(held); });
}

[[noreturn]] void wrong(std::int64_t number, const std::string& what, const std::string& hint = {}) {
  throw UserError(fmt::format("batch {}: {}", number, what), hint);
}

bool is_kind(const py::array& array, std::string_view kinds) {
  return kinds.find(array.dtype().kind()) != std::string_view::npos;
}

std::vector<float> floats(const py::array& array, std::int64_t number, const std::string& name) {
  if (!is_kind(array, "fiub"))
    wrong(number, fmt::format("{} is not an array of numbers", name), "give float32");
  const auto cast = py::array_t<float, py::array::c_style | py::array::forcecast>::ensure(array);
  return {cast.data(), cast.data() + cast.size()};
}

std::vector<std::int64_t> integers(const py::array& array, std::int64_t number, const std::string& name) {
  if (!is_kind(array, "iu") || array.ndim() != 1)
    wrong(number, fmt::format("{} is not a list of whole numbers", name), "give a flat array of int64");
  const auto cast = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>::ensure(array);
  return {cast.data(), cast.data() + cast.size()};
}

std::vector<std::uint32_t> offsets_of(const py::array& array, std::size_t samples, std::size_t ids,
                                      std::int64_t number, const std::string& name) {
  const std::vector<std::int64_t> given = integers(array, number, name);
  std::vector<std::uint32_t> result;
  for (const std::int64_t one : given) {
    if (one < 0 || one > static_cast<std::int64_t>(ids) || (!result.empty() && one < result.back()))
      wrong(number, fmt::format("{} does not rise from 0 to the number of ids", name));
    result.push_back(static_cast<std::uint32_t>(one));
  }
  if (result.size() == samples) result.push_back(static_cast<std::uint32_t>(ids));  // as nn.EmbeddingBag
  if (result.size() != samples + 1 || result.front() != 0 || result.back() != ids)
    wrong(number,
          fmt::format("{} has {} numbers for {} samples and {} ids", name, given.size(), samples, ids),
          "give where each sample's ids start, with or without the end");
  return result;
}

data::Bags bags_of(const py::tuple& given, std::size_t samples, std::int64_t rows, std::int64_t number,
                   std::size_t table) {
  const std::string name = fmt::format("ids of table {}", table);
  data::Bags bags;
  bags.ids = integers(py::cast<py::array>(given[0]), number, name);
  if (given[1].is_none()) {
    if (bags.ids.size() != samples)
      wrong(number, fmt::format("{}: {} for {} samples", name, bags.ids.size(), samples),
            "give offsets when samples do not have one id each");
  } else {
    bags.offsets = offsets_of(py::cast<py::array>(given[1]), samples, bags.ids.size(), number,
                              fmt::format("offsets of table {}", table));
  }
  if (!given[2].is_none()) {
    bags.weights = floats(py::cast<py::array>(given[2]), number, fmt::format("weights of table {}", table));
    if (bags.weights.size() != bags.ids.size())
      wrong(number, fmt::format("{}: {} weights for {} ids", name, bags.weights.size(), bags.ids.size()));
  }
  const auto odd =
      std::find_if(bags.ids.begin(), bags.ids.end(), [&](std::int64_t id) { return id < 0 || id >= rows; });
  if (odd != bags.ids.end())
    wrong(number, fmt::format("{}: {} is not from 0 to {}", name, *odd, rows - 1),
          "give every table as many rows as there are ids");
  return bags;
}

}  // namespace

BatchArrays::BatchArrays(std::shared_ptr<const rpc::Message> message, train::StepPart part, std::int64_t step)
    : message_(std::move(message)), part_(std::move(part)), step_(step) {}

py::array BatchArrays::view(std::span<const float> numbers, std::vector<py::ssize_t> shape) const {
  return py::array_t<float>(std::move(shape), numbers.data(), keep(message_));
}

py::array BatchArrays::dense() const {
  const std::int64_t n = samples();
  return view(part_.dense, {n, n == 0 ? 0 : std::ssize(part_.dense) / n});
}

py::array BatchArrays::labels() const { return view(part_.labels, {samples(), 1}); }

py::array BatchArrays::ids(std::size_t table) const {
  const embedding::TableLookups& lookups = part_.tables.at(table);
  py::array_t<std::int64_t> result(std::ssize(lookups.rows));
  std::int64_t* to = result.mutable_data();
  for (const std::uint32_t row : lookups.rows) *to++ = lookahead::id(part_.rows[row].row);
  return result;
}

py::object BatchArrays::offsets(std::size_t table) const {
  const auto from = part_.tables.at(table).offsets;
  if (from.empty()) return py::none();
  py::array_t<std::int64_t> result(std::ssize(from));
  std::copy(from.begin(), from.end(), result.mutable_data());
  return result;
}

py::object BatchArrays::weights(std::size_t table) const {
  const auto weights = part_.tables.at(table).weights;
  if (weights.empty()) return py::none();
  return view(weights, {std::ssize(weights)});
}

struct FloatPool::Loan {
  std::shared_ptr<FloatPool> pool;
  Block block;

  ~Loan() { pool->free_.push_back(std::move(block)); }
};

py::array_t<float> FloatPool::take(std::int64_t rows, std::int64_t columns) {
  const auto size = static_cast<std::size_t>(rows * columns);
  Block block{nullptr, size};
  const auto fits =
      std::find_if(free_.begin(), free_.end(), [&](const Block& one) { return one.size >= size; });
  if (fits != free_.end()) {
    block = std::move(*fits);
    free_.erase(fits);
  } else {
    free_.clear();  // batches have become larger
    block.memory = std::make_unique_for_overwrite<float[]>(size);
  }
  auto loan = std::make_unique<Loan>();
  loan->pool = shared_from_this();
  loan->block = std::move(block);
  float* const numbers = loan->block.memory.get();
  const py::capsule owner(loan.release(), [](void* held) { delete static_cast<Loan*>(held); });
  return py::array_t<float>({rows, columns}, numbers, owner);
}

data::Batch batch_of(const py::array& dense, const py::array& labels, const py::list& tables,
                     const std::vector<std::int64_t>& rows, std::int64_t number) {
  data::Batch batch;
  batch.labels = floats(labels, number, "labels");
  batch.samples = std::ssize(batch.labels);
  if (batch.samples == 0) wrong(number, "has no samples");
  if (dense.ndim() != 2 || dense.shape(0) != batch.samples)
    wrong(number, fmt::format("dense features are not an array of {} rows, one a sample", batch.samples));
  batch.dense = floats(dense, number, "dense features");
  batch.dense_features = dense.shape(1);
  if (tables.size() != rows.size())
    wrong(number, fmt::format("has ids for {} tables, not {}", tables.size(), rows.size()));
  for (std::size_t t = 0; t < rows.size(); ++t) {
    batch.tables.push_back(
        bags_of(py::cast<py::tuple>(tables[t]), static_cast<std::size_t>(batch.samples), rows[t], number, t));
  }
  return batch;
}

}  // namespace overture::python
