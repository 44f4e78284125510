// Rings on which nothing competes: every message goes to the next rank, so each rank's lane is a pipeline of
// its own, and with enough virtual channels and buffers a packet's times follow from those of the one before
// it. No flit is simulated, and one rank is as good as all.
//
// It is exact or it gives up: as soon as a packet would have to wait for a virtual channel, or a message goes
// further than to the next rank, it throws Contended, and the run has to be made again with GarnetNetwork.
#pragma once

#include <exception>
#include <vector>

#include "overture/base/pool.h"
#include "overture/network/garnet/channel.h"
#include "overture/network/garnet/config.h"
#include "overture/network/network.h"

namespace overture::network::garnet {

struct Contended final : std::exception {
  const char* what() const noexcept override { return "messages compete, so every flit counts"; }
};

class UncontendedNetwork final : public Network {
 public:
  // Whether it is worth a try: a packet fits into a buffer and has more than one flit, no link is wider than
  // a flit.
  static bool may_fit(const GarnetConfig& config);

  // `events` outlives the network.
  UncontendedNetwork(const GarnetConfig& config, sim::EventQueue& events);

 private:
  // When a packet's virtual channel can be used again: at the interface, at the first and at the second
  // router.
  struct Release {
    Cycle interface = -1;
    Cycle first = -1;
    Cycle second = -1;
  };
  struct Lane {
    Cycle last_sent = -1;  // flit
    Cycle link_free = 0;
    std::vector<Release> releases;  // of the last packets, one for each virtual channel
    std::size_t next = 0;
  };
  struct Due {
    Rank to{};
    int vnet = 0;
    Action delivered;
  };

  void carry(const Message& message, Action delivered) override;
  const LinkConfig& link_to_next(const Message& message) const;
  Cycle pass_packet(Lane& lane, const GarnetWire& wire, Cycle now, bool first_of_message);
  void arrive(std::uint32_t slot);
  void flush();

  GarnetConfig config_;
  int vnets_;
  int flits_;
  Cycle own_link_;
  Cycle pipeline_;
  std::vector<Lane> lanes_;  // by rank and vnet
  Pool<Due> under_way_;
  std::vector<Due> due_;  // in the current cycle
};

}  // namespace overture::network::garnet
