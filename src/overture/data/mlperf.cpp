#include "overture/data/mlperf.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "overture/data/criteo.h"
#include "overture/data/input_file.h"

namespace overture::data {
namespace {

class MlperfRows final : public RowSource {
 public:
  explicit MlperfRows(const std::filesystem::path& path) : file_(path) {
    if (file_.size() % kMlperfSampleBytes != 0) {
      throw UserError({.file = file_.name()},
                      fmt::format("is cut short, or no MLPerf binary: {} bytes are not a multiple of {}",
                                  file_.size(), kMlperfSampleBytes));
    }
  }

  const Shape& shape() const override { return shape_; }
  std::optional<std::int64_t> rows() const override { return file_.size() / kMlperfSampleBytes; }
  const std::string& why() const override { return why_; }
  Where where() const override { return {.file = file_.name(), .key = fmt::format("sample {}", next_ - 1)}; }
  Position position() const override { return {next_ * kMlperfSampleBytes, file_.size()}; }

  Outcome next(TextRow& row) override {
    if (next_ == *rows()) return Outcome::end;
    if (at_ == buffered_) refill();
    std::array<std::int32_t, kMlperfNumbers> numbers{};
    std::memcpy(numbers.data(), buffer_.data() + at_ * kMlperfNumbers, sizeof numbers);
    ++at_;
    ++next_;
    row.clear();
    row.label = static_cast<float>(numbers[0]);
    for (std::int64_t i = 0; i < kCriteoCounts; ++i) {
      row.dense.push_back(dense_of_count(numbers[static_cast<std::size_t>(1 + i)]));
    }
    row.ids.assign(numbers.begin() + 1 + kCriteoCounts, numbers.end());
    return Outcome::row;
  }

 private:
  void refill() {
    const auto wanted = static_cast<std::size_t>(std::min<std::int64_t>(*rows() - next_, kBuffered));
    const std::size_t bytes = wanted * kMlperfSampleBytes;
    if (file_.read_at(next_ * kMlperfSampleBytes, reinterpret_cast<char*>(buffer_.data()), bytes) != bytes) {
      throw UserError({.file = file_.name()}, "became shorter while it was read");
    }
    at_ = 0;
    buffered_ = wanted;
  }

  static constexpr std::int64_t kBuffered = 4096;  // samples
  InputFile file_;
  Shape shape_ = criteo_shape();
  std::vector<std::int32_t> buffer_ = std::vector<std::int32_t>(kBuffered * kMlperfNumbers);
  std::size_t at_ = 0;
  std::size_t buffered_ = 0;
  std::int64_t next_ = 0;
  std::string why_;
};

}  // namespace

std::unique_ptr<RowSource> open_mlperf(const std::filesystem::path& path) {
  return std::make_unique<MlperfRows>(path);
}

}  // namespace overture::data
