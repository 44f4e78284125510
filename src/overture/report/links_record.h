// What the links of a run carried: as a whole, and over time if they were watched. The same for every kind of
// network, so that pages, traces and tables need not know which one it was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "overture/network/packet/run_flows.h"
#include "overture/network/rotor/link_load.h"
#include "overture/report/trace.h"
#include "overture/topology/graph.h"
#include "overture/topology/opera.h"

namespace overture::report {

struct LinksRecord {
  // What the network models: how much goes over a link; queues before it; what happens to packets there.
  enum class Detail : std::uint8_t { load, queues, packets };
  struct Link {
    std::string from;
    std::string to;
    std::size_t tier = 0;
    network::packet::LinkRecord record;
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

// h0, h1, ... for hosts; s0, s1, ... for switches.
std::string node_name(const topology::Graph& graph, int node);

// A network of links that are always there. An empty history: they were not watched.
LinksRecord links_record(const topology::Graph& graph, std::vector<network::packet::LinkRecord> records,
                         const network::LinkHistory& history, Duration whole, LinksRecord::Detail detail);
// A rotor network: hosts, ToRs and rotors, and each rotor as a group too. What waits at hosts for circuits
// stands in the queue of the host's link.
LinksRecord links_record(const topology::Opera& opera, Bandwidth rate, const network::rotor::LinkLoad& load,
                         Duration whole);

// How finely to watch a rotor network, so that it fits into 64 MB; 0 if it is not to be watched.
int watched_bins(const network::MonitorConfig& monitor, const topology::Opera& opera);

// How busy each group was, in percent.
std::vector<TraceCounter> counters(const LinksRecord& record);

// links.csv, and links_over_time.csv if they were watched: every group, and the busiest links one by one.
// Throws UserError.
void write_links(const LinksRecord& record, const std::filesystem::path& folder);

}  // namespace overture::report
