// All that the packet engine can be told, with its defaults and where they come from. The topology is told
// apart. A transport's numbers are a struct of their own that knows its word, its keys and what the network
// must know of it (ndp_config.h); here it has a line in each of the four lists.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>

#include "overture/base/units.h"
#include "overture/base/words.h"
#include "overture/network/connection_use.h"
#include "overture/network/packet/htsim_dctcp_config.h"
#include "overture/network/packet/lossless_config.h"
#include "overture/network/packet/ndp_config.h"
#include "overture/network/packet/queue_config.h"
#include "overture/network/packet/tcp_config.h"
#include "overture/topology/routing.h"

namespace overture::network::packet {

// RoCE and plain messages run on switches with a LosslessConfig, the others on FIFO or trimming queues
// (QueueConfig).
enum class TransportKind : std::uint8_t { tcp, ndp, roce, plain, htsim_dctcp };
constexpr auto vocabulary(TransportKind) {
  return std::to_array<Word<TransportKind>>({
      {TransportKind::tcp, TcpConfig::kKey},
      {TransportKind::ndp, NdpConfig::kKey},
      {TransportKind::roce, RoceConfig::kKey},
      {TransportKind::plain, PlainConfig::kKey},
      {TransportKind::htsim_dctcp, HtsimDctcpConfig::kKey},
  });
}

// Visits every transport's kind and numbers.
template <class Config, class Visit>
void each_transport(Config& config, Visit visit) {
  visit(TransportKind::tcp, config.tcp);
  visit(TransportKind::ndp, config.ndp);
  visit(TransportKind::htsim_dctcp, config.htsim_dctcp);
  visit(TransportKind::roce, config.roce);
  visit(TransportKind::plain, config.plain);
}

struct PacketConfig {
  TransportKind transport = TransportKind::tcp;
  QueueConfig queue;
  TcpConfig tcp;
  NdpConfig ndp;
  HtsimDctcpConfig htsim_dctcp;
  LosslessConfig lossless;
  RoceConfig roce;
  PlainConfig plain;
  topology::PathRule paths = topology::PathRule::by_destination;
  // With paths by a hash of the flow: so many hashes, of which every packet takes one at random. NDP deals
  // them out, each once before any comes again, as csg-htsim's hosts do with `-strat ecmp_host -paths n`. 1:
  // a flow keeps its way.
  int entropies = 1;
  std::uint64_t seed = 1;
  // The network is cut into as many parts, which run at the same time. From 2 on, results do not depend on
  // it.
  int threads = 1;

  template <class V>
  static void keys(V& v, PacketConfig& p) {
    v.from("ours");
    v.field("paths", p.paths, "Choice among equal paths: by destination, by a hash of the flow, per packet");
    v.field(
        "entropies", p.entropies,
        "With paths: hash_per_flow: hashes of a flow; every packet takes one of them, NDP's each in turn");
    v.group("queue", "Output queues of switches", [&](auto& g) { QueueConfig::keys(g, p.queue); });
    v.field("transport", p.transport, "backend: packet: protocol that carries messages");
    each_transport(p, [&]<class Numbers>(TransportKind, Numbers& numbers) {
      v.group(Numbers::kKey, Numbers::kHelp, [&](auto& g) { Numbers::keys(g, numbers); });
    });
    v.group("lossless", "Switches of roce and plain, in place of queue",
            [&](auto& g) { LosslessConfig::keys(g, p.lossless); });
    v.field(
        "threads", p.threads,
        "flows over tcp: parts of the network, each simulated on a core; from 2 on, results are the same");
  }
};

// What a transport's numbers must know, of themselves and for the network.
template <class T>
concept TransportConfig = requires(const T& numbers, const PacketConfig& config) {
  { T::kKey } -> std::convertible_to<std::string_view>;  // the transport's word, and the group of its keys
  { T::kHelp } -> std::convertible_to<std::string_view>;
  { T::kSendsAgain } -> std::convertible_to<bool>;      // what is lost
  { numbers.largest_packet() } -> std::same_as<Bytes>;  // with its header
  { numbers.connection_use() } -> std::same_as<ConnectionUse>;
  numbers.require_sound(config);
};

// Of the transport that is chosen.
Bytes largest_packet(const PacketConfig& config);
// What its switches leave of a packet when they cut it; none if they do not.
std::optional<Bytes> trimmed_packet(const PacketConfig& config);
// Do its switches count a packet in their limits until all of it has left?
bool counts_sending(const PacketConfig& config);
// Does it send again what is lost?
bool sends_again(const PacketConfig& config);

// DCTCP as in the DLRM study's fat tree (opera-htsim section 2): packets of 8936 B without a header, a window
// of 100, ACKs outside the network, one random way per flow, marks above 50 packets as they leave, queues of
// 10,000.
PacketConfig dlrm_study_dctcp();

// NDP that sprays its packets, with the defaults above.
PacketConfig ndp();
// The same as htsim does it (golden/htsim): full packets only, a flow ends with its last ACK, and timeouts
// are long (its main_ndp sets 50 ms).
PacketConfig htsim_ndp();

// RoCE with DCQCN on PFC, a way per flow.
PacketConfig roce();
// Plain messages with credits and virtual channels, for tori.
PacketConfig plain_credits();

// How the transport that it chooses carries messages of a pair.
ConnectionUse connections_of(const PacketConfig& config);

// Throws UserError naming the first value that cannot work.
void require_sound(const PacketConfig& config);
// Throws UserError if so many links need more memory than the process may take.
void require_memory(std::size_t links, std::size_t bytes);

}  // namespace overture::network::packet
