// The packet engine: what run_flows.h and packet_network.h both drive. Which fabric and transport carry the
// messages is chosen once (stack.h).
#pragma once

#include <memory>
#include <vector>

#include "overture/network/link_history.h"
#include "overture/network/packet/packet_faults.h"
#include "overture/network/packet/run_flows.h"
#include "overture/network/packet/stack.h"

namespace overture::network::packet {

class Engine {
 public:
  // `topology` outlives the engine. Throws UserError when the configuration cannot work.
  Engine(const topology::Topology& topology, const PacketConfig& config, Pause pause,
         const Faults& faults = {});

  // Makes room for that many connections at once.
  void reserve(std::size_t connections);
  // A message of at least one byte, sent at `when`, which is not before now(). Returns its index, which is
  // used again once the message is delivered and acknowledged.
  std::uint32_t post(int from, int to, std::int64_t bytes, std::int64_t when);
  // Runs what is due by `limit` (ps), or until the transport pauses: at a delivery, or when all is
  // delivered (with TCP and NDP: at the end of that window, see parallel_partition.h).
  void run(std::int64_t limit);

  std::int64_t now() const;
  // Of the next event; the largest number if there is none, or if the transport pauses for good.
  std::int64_t next_time() const;
  std::uint64_t outstanding() const;
  std::vector<Completion>& completions();

  // Null if no part of the network ever fails.
  PacketFaults* faults() { return faults_.get(); }

  std::uint64_t digest() const;
  PacketStatistics statistics() const;
  // Payload so far, every byte once; quicker than all statistics.
  Bytes delivered() const;
  std::vector<LinkRecord> links() const;
  // Of all links at `when`: now(), or later and before the next event.
  void observe(std::int64_t when, std::vector<LinkState>& links) const;

 private:
  template <class Visit>
  void each_fabric(Visit visit) const;

  std::unique_ptr<PacketFaults> faults_;
  std::unique_ptr<Stack> stack_;
  Pause pause_;
  std::int64_t window_;    // ps
  std::int64_t end_ = -1;  // while nothing is outstanding: what is later need not happen
};

}  // namespace overture::network::packet
