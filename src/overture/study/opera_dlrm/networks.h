// The networks of the Opera study: how each is built for a cell, with which transport, and how a step is
// played on it. What a network needs of the step itself (rings, packets) is here too.
#pragma once

#include <cstdint>

#include "overture/network/make_network.h"
#include "overture/simulation/play.h"
#include "overture/study/opera_dlrm/cells.h"
#include "overture/topology/direct_connect.h"
#include "overture/topology/fat_tree.h"
#include "overture/topology/opera.h"
#include "overture/workload/dlrm_tasks.h"

namespace overture::study::opera_dlrm {

struct PlayedCell {
  simulation::Timeline run;
  std::uint64_t timeouts = 0;  // retransmission timers that ran out
};

// Tells the step what the cell's network is like.
void fit_to_network(const Cell& cell, workload::DlrmStep& step);

// The cell's network and the transport on it.
network::NetworkConfig network_of(const Cell& cell);

// Builds the cell's network and runs the graph on it. Throws UserError when it cannot be built.
PlayedCell play(const Cell& cell, const workload::DlrmStep& step, const workload::TaskGraph& graph);

// What a cell's network is, as data: who writes a setup of it needs no more.
topology::FatTreeConfig fat_tree_of(const Cell& cell);
topology::DirectConnectConfig fibres_of(const Cell& cell);
topology::OperaConfig opera_config(const Cell& cell);
network::packet::PacketConfig transport_of(const Cell& cell);
network::rotor::RotorConfig rotor_of(const Cell& cell);
network::flow::FlowConfig fluid_of(const Cell& cell);

}  // namespace overture::study::opera_dlrm
