// One fabric and one transport, put together: what run_flows.h and packet_network.h both drive. Which
// transport is chosen once; its packets' path through the fabric is compiled for it.
#pragma once

#include <variant>
#include <vector>

#include "overture/network/packet/fabric.h"
#include "overture/network/packet/monitor.h"
#include "overture/network/packet/ndp.h"
#include "overture/network/packet/run_flows.h"
#include "overture/network/packet/tcp.h"
#include "overture/network/packet/transport.h"

namespace overture::network::packet {

class Engine {
 public:
  // `topology` outlives the engine. Throws UserError when the configuration cannot work.
  Engine(const topology::Topology& topology, const PacketConfig& config, Pause pause);

  // Makes room for that many connections at once.
  void reserve(std::size_t connections);
  // A message of at least one byte, sent at `when`, which is not before now(). Returns its index, which is
  // used again once the message is delivered and acknowledged.
  std::uint32_t post(int from, int to, std::int64_t bytes, std::int64_t when);
  // Runs what is due by `limit` (ps), or until the transport pauses.
  void run(std::int64_t limit);

  std::int64_t now() const { return fabric_.now(); }
  std::int64_t next_time() const { return fabric_.next_time(); }
  std::uint64_t outstanding() const;
  std::vector<Completion>& completions();

  std::uint64_t digest() const { return fabric_.digest(); }
  Statistics statistics() const;
  std::vector<LinkRecord> links() const;
  // Of all links at `when`: now(), or later and before the next event.
  void observe(std::int64_t when, std::vector<LinkState>& links) const;

 private:
  Fabric fabric_;
  std::variant<Tcp, Ndp> transport_;
};

}  // namespace overture::network::packet
