#include "overture/formats/flow_list.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "overture/base/csv.h"
#include "overture/base/error.h"
#include "overture/base/files.h"

namespace overture::formats {
namespace {

using network::FlowSpec;

// Calls `visit(line, number)` for every line that is not blank.
template <class Visit>
void for_each_line(std::string_view text, Visit visit) {
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!line.empty()) visit(line, number);
  }
}

std::int64_t whole(std::string_view text, const Where& where, std::int64_t most) {
  return whole_number(trimmed(text), where, 0, most);
}

constexpr std::int64_t kMostFlows = 2'147'483'647;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;
constexpr std::int64_t kMostNs = 1'000'000'000'000'000;

Rank host(std::string_view text, const Where& where, int hosts) {
  return Rank{static_cast<int>(whole(text, where, hosts - 1))};
}

// Nanoseconds with up to three decimals, as write_flow_csv() writes them.
Duration nanoseconds(std::string_view text, const Where& where) {
  const std::size_t point = text.find('.');
  const Duration whole_ns = Nanoseconds{whole(text.substr(0, point), where, kMostNs)};
  if (point == std::string_view::npos) return whole_ns;
  std::string decimals(text.substr(point + 1));
  if (decimals.empty() || decimals.size() > 3)
    throw UserError(where, fmt::format("\"{}\" is not a number with up to three decimals", text));
  decimals.resize(3, '0');
  return whole_ns + Duration{whole(decimals, where, 999)};
}

}  // namespace

std::vector<FlowSpec> parse_flow_csv(std::string_view text, const std::string& file, int hosts) {
  constexpr std::string_view kHeader = "src,dst,bytes,start_ns";
  const CsvTable table = parse_csv(text, file, kHeader);
  if (table.header.cells != std::vector<std::string>{"src", "dst", "bytes", "start_ns"})
    throw UserError(table.where(table.header), fmt::format("the first line must be {}", kHeader));
  std::vector<FlowSpec> flows;
  for (const CsvRow& row : table.rows) {
    const auto where = [&](const char* column) { return table.where(row, column); };
    if (row.cells.size() != 4)
      throw UserError(where(""), fmt::format("has {} columns, not 4", row.cells.size()),
                      std::string(kHeader));
    flows.push_back({.from = host(row.cells[0], where("src"), hosts),
                     .to = host(row.cells[1], where("dst"), hosts),
                     .size = Bytes{whole(row.cells[2], where("bytes"), kMostBytes)},
                     .start = Time{nanoseconds(row.cells[3], where("start_ns"))}});
  }
  if (flows.empty())
    throw UserError({.file = file}, "holds no flows",
                    fmt::format("expected {} and a line per flow", kHeader));
  return flows;
}

namespace {

// "3->7 id 12 start 0 size 2000000"
FlowSpec parse_connection(std::string_view line, const Where& where, int hosts) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const std::string_view word = trimmed(line.substr(0, line.find(' ')));
    if (!word.empty()) words.push_back(word);
    line.remove_prefix(std::min(line.find(' '), line.size() - 1) + 1);
  }
  const std::size_t arrow = words[0].find("->");
  if (arrow == std::string_view::npos)
    throw UserError(where, fmt::format("\"{}\" is not src->dst", words[0]));
  FlowSpec flow{.from = host(words[0].substr(0, arrow), where, hosts),
                .to = host(words[0].substr(arrow + 2), where, hosts)};
  for (std::size_t i = 1; i + 1 < words.size(); i += 2) {
    if (words[i] == "start") {
      flow.start = Time{Duration{whole(words[i + 1], where, kMostNs * 1000)}};
    } else if (words[i] == "size") {
      flow.size = Bytes{whole(words[i + 1], where, kMostBytes)};
    } else if (words[i] != "id" && words[i] != "prio") {
      throw UserError(where, fmt::format("\"{}\" is not supported", words[i]),
                      "known: id, start, size, prio");
    }
  }
  return flow;
}

}  // namespace

std::vector<FlowSpec> parse_connection_matrix(std::string_view text, const std::string& file, int hosts) {
  std::vector<FlowSpec> flows;
  std::optional<std::int64_t> expected;
  for_each_line(text, [&](std::string_view line, int number) {
    const Where where{.file = file, .line = number};
    if (line.starts_with('#') || line.starts_with("Nodes")) return;
    if (line.starts_with("Connections")) {
      expected = whole(line.substr(11), where, kMostFlows);
    } else if (line.starts_with("Triggers")) {
      if (whole(line.substr(8), where, kMostFlows) > 0) throw UserError(where, "triggers are not supported");
    } else {
      flows.push_back(parse_connection(line, where, hosts));
    }
  });
  if (flows.empty()) throw UserError({.file = file}, "holds no connections");
  if (expected && *expected != static_cast<std::int64_t>(flows.size())) {
    throw UserError({.file = file},
                    fmt::format("announces {} connections but holds {}", *expected, flows.size()),
                    "the file may be cut short");
  }
  return flows;
}

std::vector<FlowSpec> read_flows(const std::filesystem::path& file, int hosts) {
  const std::string text = read_file(file);
  return file.extension() == ".cm" ? parse_connection_matrix(text, file.string(), hosts)
                                   : parse_flow_csv(text, file.string(), hosts);
}

std::string write_flow_csv(const std::vector<FlowSpec>& flows, const network::FlowTimes& times) {
  std::string text = "src,dst,bytes,start_ns,fct_ns\n";
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const FlowSpec& flow = flows[i];
    const auto ns = [](Duration d) { return fmt::format("{}.{:03}", d.count() / 1000, d.count() % 1000); };
    const Duration start = flow.start.time_since_epoch();
    text += fmt::format(
        "{},{},{},{},{}\n", index(flow.from), index(flow.to), flow.size.count(),
        start % Nanoseconds{1} == Duration{} ? fmt::format("{}", start.count() / 1000) : ns(start),
        times.completion[i] ? ns(*times.completion[i]) : "");
  }
  return text;
}

}  // namespace overture::formats
