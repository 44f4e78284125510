#include "overture/report/faults_summary.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace overture::report {
namespace {

constexpr std::size_t kMostTold = 100;

}  // namespace

std::vector<std::pair<std::string, std::string>> fault_lines(const network::NetworkRecord& record) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const auto& [label, name] :
       {std::pair{"parts that fail", "faults"}, std::pair{"packets lost by faults", "lost_packets"},
        std::pair{"of those, by bit errors", "corrupted_packets"},
        std::pair{"sent around faults", "reroutes"}}) {
    if (record.count(name) > 0) lines.emplace_back(label, fmt::format("{}", record.count(name)));
  }
  return lines;
}

void add_faults(const network::NetworkRecord& record, Json& summary) {
  if (record.count("faults") == 0) return;
  summary["faults"] = {{"parts", record.count("faults")},
                       {"lost_packets", record.count("lost_packets")},
                       {"corrupted_packets", record.count("corrupted_packets")},
                       {"reroutes", record.count("reroutes")},
                       {"undelivered_messages", record.undelivered.size()}};
  Json& told = summary["undelivered"] = Json::array();
  for (std::size_t i = 0; i < std::min(record.undelivered.size(), kMostTold); ++i)
    told.push_back(record.undelivered[i]);
}

std::string undelivered_note(const network::NetworkRecord& record) {
  if (record.undelivered.empty()) return "";
  const std::size_t more = record.undelivered.size() - 1;
  return fmt::format("{}{}", record.undelivered.front(),
                     more == 0 ? "" : fmt::format(" (and {} more)", more));
}

}  // namespace overture::report
