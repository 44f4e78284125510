// Who is wired to whom, and which way a packet goes: the channels and routers of a config, numbered as Garnet
// numbers them, since its round-robin arbiters depend on that.
#pragma once

#include <vector>

#include "overture/base/ids.h"
#include "overture/network/garnet/channel.h"
#include "overture/network/garnet/config.h"

namespace overture::network::garnet {

struct Router {
  std::vector<std::int32_t> in;   // channel of each input port; none where nothing ever comes
  std::vector<std::int32_t> out;  // likewise
  std::uint32_t sprayed = 0;      // packets sent up to switches so far
};

class GarnetFabric {
 public:
  explicit GarnetFabric(const GarnetConfig& config);

  int ranks() const { return ranks_; }
  int vnets() const { return vnets_; }
  int vcs() const { return vcs_; }

  std::vector<Channel>& channels() { return channels_; }
  const std::vector<Channel>& channels() const { return channels_; }
  std::vector<Router>& routers() { return routers_; }

  // The channel from a rank into its router, and the one back.
  int injection(int rank, int vnet) const { return rank * vnets_ + vnet; }
  int ejection(int rank, int vnet) const { return (ranks_ + rank) * vnets_ + vnet; }

  // The channel by which a packet of `vnet` to `destination` leaves a router. Advances the router's spray.
  // None where the vnet has no link.
  int next(int router, int destination, int vnet);

 private:
  int add(Channel channel, int first_vnet, int count, const GarnetConfig& config);
  void connect(const GarnetConfig& config);
  void add_ring(const GarnetConfig& config, int dimension, int vnet);
  void add_switches(const GarnetConfig& config);
  void number_ports();

  int ranks_;
  int vnets_;
  int vcs_;
  int ring_vnets_;  // the first so many go round rings, the others through switches
  int switches_;
  std::vector<Channel> channels_;
  std::vector<Router> routers_;
  std::vector<std::int32_t> ring_;  // by router and vnet
  std::vector<std::int32_t> up_;    // by rank and switch
  std::vector<std::int32_t> down_;  // by switch and rank
};

}  // namespace overture::network::garnet
