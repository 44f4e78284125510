#include "overture/report/faults_summary.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/files.h"

namespace overture::report {
namespace {

constexpr std::size_t kMostTold = 100;

struct FailingPart {
  std::string part;  // "s0-s4", "10 % of the cables"
  std::string what;  // "down", "loses 1 % of packets"
  Duration from{};
  Duration until{};
};

std::string share_of(double share, std::string_view what) {
  return fmt::format("{:g} % of the {}", 100 * share, what);
}

std::string cable_of(const network::LinkFault& fault) {
  if (!fault.between.empty()) return fault.between;
  return share_of(fault.share, fault.tier.empty() ? "cables" : "cables of tier " + fault.tier);
}

std::string harm_of(const network::LinkFault& fault) {
  if (fault.loss > 0) return fmt::format("loses {:g} % of packets", 100 * fault.loss);
  return fault.bit_errors > 0 ? fmt::format("{:g} errors per bit", fault.bit_errors) : "down";
}

std::string harm_of(const network::NodeFault& fault) {
  if (fault.dies) return "dead";
  return fault.slowdown > 1 ? fmt::format("computes {:g} times slower", fault.slowdown) : "computes unevenly";
}

// Those that begin before the run ends.
std::vector<FailingPart> failing_parts(const network::Faults& faults, Duration end) {
  std::vector<FailingPart> parts;
  const auto add = [&](std::string part, std::string what, const network::FaultTime& time) {
    if (time.from < end)
      parts.push_back({std::move(part), std::move(what), time.from, std::min(time.until.value_or(end), end)});
  };
  for (const network::LinkFault& fault : faults.links) add(cable_of(fault), harm_of(fault), fault);
  for (const network::SwitchFault& fault : faults.switches)
    add(fault.name.empty() ? share_of(fault.share, "switches") : fault.name, "down", fault);
  for (const network::NodeFault& fault : faults.nodes)
    add(fault.node ? fmt::format("node {}", *fault.node) : share_of(fault.share, "nodes"), harm_of(fault),
        fault);
  return parts;
}

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

void write_fault_times(const network::Faults& faults, Duration end, const std::filesystem::path& folder) {
  const std::vector<FailingPart> parts = failing_parts(faults, end);
  if (parts.empty()) return;
  std::string text = "part,what,from_us,until_us\n";
  for (const FailingPart& part : parts)
    text += fmt::format("{},{},{:.6f},{:.6f}\n", part.part, part.what, to_us(part.from), to_us(part.until));
  write_file(folder / "faults.csv", text);
}

std::vector<TraceCounter> curves(const LinksRecord& links, const network::Faults& faults, Duration end) {
  std::vector<TraceCounter> found;
  for (const FailingPart& part : failing_parts(faults, end)) {
    const std::string name = fmt::format("fault: {} {}", part.part, part.what);
    found.push_back({name, Time{part.from}, 1});
    found.push_back({name, Time{part.until}, 0});
  }
  std::ranges::copy(counters(links), std::back_inserter(found));
  return found;
}

std::string undelivered_note(const network::NetworkRecord& record) {
  if (record.undelivered.empty()) return "";
  const std::size_t more = record.undelivered.size() - 1;
  return fmt::format("{}{}", record.undelivered.front(),
                     more == 0 ? "" : fmt::format(" (and {} more)", more));
}

}  // namespace overture::report
