// The channels and routers of ASTRA-sim's Garnet, numbered as Garnet numbers them, since its round-robin
// arbiters depend on that. A packet stays on its vnet, which is a set of rings or leads through switches.
#pragma once

#include <vector>

#include "overture/network/garnet/config.h"
#include "overture/network/garnet/fabric.h"

namespace overture::network::garnet {

class AstraFabric final : public GarnetFabric {
 public:
  explicit AstraFabric(const GarnetConfig& config);

  // The channel from a router to its rank.
  int ejection(int rank, int vnet) const { return (ranks_ + rank) * vnets_ + vnet; }

  // Advances the router's spray.
  Hop next(const Channel& came, std::int32_t, int destination, int vnet) override {
    return {.channel = channel_to(came.to, destination, vnet), .vnet = vnet};
  }

 private:
  int add(Channel channel, int first_vnet, int count, const GarnetConfig& config);
  void connect(const GarnetConfig& config);
  void add_ring(const GarnetConfig& config, int dimension, int vnet);
  void add_switches(const GarnetConfig& config);
  void number_ports();
  int channel_to(int router, int destination, int vnet);

  int ranks_;
  int vnets_;
  int ring_vnets_;  // the first so many go round rings, the others through switches
  int switches_;
  std::vector<std::int32_t> ring_;  // by router and vnet
  std::vector<std::int32_t> up_;    // by rank and switch
  std::vector<std::int32_t> down_;  // by switch and rank
};

}  // namespace overture::network::garnet
