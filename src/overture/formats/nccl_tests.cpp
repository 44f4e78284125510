#include "overture/formats/nccl_tests.h"

#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/error.h"
#include "overture/base/json.h"

namespace overture::formats {
namespace {

std::vector<MeasuredPoint> from_json(const Json& root, const std::string& file) {
  std::vector<MeasuredPoint> points;
  if (!root.is_object() || !root.contains("results") || !root["results"].is_array())
    throw UserError({.file = file, .key = "results"}, "is missing", "write it with nccl-tests' option -J");
  for (const Json& result : root["results"]) {
    if (!result.is_object() || !result.contains("size") || !result["size"].is_number_unsigned()) continue;
    for (const char* place : {"out_of_place", "in_place"}) {
      if (!result.contains(place) || !result[place].is_object()) continue;
      const Json& measured = result[place];
      const char* time = measured.contains("time") ? "time" : "cpu_time";
      if (!measured.contains(time) || !measured[time].is_number()) continue;
      const bool bandwidth = measured.contains("bus_bw") && measured["bus_bw"].is_number();
      points.push_back({Bytes{result["size"].get<std::int64_t>()}, measured[time].get<double>(),
                        bandwidth ? measured["bus_bw"].get<double>() : 0});
      break;
    }
  }
  return points;
}

// size count type redop root time algbw busbw #wrong, and the last four again for in place; some collectives
// leave redop or root out.
std::vector<MeasuredPoint> from_table(std::string_view text) {
  std::vector<MeasuredPoint> points;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    if (words.size() < 6 || words[0].find_first_not_of("0123456789") != std::string::npos) continue;
    std::vector<double> numbers;  // behind the texts
    for (std::size_t i = 3; i < words.size(); ++i) {
      char* end = nullptr;
      const double number = std::strtod(words[i].c_str(), &end);
      // The root is a whole number before the first time, which has a point in it.
      if (*end != '\0' || (numbers.empty() && words[i].find('.') == std::string::npos)) continue;
      numbers.push_back(number);
    }
    if (numbers.size() < 3 || words[0].size() > 15) continue;
    points.push_back({Bytes{std::stoll(words[0])}, numbers[0], numbers[2]});
  }
  return points;
}

}  // namespace

std::vector<MeasuredPoint> parse_nccl_tests(std::string_view text, const std::string& file) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool json = first != std::string_view::npos && text[first] == '{';
  if (json && parse_json(text).is_discarded())
    throw UserError({.file = file}, "is not JSON; is it cut short?");
  const std::vector<MeasuredPoint> points = json ? from_json(parse_json(text), file) : from_table(text);
  if (points.empty())
    throw UserError({.file = file}, "has no results of nccl-tests",
                    "give its output, or the file of its option -J");
  return points;
}

}  // namespace overture::formats
