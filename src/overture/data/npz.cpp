#include "overture/data/npz.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "overture/data/criteo.h"
#include "overture/data/npy.h"
#include "overture/data/zip.h"

namespace overture::data {
namespace {

constexpr double kLargestExact = 9007199254740992;  // 2^53: whole numbers up to here pass through a double

class NpzRows final : public RowSource {
 public:
  explicit NpzRows(const std::filesystem::path& path)
      : name_(path.string()),
        members_(read_zip(path)),
        counts_(array(path, "X_int")),
        ids_(array(path, "X_cat")),
        labels_(array(path, "y")) {
    for (const NpyArray* matrix : {&counts_, &ids_}) {
      if (matrix->shape().size() != 2)
        throw UserError({.file = name_}, "X_int and X_cat must have two dimensions");
    }
    if (labels_.shape().empty()) throw UserError({.file = name_}, "y must have one dimension");
    samples_ = labels_.shape()[0];
    if (counts_.shape()[0] != samples_ || ids_.shape()[0] != samples_) {
      throw UserError({.file = name_},
                      fmt::format("X_int, X_cat and y have {}, {} and {} lines, not equally many",
                                  counts_.shape()[0], ids_.shape()[0], samples_));
    }
    constexpr std::int64_t kMostColumns = 1 << 16;
    if (counts_.shape()[1] > kMostColumns || ids_.shape()[1] > kMostColumns) {
      throw UserError({.file = name_}, "more than 65,536 columns");
    }
    shape_.dense_features = counts_.shape()[1];
    shape_.table_rows.resize(static_cast<std::size_t>(ids_.shape()[1]));
    read_table_rows(path);
  }

  const Shape& shape() const override { return shape_; }
  std::optional<std::int64_t> rows() const override { return samples_; }
  const std::string& why() const override { return why_; }
  Where where() const override { return {.file = name_, .key = fmt::format("sample {}", next_ - 1)}; }
  Position position() const override {
    Position sum;
    for (const NpyArray* array : {&counts_, &ids_, &labels_}) {
      sum.done += array->position().done;
      sum.total += array->position().total;
    }
    return sum;
  }

  Outcome next(TextRow& row) override {
    if (next_ == samples_) return Outcome::end;
    ++next_;
    row.clear();
    why_.clear();
    row.label = static_cast<float>(labels_.next());
    for (std::int64_t i = 0; i < shape_.dense_features; ++i) row.dense.push_back(dense(counts_.next()));
    for (std::size_t t = 0; t < shape_.tables(); ++t) row.ids.push_back(id(ids_.next()));
    return why_.empty() ? Outcome::row : Outcome::bad;
  }

 private:
  const ZipMember* find(const std::string& member) const {
    const auto found = std::find_if(members_.begin(), members_.end(),
                                    [&](const ZipMember& m) { return m.name == member + ".npy"; });
    return found == members_.end() ? nullptr : &*found;
  }

  NpyArray array(const std::filesystem::path& path, const std::string& member) const {
    const ZipMember* found = find(member);
    if (found == nullptr) {
      throw UserError({.file = name_}, fmt::format("has no array {}", member),
                      "DLRM's files have X_int, X_cat and y");
    }
    return {open_zip_member(path, *found), Where{.file = name_, .key = member}};
  }

  void read_table_rows(const std::filesystem::path& path) {
    if (find("counts") == nullptr) return;
    NpyArray counts = array(path, "counts");
    if (counts.shape() != std::vector{static_cast<std::int64_t>(shape_.tables())}) return;
    for (std::int64_t& rows : shape_.table_rows) rows = id(counts.next());
  }

  float dense(double value) {
    if (!std::isfinite(value)) why_ = "a dense feature is not a finite number";
    if (std::abs(value) < kLargestExact && value == std::floor(value)) {
      return dense_of_count(static_cast<std::int64_t>(value));
    }
    return std::log(static_cast<float>(std::max(value, 0.0)) + 1.0F);
  }

  std::int64_t id(double value) {
    if (std::abs(value) < kLargestExact && value == std::floor(value))
      return static_cast<std::int64_t>(value);
    why_ = "an id is not a whole number below 2^53";
    return 0;
  }

  std::string name_;
  std::vector<ZipMember> members_;
  NpyArray counts_;
  NpyArray ids_;
  NpyArray labels_;
  Shape shape_;
  std::int64_t samples_ = 0;
  std::int64_t next_ = 0;
  std::string why_;
};

}  // namespace

std::unique_ptr<RowSource> open_npz(const std::filesystem::path& path) {
  return std::make_unique<NpzRows>(path);
}

}  // namespace overture::data
