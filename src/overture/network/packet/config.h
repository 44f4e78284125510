// All that the packet engine can be told, with its defaults and where they come from. The topology is told
// apart.
#pragma once

#include <cstdint>
#include <optional>
#include <tuple>

#include "overture/base/units.h"
#include "overture/base/words.h"
#include "overture/network/packet/htsim_dctcp_config.h"
#include "overture/network/packet/lossless_config.h"
#include "overture/network/packet/ndp_config.h"
#include "overture/network/packet/queue_config.h"
#include "overture/network/packet/tcp_config.h"
#include "overture/network/packet/transport_config.h"
#include "overture/topology/routing.h"

namespace overture::network::packet {

// The numbers of every transport. A new one is its file, with numbers that fulfil transport_config.h, and its
// name here. RoCE and plain messages run on switches with a LosslessConfig, the others on FIFO or trimming
// queues (QueueConfig).
using TransportConfigs = std::tuple<TcpConfig, NdpConfig, HtsimDctcpConfig, RoceConfig, PlainConfig>;

// One of them: its number in the list.
enum class TransportKind : std::uint8_t {};
template <TransportConfig Numbers>
inline constexpr TransportKind kTransport{Alternatives<TransportConfigs>::number<Numbers>()};
constexpr auto vocabulary(TransportKind) { return numbered_words<TransportKind, TransportConfigs>(); }

struct PacketConfig {
  TransportKind transport = kTransport<TcpConfig>;
  TransportConfigs numbers;  // only those of the chosen one count
  QueueConfig queue;
  LosslessConfig lossless;
  topology::PathRule paths = topology::PathRule::by_destination;
  // With paths by a hash of the flow: so many hashes, of which every packet takes one at random. NDP deals
  // them out, each once before any comes again, as csg-htsim's hosts do with `-strat ecmp_host -paths n`. 1:
  // a flow keeps its way.
  int entropies = 1;
  std::uint64_t seed = 1;
  // The network is cut into as many parts, which run at the same time. From 2 on, results do not depend on
  // it.
  int threads = 1;

  template <TransportConfig Numbers>
  Numbers& of() {
    return std::get<Numbers>(numbers);
  }
  template <TransportConfig Numbers>
  const Numbers& of() const {
    return std::get<Numbers>(numbers);
  }

  template <class V>
  static void keys(V& v, PacketConfig& p) {
    v.from("ours");
    v.field("paths", p.paths, "Choice among equal paths: by destination, by a hash of the flow, per packet");
    v.field(
        "entropies", p.entropies,
        "With paths: hash_per_flow: hashes of a flow; every packet takes one of them, NDP's each in turn");
    v.group("queue", "Output queues of switches", [&](auto& g) { QueueConfig::keys(g, p.queue); });
    v.field("transport", p.transport, "backend: packet: protocol that carries messages");
    const auto group = [&]<class Numbers>(Numbers& numbers) {
      v.group(Numbers::kWord, Numbers::kHelp, [&](auto& g) { Numbers::keys(g, numbers); });
    };
    std::apply([&](auto&... each) { (group(each), ...); }, p.numbers);
    v.group("lossless", "Switches of roce and plain, in place of queue",
            [&](auto& g) { LosslessConfig::keys(g, p.lossless); });
    v.field(
        "threads", p.threads,
        "flows over tcp: parts of the network, each simulated on a core; from 2 on, results are the same");
  }
};

// What visit(numbers) gives for those of the transport that is chosen.
template <std::size_t from = 0, class Visit>
auto with_chosen(const PacketConfig& config, Visit visit) {
  const TransportConfig auto& numbers = std::get<from>(config.numbers);
  if constexpr (from + 1 < std::tuple_size_v<TransportConfigs>) {
    if (config.transport != TransportKind{from}) return with_chosen<from + 1>(config, visit);
  }
  return visit(numbers);
}

// Of the transport that is chosen.
Bytes largest_packet(const PacketConfig& config);
// What its switches leave of a packet when they cut it; none if they do not.
std::optional<Bytes> trimmed_packet(const PacketConfig& config);
// Do its switches count a packet in their limits until all of it has left?
bool counts_sending(const PacketConfig& config);
// Does it run on lossless switches (LosslessConfig), not on FIFO or trimming queues (QueueConfig)?
bool runs_lossless(const PacketConfig& config);
// Does it send again what is lost?
bool sends_again(const PacketConfig& config);
// Have its hosts nothing that their connections share, such as what they draw paths with, or the pace of all?
bool knows_only_connections(const PacketConfig& config);

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

// What may make a run with this record faster, likeliest first.
std::vector<SetupChange> settings_to_try(const PacketConfig& config, const NetworkRecord& record);

// Throws UserError naming the first value that cannot work.
void require_sound(const PacketConfig& config);
// Throws UserError if so many links need more memory than the process may take.
void require_memory(std::size_t links, std::size_t bytes);

}  // namespace overture::network::packet
