// Text tables for the terminal: a header, rows, numbers flush right. Knows nothing of what it shows.
#pragma once

#include <string>
#include <vector>

namespace overture {

class Table {
 public:
  explicit Table(std::vector<std::string> header);

  // Needs as many cells as the header has.
  void add(std::vector<std::string> row);
  bool empty() const { return rows_.empty(); }

  // A column whose cells all start with a digit, sign or dash is flush right. Ends with a newline.
  // Cells of the widest columns are cut, with "..", until a line has at most `most` columns; 0: nothing is
  // cut.
  std::string text(std::size_t most = 0) const;

 private:
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace overture
