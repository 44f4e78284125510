#include "overture/report/page_traffic.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "overture/base/csv.h"
#include "overture/base/text.h"
#include "overture/report/page_text.h"

namespace overture::report {
namespace {

struct Entry {
  int from;
  int to;
  std::int64_t bytes;
  std::size_t kind;
};

struct Places {
  std::optional<std::size_t> from, to, bytes, kind;
};

Places places(const std::vector<std::string>& header) {
  Places result;
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (header[i] == "src" || header[i] == "from") result.from = i;
    if (header[i] == "dst" || header[i] == "to") result.to = i;
    if (header[i] == "bytes") result.bytes = i;
    if (header[i] == "kind") result.kind = i;
  }
  return result;
}

// Far beyond any host or message, and far from an overflow.
template <class Number>
constexpr Number kMost = std::numeric_limits<Number>::max() >> 8;

template <class Number>
bool read(std::string_view text, Number& value) {
  const auto number = parse_number<Number>(text);
  if (!number || *number < 0 || *number > kMost<Number>) return false;
  value = *number;
  return true;
}

std::string matrix(const std::vector<Entry>& entries, std::size_t kind, int group, int cells) {
  std::vector<std::int64_t> sums(static_cast<std::size_t>(cells) * static_cast<std::size_t>(cells));
  for (const Entry& entry : entries) {
    if (entry.kind != kind) continue;
    sums[static_cast<std::size_t>(entry.from / group) * static_cast<std::size_t>(cells) +
         static_cast<std::size_t>(entry.to / group)] += entry.bytes;
  }
  return fmt::format("[{}]", fmt::join(sums, ","));
}

}  // namespace

std::optional<std::string> pack_traffic(std::string_view csv) {
  if (csv.empty()) return std::nullopt;
  const Places place = places(take_csv_record(csv));
  if (!place.from || !place.to || !place.bytes) return std::nullopt;
  std::vector<Entry> entries;
  std::map<std::string, std::size_t> kinds;
  int hosts = 0;
  while (!csv.empty()) {
    std::vector<std::string> cells = take_csv_record(csv);
    if (cells.size() <= std::max({*place.from, *place.to, *place.bytes, place.kind.value_or(0)})) continue;
    Entry entry{};
    if (!read(cells[*place.from], entry.from) || !read(cells[*place.to], entry.to) ||
        !read(cells[*place.bytes], entry.bytes)) {
      continue;
    }
    entry.kind = kinds.try_emplace(place.kind ? cells[*place.kind] : "all flows", kinds.size()).first->second;
    hosts = std::max({hosts, entry.from + 1, entry.to + 1});
    entries.push_back(entry);
  }
  if (entries.empty()) return std::nullopt;
  const int group = (hosts - 1) / kTrafficCells + 1;
  const int cells = (hosts - 1) / group + 1;
  std::string out = fmt::format(R"({{"hosts":{},"group":{},"kinds":[)", hosts, group);
  const char* separator = "";
  for (const auto& [name, kind] : kinds) {
    out += fmt::format(R"({}{{"name":{},"bytes":{}}})", separator, json_text(name),
                       matrix(entries, kind, group, cells));
    separator = ",";
  }
  return out + "]}";
}

}  // namespace overture::report
