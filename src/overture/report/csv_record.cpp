#include "overture/report/csv_record.h"

namespace overture::report {

std::vector<std::string> take_csv_record(std::string_view& text) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  std::size_t i = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      cells.back() += c;
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (quoted || (c != ',' && c != '\n')) {
      if (quoted || c != '\r') cells.back() += c;
    } else if (c == ',') {
      cells.emplace_back();
    } else {
      ++i;
      break;
    }
  }
  text.remove_prefix(i);
  return cells;
}

}  // namespace overture::report
