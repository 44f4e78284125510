// One fabric and one transport, put together: what run_flows.h and packet_network.h both drive. Which ones is
// chosen once; the path of the transport's packets through the fabric is compiled for it.
#pragma once

#include <memory>
#include <type_traits>
#include <variant>
#include <vector>

#include "overture/network/link_history.h"
#include "overture/network/packet/fabric.h"
#include "overture/network/packet/htsim_dctcp.h"
#include "overture/network/packet/lossless_fabric.h"
#include "overture/network/packet/ndp.h"
#include "overture/network/packet/packet_faults.h"
#include "overture/network/packet/parallel_stack.h"
#include "overture/network/packet/roce.h"
#include "overture/network/packet/run_flows.h"
#include "overture/network/packet/tcp.h"
#include "overture/network/packet/transport.h"

namespace overture::network::packet {

// A network and the transport on it. In one place in memory: the second refers to the first.
template <class FabricKind, TransportContract TransportKind>
struct Stack {
  // Could parts of it run at the same time? Then it ends as they would: at the end of a window.
  static constexpr bool kWindows = std::is_same_v<FabricKind, Fabric>;

  template <class Make>
  Stack(const topology::Topology& topology, const PacketConfig& config, Make make)
      : fabric(topology, config), transport(make(fabric)) {}

  void reserve(std::size_t connections) { transport.reserve(connections); }
  std::uint32_t post(int from, int to, std::int64_t bytes, std::int64_t when) {
    return transport.post(from, to, bytes, when);
  }
  void run(std::int64_t limit) {
    transport.resume();
    fabric.run(transport, limit);
  }
  std::int64_t now() const { return fabric.now(); }
  std::int64_t next_time() const { return fabric.next_time(); }
  std::uint64_t outstanding() const { return static_cast<std::uint64_t>(transport.outstanding()); }
  std::vector<Completion>& completions() { return transport.completions(); }
  std::size_t shared_memory() const { return 0; }
  void set_faults(PacketFaults& faults) { fabric.set_faults(faults); }
  template <class Visit>
  void each(Visit visit) const {
    visit(fabric, transport);
  }

  FabricKind fabric;
  TransportKind transport;
};

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
  using AnyStack =
      std::variant<std::unique_ptr<Stack<Fabric, Tcp>>, std::unique_ptr<Stack<Fabric, Ndp>>,
                   std::unique_ptr<Stack<Fabric, HtsimDctcp>>, std::unique_ptr<Stack<LosslessFabric, Roce>>,
                   std::unique_ptr<ParallelStack<Tcp>>>;

  static AnyStack make_stack(const topology::Topology& topology, const PacketConfig& config, Pause pause);

  static AnyStack make_parallel(const topology::Topology& topology, const PacketConfig& config, Pause pause);

  std::unique_ptr<PacketFaults> faults_;
  AnyStack stack_;
  Pause pause_;
  std::int64_t window_;    // ps
  std::int64_t end_ = -1;  // while nothing is outstanding: what is later need not happen
};

}  // namespace overture::network::packet
