#include "overture/data/text_writers.h"

#include <array>
#include <limits>

#include <fmt/format.h>

#include "overture/base/append.h"
#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/whole_file.h"
#include "overture/data/bagpipe.h"
#include "overture/data/criteo.h"
#include "overture/data/mlperf.h"

namespace overture::data {
namespace {

// A writer that turns one sample after the other into bytes.
class SampleBySample : public SampleWriter {
 public:
  explicit SampleBySample(const std::filesystem::path& path) : name_(path.string()), file_(path) {}

  void write(const Batch& batch) override {
    for (std::int64_t s = 0; s < batch.samples; ++s) {
      text_.clear();
      add(batch, s);
      file_.write(text_);
    }
  }
  void close() override { file_.close(); }
  std::int64_t bytes() const override { return file_.size(); }

 protected:
  virtual void add(const Batch& batch, std::int64_t sample) = 0;

  // Fails with the name of the file unless the number is from 0 to `most`.
  std::int64_t within(std::int64_t number, std::int64_t most) const {
    if (number >= 0 && number <= most) return number;
    throw UserError({.file = name_},
                    fmt::format("this format cannot hold {}: from 0 to {} only", number, most));
  }

  std::string name_;
  WholeFile file_;
  std::string text_;
};

float dense_feature(const Batch& batch, std::int64_t sample, std::int64_t feature) {
  return batch.dense[static_cast<std::size_t>(sample * batch.dense_features + feature)];
}

class BagpipeWriter final : public SampleBySample {
 public:
  BagpipeWriter(const std::filesystem::path& path, const Shape& shape, std::filesystem::path info)
      : SampleBySample(path), shape_(shape), info_(std::move(info)), seen_rows_(shape.tables(), 1) {}

  void close() override {
    SampleBySample::close();
    if (info_.empty()) return;
    for (std::size_t t = 0; t < shape_.tables(); ++t) {
      if (shape_.table_rows[t] > 0) seen_rows_[t] = shape_.table_rows[t];
    }
    write_file(info_, table_info_text(seen_rows_));
  }

 private:
  void add(const Batch& batch, std::int64_t sample) override {
    append_format(text_, R"({{"label": {:.1f}, "dense": [)", batch.labels[static_cast<std::size_t>(sample)]);
    for (std::int64_t i = 0; i < batch.dense_features; ++i) {
      append_format(text_, "{}{}", i == 0 ? "" : ", ", dense_feature(batch, sample, i));
    }
    text_ += R"(], "sparse": [)";
    add_tables(batch, sample, &Bags::ids);
    if (shape_.weighted) {
      text_ += R"(], "weights": [)";
      add_tables(batch, sample, &Bags::weights);
    }
    for (std::size_t t = 0; t < batch.tables.size(); ++t) {
      const Bags& bags = batch.tables[t];
      for (std::uint32_t i = bags.begin(sample); i < bags.end(sample); ++i)
        seen_rows_[t] = std::max(seen_rows_[t], bags.ids[i] + 1);
    }
    text_ += "]}\n";
  }

  // What the lookups of a sample have, table by table: "[1, 2], [3]".
  template <class Number>
  void add_tables(const Batch& batch, std::int64_t sample, std::vector<Number> Bags::*what) {
    for (std::size_t t = 0; t < batch.tables.size(); ++t) {
      append_format(text_, "{}{}", t == 0 ? "" : ", ", shape_.multi_hot ? "[" : "");
      const Bags& bags = batch.tables[t];
      for (std::uint32_t i = bags.begin(sample); i < bags.end(sample); ++i)
        append_format(text_, "{}{}", i == bags.begin(sample) ? "" : ", ", (bags.*what)[i]);
      if (shape_.multi_hot) text_.push_back(']');
    }
  }

  Shape shape_;
  std::filesystem::path info_;  // empty: none
  std::vector<std::int64_t> seen_rows_;
};

class CriteoWriter final : public SampleBySample {
 public:
  using SampleBySample::SampleBySample;

 private:
  void add(const Batch& batch, std::int64_t sample) override {
    append_format(text_, "{}", batch.labels[static_cast<std::size_t>(sample)] > 0.5F ? 1 : 0);
    for (std::int64_t i = 0; i < kCriteoCounts; ++i) {
      append_format(text_, "\t{}", count_of_dense(dense_feature(batch, sample, i)));
    }
    for (const Bags& bags : batch.tables) {
      const std::int64_t id = bags.ids[static_cast<std::size_t>(sample)];
      append_format(text_, "\t{:08x}", within(id, std::numeric_limits<std::uint32_t>::max()));
    }
    text_.push_back('\n');
  }
};

class MlperfWriter final : public SampleBySample {
 public:
  using SampleBySample::SampleBySample;

 private:
  void add(const Batch& batch, std::int64_t sample) override {
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    std::array<std::int32_t, kMlperfNumbers> numbers{};
    std::size_t n = 0;
    numbers[n++] = batch.labels[static_cast<std::size_t>(sample)] > 0.5F ? 1 : 0;
    for (std::int64_t i = 0; i < kCriteoCounts; ++i) {
      numbers[n++] =
          static_cast<std::int32_t>(within(count_of_dense(dense_feature(batch, sample, i)), kMost));
    }
    for (const Bags& bags : batch.tables) {
      numbers[n++] = static_cast<std::int32_t>(within(bags.ids[static_cast<std::size_t>(sample)], kMost));
    }
    const auto* bytes = reinterpret_cast<const char*>(numbers.data());
    text_.append(bytes, bytes + sizeof numbers);
  }
};

void check_like_criteo(const std::filesystem::path& path, const Shape& shape) {
  if (shape.dense_features == kCriteoCounts && shape.tables() == kCriteoTables && !shape.multi_hot) return;
  throw UserError(
      {.file = path.string()},
      fmt::format("this format is for 13 dense features and 26 tables with one id each; the dataset has "
                  "{} and {}{}",
                  shape.dense_features, shape.tables(), shape.multi_hot ? ", multi-hot" : ""),
      "write JSON lines (.jsonl) or Overture's own format instead");
}

}  // namespace

std::unique_ptr<SampleWriter> make_bagpipe_writer(const std::filesystem::path& path, const Shape& shape) {
  if (path.has_filename() && !std::filesystem::is_directory(path)) {
    return std::make_unique<BagpipeWriter>(path, shape, std::filesystem::path{});
  }
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw UserError({.file = path.string()}, "cannot be created: " + error.message());
  return std::make_unique<BagpipeWriter>(path / "part_0.txt", shape, path / "emb_table_info.txt");
}

std::unique_ptr<SampleWriter> make_criteo_writer(const std::filesystem::path& path, const Shape& shape) {
  check_like_criteo(path, shape);
  return std::make_unique<CriteoWriter>(path);
}

std::unique_ptr<SampleWriter> make_mlperf_writer(const std::filesystem::path& path, const Shape& shape) {
  check_like_criteo(path, shape);
  return std::make_unique<MlperfWriter>(path);
}

}  // namespace overture::data
