#include "overture/data/columns.h"

#include "overture/base/check.h"

namespace overture::data {
namespace {

template <class T>
void append_range(std::vector<T>& to, const std::vector<T>& from, std::size_t begin, std::size_t end) {
  if (from.empty()) return;  // data without weights
  to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(begin),
            from.begin() + static_cast<std::ptrdiff_t>(end));
}

// The lines with these numbers of a matrix that is `width` wide.
template <class T>
void pick(std::vector<T>& to, const std::vector<T>& from, std::span<const std::uint32_t> lines,
          std::size_t width) {
  if (from.empty()) return;
  const std::size_t before = to.size();
  to.resize(before + lines.size() * width);
  T* out = to.data() + before;
  for (const std::uint32_t line : lines) {
    const T* start = from.data() + line * width;
    for (std::size_t i = 0; i < width; ++i) *out++ = start[i];
  }
}

void append_sample(Bags& to, const Bags& from, std::int64_t sample) {
  const std::size_t begin = from.begin(sample);
  const std::size_t end = from.end(sample);
  append_range(to.ids, from.ids, begin, end);
  append_range(to.weights, from.weights, begin, end);
  if (!to.offsets.empty()) to.offsets.push_back(static_cast<std::uint32_t>(to.ids.size()));
}

}  // namespace

void clear(Batch& batch, const Shape& shape) {
  batch.samples = 0;
  batch.dense_features = shape.dense_features;
  batch.labels.clear();
  batch.dense.clear();
  batch.tables.resize(shape.tables());
  for (Bags& bags : batch.tables) {
    bags.ids.clear();
    bags.offsets.clear();
    bags.weights.clear();
    if (shape.multi_hot) bags.offsets.push_back(0);
  }
}

void append(Batch& batch, const TextRow& row) {
  batch.labels.push_back(row.label);
  batch.dense.insert(batch.dense.end(), row.dense.begin(), row.dense.end());
  std::size_t begin = 0;
  for (std::size_t t = 0; t < batch.tables.size(); ++t) {
    Bags& bags = batch.tables[t];
    const std::size_t end = row.ends.empty() ? t + 1 : row.ends[t];
    append_range(bags.ids, row.ids, begin, end);
    append_range(bags.weights, row.weights, begin, end);
    if (!bags.offsets.empty()) bags.offsets.push_back(static_cast<std::uint32_t>(bags.ids.size()));
    begin = end;
  }
  ++batch.samples;
}

void append(Batch& batch, const Batch& more) {
  check(batch.tables.size() == more.tables.size() && batch.dense_features == more.dense_features,
        "batches that are joined have the same columns");
  batch.labels.insert(batch.labels.end(), more.labels.begin(), more.labels.end());
  batch.dense.insert(batch.dense.end(), more.dense.begin(), more.dense.end());
  for (std::size_t t = 0; t < batch.tables.size(); ++t) {
    Bags& to = batch.tables[t];
    const Bags& from = more.tables[t];
    const auto before = static_cast<std::uint32_t>(to.ids.size());
    to.ids.insert(to.ids.end(), from.ids.begin(), from.ids.end());
    to.weights.insert(to.weights.end(), from.weights.begin(), from.weights.end());
    if (to.offsets.empty()) continue;
    for (std::int64_t s = 0; s < more.samples; ++s) to.offsets.push_back(before + from.end(s));
  }
  batch.samples += more.samples;
}

void append(Batch& batch, const Batch& from, std::span<const std::uint32_t> samples) {
  pick(batch.labels, from.labels, samples, 1);
  pick(batch.dense, from.dense, samples, static_cast<std::size_t>(from.dense_features));
  for (std::size_t t = 0; t < batch.tables.size(); ++t) {
    Bags& to = batch.tables[t];
    const Bags& bags = from.tables[t];
    if (to.offsets.empty()) {
      pick(to.ids, bags.ids, samples, 1);
      pick(to.weights, bags.weights, samples, 1);
    } else {
      for (const std::uint32_t s : samples) append_sample(to, bags, s);
    }
  }
  batch.samples += static_cast<std::int64_t>(samples.size());
}

}  // namespace overture::data
