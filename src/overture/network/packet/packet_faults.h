// What faults do to packets: which ones a link loses, and which way they go once routes avoid what is down.
// Everything but the losses that are drawn follows from times known before the run, so nothing here is an
// event; and losses of a link are drawn from a stream of its own, in the order of its packets.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "overture/network/faults.h"
#include "overture/network/packet/config.h"
#include "overture/network/packet/packet.h"
#include "overture/network/undeliverable.h"
#include "overture/topology/live_routing.h"
#include "overture/topology/routing.h"

namespace overture::network::packet {

struct FaultCounts {
  std::uint64_t lost = 0;       // packets, on links that were down or losing, the spoilt ones included
  std::uint64_t corrupted = 0;  // of those: spoilt by bit errors
  std::uint64_t reroutes = 0;   // packets that a switch sent another way
};

// Throws UserError where what a fault loses would be lost for good.
void require_recovery(const PacketConfig& config);

class PacketFaults final : public LastPaths {
 public:
  // `topology` outlives it. Throws UserError when the faults do not fit it or the transport.
  PacketFaults(const Faults& faults, const topology::Topology& topology, const PacketConfig& config);

  // A packet is at the end of a link that it began to leave for at `start`: does it get through?
  bool survives(std::uint32_t link, const Packet& packet, std::int64_t start, std::int64_t now);

  // A packet at switch `at` on its way to host `to`: its route, or another one if that leads over a link that
  // is known to be down and a path is left.
  std::uint64_t route(int at, int to, const Packet& packet, std::int64_t now) {
    if (now >= next_change_) change_routes(now);
    return live_.any_down() ? around(at, to, packet) : packet.route;
  }

  std::int64_t settled() const override { return settled_; }
  // From one host to the other and back.
  bool cut_off(int from, int to) override;
  // The first link on the way that is down.
  std::string reason(int from, int to) override;

  int parts() const { return links_.parts(); }
  const FaultCounts& counts() const { return counts_; }

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  void change_routes(std::int64_t now);
  std::uint64_t around(int at, int to, const Packet& packet);
  bool leads_over_down(int at, std::uint64_t route) const;
  bool one_way(int from, int to);
  const topology::LiveRouting& last_routing();

  const topology::Topology& topology_;
  LinkFaults links_;
  topology::PathRule rule_;
  std::uint64_t seed_;
  int bits_;                            // of a port in a route
  std::vector<std::uint64_t> streams_;  // by link
  std::uint64_t spray_;                 // a stream
  topology::LiveRouting live_;          // as switches know the network now
  std::size_t changes_ = 0;             // of routes, so far
  std::int64_t next_change_ = kNever;
  std::int64_t settled_ = 0;
  std::optional<topology::LiveRouting> last_;  // when routes change no more
  FaultCounts counts_;
};

}  // namespace overture::network::packet
