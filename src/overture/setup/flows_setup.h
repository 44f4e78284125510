// The setup of `overture flows`: a packet-level network and the traffic on it, in one YAML file with units.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "overture/network/packet/config.h"
#include "overture/network/packet/patterns.h"
#include "overture/network/packet/run_flows.h"
#include "overture/network/rotor/config.h"
#include "overture/setup/visitors.h"
#include "overture/topology/direct_connect.h"
#include "overture/topology/expander.h"
#include "overture/topology/fat_tree.h"
#include "overture/topology/hierarchical_switch.h"
#include "overture/topology/leaf_spine.h"
#include "overture/topology/opera.h"
#include "overture/topology/routing.h"
#include "overture/topology/star.h"
#include "overture/topology/torus.h"

namespace overture::setup {

// Drawn, or as a dynexp file of the Opera simulator has it.
struct OperaChoice : topology::OperaConfig {
  std::string file;  // beside the setup; then the circuits and their times are the file's
};

// Exactly one of them. A hierarchical switch needs a second one, which joins its NICs.
struct TopologyChoice {
  std::optional<topology::StarConfig> star;
  std::optional<topology::LeafSpineConfig> leaf_spine;
  std::optional<topology::FatTreeConfig> fat_tree;
  std::optional<topology::TorusConfig> torus;
  std::optional<topology::ExpanderConfig> expander;
  std::optional<topology::DirectConnectConfig> direct_connect;
  std::optional<OperaChoice> opera;  // time-varying: see make_opera()
  std::string file;                  // a graph in a text file, beside the setup
};

struct TrafficPattern {
  std::string kind;  // all_to_all, permutation, incast or ring; empty: the flows come from a file
  Bytes size{1 << 20};
  network::packet::AllToAllOrder order = network::packet::AllToAllOrder::rotated;
  int group = 0;
  int senders = 0;
};

struct FlowsSetup {
  std::string name = "flows";
  TopologyChoice topology;
  std::optional<topology::HierarchicalSwitchConfig> nodes;  // of several GPUs, on top of the topology
  double oversubscription = 1;
  network::packet::PacketConfig network;
  network::rotor::RotorConfig rotor;  // in place of `network` when the topology is opera
  TrafficPattern traffic;
  network::MonitorConfig monitor;  // links over time; no samples: off
  std::string file;                        // of the setup itself
};

FlowsSetup load_flows_setup(const std::filesystem::path& file,
                            const std::vector<std::string>& overrides = {});
FlowsSetup parse_flows_setup(std::string_view text, const std::string& file,
                             const std::vector<std::string>& overrides = {});
std::string write_flows_setup(const FlowsSetup& setup);
std::vector<Explanation> explain_flows_setup();

// Throws UserError when the setup chooses none or several, or one that cannot be built; or opera, which is no
// graph.
topology::Topology make_topology(const FlowsSetup& setup);
// The schedule of rotors, if the setup chooses opera. Throws UserError when there is none, or its file is
// wrong.
std::optional<topology::Opera> make_opera(const FlowsSetup& setup);
std::vector<network::packet::FlowSpec> make_traffic(const FlowsSetup& setup, int hosts);

}  // namespace overture::setup
