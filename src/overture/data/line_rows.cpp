#include "overture/data/line_rows.h"

#include <algorithm>
#include <limits>

namespace overture::data {

LineRows::LineRows(std::vector<std::filesystem::path> files, ParseLine parse, Shape shape)
    : files_(std::move(files)), parse_(parse), shape_(std::move(shape)) {
  for (const auto& file : files_) total_bytes_ += open_bytes(file)->position().total;
}

RowSource::Outcome LineRows::next(TextRow& row) {
  std::string_view line;
  do {
    if (!next_line(line)) return Outcome::end;
  } while (line.empty());
  row.clear();
  why_ = parse_(line, row);
  if (!why_.empty()) return Outcome::bad;
  // What has as many ids as tables could also be ragged by chance: the dataset decides, not the line.
  if (shape_.multi_hot && row.ends.empty()) {
    for (std::uint32_t t = 1; t <= row.ids.size(); ++t) row.ends.push_back(t);
  }
  if (!shape_.multi_hot && !row.ends.empty()) {
    why_ = "lists of ids, but the first line has one id for each table";
    return Outcome::bad;
  }
  if (shape_.weighted == row.weights.empty() && !row.ids.empty()) {
    why_ =
        shape_.weighted ? "no weights, but the first line has some" : "weights, but the first line has none";
    return Outcome::bad;
  }
  return Outcome::row;
}

bool LineRows::next_line(std::string_view& line) {
  while (true) {
    if (lines_ != nullptr && lines_->next(line)) return true;
    if (opened_ == files_.size()) return false;
    if (lines_ != nullptr) finished_bytes_ += lines_->position().total;
    const std::filesystem::path& file = files_[opened_++];
    lines_ = std::make_unique<LineReader>(open_bytes(file), file.string());
  }
}

Where LineRows::where() const {
  const auto line = std::min<std::int64_t>(lines_->line_number(), std::numeric_limits<int>::max());
  return {.file = lines_->name(), .line = static_cast<int>(line)};
}

Position LineRows::position() const {
  return {finished_bytes_ + (lines_ == nullptr ? 0 : lines_->position().done), total_bytes_};
}

}  // namespace overture::data
