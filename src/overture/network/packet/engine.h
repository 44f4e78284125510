// One fabric and one transport, put together: what run_flows.h and packet_network.h both drive.
#pragma once

#include <vector>

#include "overture/network/packet/fabric.h"
#include "overture/network/packet/run_flows.h"
#include "overture/network/packet/tcp.h"

namespace overture::network::packet {

class Engine {
 public:
  // `topology` outlives the engine. Throws UserError when the configuration cannot work.
  Engine(const topology::Topology& topology, const PacketConfig& config, Tcp::Pause pause);

  void reserve(std::size_t connections) { tcp_.reserve(connections); }
  // See Tcp::post. `when` is not before now().
  std::uint32_t post(int from, int to, std::int64_t bytes, std::int64_t when);
  // Runs what is due by `limit` (ps), or until the transport pauses.
  void run(std::int64_t limit);

  std::int64_t now() const { return fabric_.now(); }
  std::int64_t next_time() const { return fabric_.next_time(); }
  std::uint64_t outstanding() const { return tcp_.outstanding(); }
  std::vector<Completion>& completions() { return tcp_.completions(); }

  std::uint64_t digest() const { return fabric_.digest(); }
  Statistics statistics() const;
  std::vector<LinkRecord> links() const;

 private:
  Fabric fabric_;
  Tcp tcp_;
};

}  // namespace overture::network::packet
