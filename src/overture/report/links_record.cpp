#include "overture/report/links_record.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "overture/base/files.h"
#include "overture/report/csv_grid.h"
#include "overture/report/results_folder.h"

namespace overture::report {
namespace {

using network::LinkRecord;
using Detail = LinksRecord::Detail;

void group_by_tier(LinksRecord& record) {
  for (const std::string& tier : record.tiers) record.groups.push_back({"tier " + tier, {}});
  for (std::size_t i = 0; i < record.links.size(); ++i)
    record.groups[record.links[i].tier].links.push_back(i);
  std::erase_if(record.groups, [](const LinksRecord::Group& group) { return group.links.empty(); });
}

// Groups first, then the links that carried most.
std::vector<LinksRecord::Group> watched(const LinksRecord& record) {
  std::vector<LinksRecord::Group> result = record.groups;
  std::vector<std::size_t> order(record.links.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{},
                           [&](std::size_t i) { return record.links[i].record.carried; });
  order.resize(std::min(order.size(), kWatchedLinks));
  for (const std::size_t i : order) result.push_back({record.links[i].from + ">" + record.links[i].to, {i}});
  return result;
}

double mean_utilisation(const LinksRecord& record, const LinksRecord::Group& group, std::size_t sample) {
  double busy = 0;
  for (const std::size_t link : group.links) busy += record.at(sample, link).utilisation;
  return busy / static_cast<double>(group.links.size());
}

std::string links_csv(const LinksRecord& record) {
  std::string text = "from,to,tier,carried_bytes,utilisation_percent";
  if (record.detail != Detail::load) text += ",peak_queue_bytes";
  if (record.detail == Detail::packets) text += ",drops,marks,trims,pauses,paused_us";
  text += "\n";
  for (const LinksRecord::Link& link : record.links) {
    const LinkRecord& of = link.record;
    text += fmt::format("{},{},{},{},{:.2f}", link.from, link.to, csv_cell(record.tiers[link.tier]),
                        of.carried.count(), 100 * record.utilisation(link));
    if (record.detail != Detail::load) text += fmt::format(",{}", of.peak_queue.count());
    if (record.detail == Detail::packets)
      text += fmt::format(",{},{},{},{},{:.3f}", of.drops, of.marks, of.trims, of.pauses, to_us(of.paused));
    text += "\n";
  }
  return text;
}

std::string over_time_csv(const LinksRecord& record) {
  const bool queues = record.detail != Detail::load;
  std::string text = "link,until_us,utilisation_percent";
  text += queues ? ",queued_mean_bytes,queued_max_bytes\n" : "\n";
  for (const LinksRecord::Group& group : watched(record)) {
    const std::string name = csv_cell(group.name);
    for (std::size_t sample = 0; sample < record.samples(); ++sample) {
      text += fmt::format("{},{:.6g},{:.2f}", name,
                          to_us(record.interval * (static_cast<std::int64_t>(sample) + 1)),
                          100 * mean_utilisation(record, group, sample));
      if (queues) {
        Bytes sum;
        Bytes longest;
        for (const std::size_t link : group.links) {
          sum += record.at(sample, link).queued;
          longest = std::max(longest, record.at(sample, link).queued);
        }
        text += fmt::format(",{:.0f},{}",
                            static_cast<double>(sum.count()) / static_cast<double>(group.links.size()),
                            longest.count());
      }
      text += "\n";
    }
  }
  return text;
}

}  // namespace

double LinksRecord::utilisation(const Link& link) const {
  return whole == Duration{}
             ? 0
             : static_cast<double>(link.record.busy.count()) / static_cast<double>(whole.count());
}

double LinksRecord::busiest() const {
  double most = 0;
  for (const Link& link : links) most = std::max(most, utilisation(link));
  return most;
}

Bytes LinksRecord::longest_queue() const {
  Bytes longest;
  for (const Link& link : links) longest = std::max(longest, link.record.peak_queue);
  return longest;
}

LinksRecord links_record(const network::NetworkRecord& record, Duration whole) {
  const network::LinkHistory& history = record.history;
  LinksRecord result{
      .detail = record.detail, .tiers = record.tiers, .whole = whole, .interval = history.interval()};
  for (const network::NetworkRecord::Link& link : record.links)
    result.links.push_back({link.from, link.to, link.tier, link.total});
  group_by_tier(result);
  for (const network::NetworkRecord::Group& group : record.groups)
    result.groups.push_back({group.name, group.links});
  for (std::int64_t sample = 0; sample < history.samples(); ++sample) {
    for (std::size_t i = 0; i < record.links.size(); ++i) {
      result.over_time.push_back(
          {history.utilisation(sample, i, record.links[i].rate), history.at(sample, i).queued});
    }
  }
  return result;
}

std::vector<TraceCounter> counters(const LinksRecord& record) {
  std::vector<TraceCounter> found;
  for (const LinksRecord::Group& group : record.groups) {
    for (std::size_t sample = 0; sample < record.samples(); ++sample) {
      found.push_back({"link utilisation %, " + group.name,
                       Time{record.interval * static_cast<std::int64_t>(sample)},
                       100 * mean_utilisation(record, group, sample)});
    }
  }
  return found;
}

void write_links(const LinksRecord& record, const std::filesystem::path& folder) {
  if (record.links.empty()) return;
  write_file(folder / "links.csv", links_csv(record));
  if (record.samples() > 0) write_file(folder / "links_over_time.csv", over_time_csv(record));
}

}  // namespace overture::report
