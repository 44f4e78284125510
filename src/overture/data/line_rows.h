// LineRows: rows from texts with one sample a line, one file after the other. What a line means is said by a
// function, so that a format of this kind is that function.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "overture/data/line_reader.h"
#include "overture/data/row.h"

namespace overture::data {

// Fills the row; returns what is wrong with the line, or nothing.
using ParseLine = std::string (*)(std::string_view line, TextRow& row);

class LineRows final : public RowSource {
 public:
  LineRows(std::vector<std::filesystem::path> files, ParseLine parse, Shape shape);

  const Shape& shape() const override { return shape_; }
  Outcome next(TextRow& row) override;
  const std::string& why() const override { return why_; }
  Where where() const override;
  Position position() const override;

 private:
  bool next_line(std::string_view& line);

  std::vector<std::filesystem::path> files_;
  ParseLine parse_;
  Shape shape_;
  std::size_t opened_ = 0;  // files, so far
  std::unique_ptr<LineReader> lines_;
  std::int64_t total_bytes_ = 0;
  std::int64_t finished_bytes_ = 0;  // of the files before this one
  std::string why_;
};

}  // namespace overture::data
