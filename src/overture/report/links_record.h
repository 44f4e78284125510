// What the links of a run carried: as a whole, and over time if they were watched. The same for every kind of
// network, so that pages, traces and tables need not know which one it was.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "overture/network/record.h"
#include "overture/report/trace.h"

namespace overture::report {

struct LinksRecord {
  using Detail = network::NetworkRecord::Detail;
  struct Link {
    std::string from;
    std::string to;
    std::size_t tier = 0;
    network::LinkRecord record;
  };
  struct Sample {
    double utilisation = 0;  // since the sample before, from 0 to 1
    Bytes queued;
  };
  // Links that are shown as one, such as a tier.
  struct Group {
    std::string name;
    std::vector<std::size_t> links;
  };

  Detail detail = Detail::packets;
  std::vector<std::string> tiers;
  std::vector<Link> links;
  std::vector<Group> groups;
  Duration whole{};  // how long the run was
  Duration interval{};
  std::vector<Sample> over_time;  // by sample, then link; sample i is of interval * (i + 1)

  std::size_t samples() const { return links.empty() ? 0 : over_time.size() / links.size(); }
  const Sample& at(std::size_t sample, std::size_t link) const {
    return over_time[sample * links.size() + link];
  }
  // Share of the run in which it was sending.
  double utilisation(const Link& link) const;
  // The largest of these, and the longest queue; 0 without links.
  double busiest() const;
  Bytes longest_queue() const;
};

// Without links if the network's record has none.
LinksRecord links_record(const network::NetworkRecord& record, Duration whole);

// How busy each group was, in percent.
std::vector<TraceCounter> counters(const LinksRecord& record);

// links.csv, and links_over_time.csv if they were watched: every group, and the busiest links one by one.
// Throws UserError.
void write_links(const LinksRecord& record, const std::filesystem::path& folder);

}  // namespace overture::report
