// Any topology as routers with virtual channels: every switch is a router, every link a channel, and hosts
// have an interface at each of their links. Packets go the way that the topology's routing says.
//
// On a torus packets could wait for each other round a ring. So there are two vnets, and a packet changes to
// the second one where it passes the link at which its ring closes (a dateline; Dally and Seitz, 1987).
#pragma once

#include <cstdint>
#include <vector>

#include "overture/network/garnet/fabric.h"
#include "overture/topology/routing.h"

namespace overture::network::garnet {

// How the links of a graph are cut into cycles. A flit takes a whole number of them on every link, rounded
// up, and 32 to 64 on the slowest.
struct GraphTiming {
  Duration cycle{1};
  Bytes flit{128};
  Duration router_delay{};

  GraphTiming(const topology::Graph& graph, Bytes flit_size, Duration router);
  int cycles(Duration time) const {
    return static_cast<int>((time.count() + cycle.count() - 1) / cycle.count());
  }
};

class GraphFabric final : public GarnetFabric {
 public:
  struct Settings {
    int channels = 16;  // virtual channels of a vnet
    int buffer_flits = 8;
  };

  // `topology` outlives the fabric.
  GraphFabric(const topology::Topology& topology, const GraphTiming& timing, const Settings& settings);

  // Says which way a message goes before it is sent, and returns the lane by which it leaves its host.
  int choose_way(std::int32_t message, int from, int to, const topology::Pick& pick);

  // The link of the topology that a channel stands for; none for a lane that its host does not have.
  std::int32_t link_of(int channel) const { return links_[static_cast<std::size_t>(channel)]; }

  Hop next(const Channel& came, std::int32_t message, int destination, int vnet) override;

 private:
  void add_channels(const GraphTiming& timing, const Settings& settings);
  void add_ports();
  void find_datelines();

  const topology::Topology& topology_;
  std::vector<std::int32_t> links_;        // by channel
  std::vector<std::int32_t> channels_of_;  // by link
  std::vector<std::uint8_t> ring_;         // by link: dimension and direction; 0: not on a ring
  std::vector<bool> wraps_;                // by link
  std::vector<topology::Pick> picks_;      // by message
};

}  // namespace overture::network::garnet
