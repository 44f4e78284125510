// Who is wired to whom, and which way a packet goes. astra_fabric.h wires what ASTRA-sim's Garnet has,
// graph_fabric.h any topology.
#pragma once

#include <cstdint>
#include <vector>

#include "overture/network/garnet/channel.h"

namespace overture::network::garnet {

struct Router {
  std::vector<std::int32_t> in;   // channel of each input port; none where nothing ever comes
  std::vector<std::int32_t> out;  // likewise
  std::uint32_t sprayed = 0;      // packets sent up to switches so far
};

// Where a packet goes on: the channel, or none where its vnet has no link, and its vnet there.
struct Hop {
  std::int32_t channel = kNone;
  std::int32_t vnet = 0;
};

class GarnetFabric {
 public:
  struct Counts {
    int ranks = 0;
    int lanes = 0;  // of a rank, each with a channel into its router
    int vnets = 0;  // sets of virtual channels that packets do not share
    int vcs = 0;    // virtual channels of a vnet
  };

  virtual ~GarnetFabric() = default;
  GarnetFabric(const GarnetFabric&) = delete;
  GarnetFabric& operator=(const GarnetFabric&) = delete;

  int ranks() const { return counts_.ranks; }
  int lanes() const { return counts_.lanes; }
  int vnets() const { return counts_.vnets; }
  int vcs() const { return counts_.vcs; }

  std::vector<Channel>& channels() { return channels_; }
  const std::vector<Channel>& channels() const { return channels_; }
  std::vector<Router>& routers() { return routers_; }

  // The channel from a rank into its router. These are the first channels.
  int injection(int rank, int lane) const { return rank * counts_.lanes + lane; }

  // How a packet of `message` that came through channel `came` on `vnet` leaves the router there.
  virtual Hop next(const Channel& came, std::int32_t message, int destination, int vnet) = 0;

 protected:
  explicit GarnetFabric(const Counts& counts) : counts_(counts) {}

  // A channel with virtual channels of the vnets from `first_vnet` on, whose buffers have so many flits.
  int add(Channel channel, int first_vnet, const std::vector<int>& buffers);
  // Tells the channels which ports of their routers they have.
  void note_ports();

  std::vector<Channel> channels_;
  std::vector<Router> routers_;

 private:
  Counts counts_;
};

}  // namespace overture::network::garnet
