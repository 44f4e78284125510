// A comma grid of fixed size whose cells are filled in by several runs, as ASTRA-sim's CSV files are: writing
// to a cell puts the text in front of what is there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace overture::report {

// Text as one CSV cell: quoted when it holds a comma, a quote or a line break (RFC 4180).
std::string csv_cell(const std::string& text);

class CsvGrid {
 public:
  CsvGrid(std::size_t rows, std::size_t columns) : rows_(rows, std::vector<std::string>(columns)) {}
  static CsvGrid parse(std::string_view text);

  // Grows the grid when the cell lies outside.
  void insert(std::size_t row, std::size_t column, const std::string& text);
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace overture::report
