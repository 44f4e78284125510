#include "overture/network/packet/config.h"

#include <fmt/format.h>

#include "overture/base/memory.h"
#include "overture/network/packet/sound.h"

namespace overture::network::packet {
namespace {

void require_sound_ndp(const PacketConfig& config) {
  const NdpConfig& ndp = config.ndp;
  const QueueConfig& queue = config.queue;
  require(ndp.payload.count() > 0, "ndp: a packet has at least one byte of payload");
  require(ndp.header.count() > 0 && (ndp.payload + ndp.header).count() <= kMaxPacket,
          "ndp: a header has at least one byte, payload and header together at most 65535 B");
  require(ndp.control.count() > 0 && ndp.control.count() <= kMaxPacket,
          "ndp: a control packet has 1 to 65535 B");
  require(ndp.initial_window > 0, "ndp: the initial window is at least one packet");
  require(ndp.pull_rate > 0 && ndp.pull_rate <= 1, "ndp: the pull rate is above 0 and at most 1");
  require(ndp.min_rto > Duration::zero() && ndp.max_rto >= ndp.min_rto,
          "ndp: the minimum RTO is positive and not above the maximum");
  require(!queue.port_limit && !queue.shared_limit && !queue.mark_above,
          "queue: NDP's queues have the limits in trim, and neither a drop-tail limit nor marks");
  require(queue.trim.data_limit >= ndp.payload + ndp.header, "queue: a data limit holds at least one packet");
  require(queue.trim.control_limit >= ndp.header && queue.trim.control_limit >= ndp.control,
          "queue: a control limit holds at least one header");
  require(queue.trim.trim_arriving >= 0 && queue.trim.trim_arriving <= 1,
          "queue: the share of arriving packets that are trimmed is from 0 to 1");
}

void require_sound_htsim_dctcp(const PacketConfig& config) {
  const HtsimDctcpConfig& dctcp = config.htsim_dctcp;
  constexpr std::int64_t kMaxWindow = std::numeric_limits<std::int32_t>::max();
  const auto window_fits = [&](int packets) {
    return packets > 0 && packets <= kMaxWindow / dctcp.packet.count();
  };
  require(dctcp.packet.count() > 0 && dctcp.packet.count() <= kMaxPacket,
          "htsim_dctcp: a packet has 1 to 65535 B");
  require(window_fits(dctcp.initial_window) && window_fits(dctcp.slow_start_threshold),
          "htsim_dctcp: windows hold at least one packet and at most 2 GiB");
  require(dctcp.gain > 0 && dctcp.gain <= 1, "htsim_dctcp: the gain is above 0 and at most 1");
  require(dctcp.min_rto > Duration::zero() && dctcp.scan > Duration::zero(),
          "htsim_dctcp: timeout and scan are positive");
  require(!config.queue.port_limit || *config.queue.port_limit >= dctcp.packet,
          "queue: a limit holds at least one packet");
}

}  // namespace

ConnectionUse connections_of(const PacketConfig& config) {
  switch (config.transport) {
    case TransportKind::tcp: return config.tcp.connections;
    case TransportKind::roce:
    case TransportKind::plain: return ConnectionUse::per_pair;
    case TransportKind::ndp:
    case TransportKind::htsim_dctcp: return ConnectionUse::per_message;
  }
  return {};
}

Bytes largest_packet(const PacketConfig& config) {
  switch (config.transport) {
    case TransportKind::tcp: return config.tcp.segment + config.tcp.header;
    case TransportKind::ndp: return config.ndp.payload + config.ndp.header;
    case TransportKind::htsim_dctcp: return config.htsim_dctcp.packet;
    case TransportKind::roce: return config.roce.payload + config.roce.header;
    case TransportKind::plain: break;
  }
  return config.plain.payload + config.plain.header;
}

PacketConfig dlrm_study_dctcp() {
  PacketConfig config;
  const Bytes packet = config.htsim_dctcp.packet;
  config.transport = TransportKind::htsim_dctcp;
  config.queue = {.port_limit = packet * 10'000, .mark_above = packet * 50, .mark_at = MarkAt::dequeue};
  config.paths = topology::PathRule::hash_per_flow;
  return config;
}

PacketConfig ndp() {
  PacketConfig config;
  config.transport = TransportKind::ndp;
  config.paths = topology::PathRule::spray;
  return config;
}

PacketConfig htsim_ndp() {
  PacketConfig config = ndp();
  config.ndp.pad_packets = true;
  config.ndp.complete_at = CompleteAt::last_ack;
  return config;
}

PacketConfig roce() {
  PacketConfig config;
  config.transport = TransportKind::roce;
  config.paths = topology::PathRule::hash_per_flow;
  return config;
}

PacketConfig plain_credits() {
  PacketConfig config;
  config.transport = TransportKind::plain;
  config.lossless.control = LinkControl::credits;
  return config;
}

namespace {

// As wires: longer times would not leave room to add them up.
void require_representable(const PacketConfig& config) {
  const TcpConfig& tcp = config.tcp;
  const RoceConfig& roce = config.roce;
  for (const Duration time : {tcp.ack_delay, tcp.send_delay, tcp.min_rto, tcp.max_rto, tcp.clock_granularity,
                              config.ndp.min_rto, config.ndp.max_rto, config.htsim_dctcp.min_rto,
                              config.htsim_dctcp.scan, roce.min_rto, roce.max_rto}) {
    if (time > topology::kMostDelay)
      throw UserError(fmt::format("a transport's time of {} is too long", to_string(time)),
                      fmt::format("use at most {}", to_string(topology::kMostDelay)));
  }
}

}  // namespace

void require_sound(const PacketConfig& config) {
  require_representable(config);
  require(config.threads > 0, "threads: at least 1");
  require(config.entropies > 0, "entropies: at least 1");
  require(config.entropies == 1 || config.paths == topology::PathRule::hash_per_flow,
          "entropies: they need paths: hash_per_flow");
  if (config.transport == TransportKind::roce) return require_sound_roce(config);
  if (config.transport == TransportKind::plain) return require_sound_plain(config);
  if (config.transport == TransportKind::ndp) return require_sound_ndp(config);
  if (config.transport == TransportKind::htsim_dctcp) return require_sound_htsim_dctcp(config);
  const TcpConfig& tcp = config.tcp;
  constexpr std::int64_t kMaxWindow = std::numeric_limits<std::int32_t>::max();
  require(tcp.segment.count() > 0, "tcp: a segment has at least one byte");
  require(tcp.header.count() >= 0 && (tcp.segment + tcp.header).count() <= kMaxPacket,
          "tcp: segment and header together are at most 65535 B");
  require(tcp.ack.count() > 0 && tcp.ack.count() + 36 <= kMaxPacket, "tcp: an ACK has 1 to 65499 B");
  require(tcp.initial_window > 0 && tcp.initial_window * tcp.segment.count() <= kMaxWindow,
          "tcp: the initial window is at least one segment and at most 2 GiB");
  for (const Bytes window : {tcp.receive_window, tcp.first_window}) {
    require(window >= tcp.segment && window.count() <= kMaxWindow,
            "tcp: a window holds at least one segment and at most 2 GiB");
  }
  require(tcp.ack_delay >= Duration::zero(), "tcp: the ACK delay cannot be negative");
  require(tcp.send_delay >= Duration::zero(), "tcp: the send delay cannot be negative");
  require(tcp.min_rto > Duration::zero() && tcp.max_rto >= tcp.min_rto,
          "tcp: the minimum RTO is positive and not above the maximum");
  require(tcp.duplicate_acks > 0 && tcp.duplicate_acks < 256, "tcp: 1 to 255 duplicate ACKs make a loss");
  const std::string_view wrong = complaint(tcp.controls);
  require(wrong.empty(), wrong);
  require(!config.queue.dynamic_alpha || (config.queue.shared_limit && *config.queue.dynamic_alpha > 0),
          "queue: dynamic_alpha is above 0 and needs a shared_limit");
  for (const auto& limit : {config.queue.port_limit, config.queue.shared_limit}) {
    require(!limit || *limit >= tcp.segment + tcp.header, "queue: a limit holds at least one packet");
  }
  require(!config.queue.mark_above || config.queue.mark_above->count() >= 0,
          "queue: a mark is not below 0 B");
}

void require_memory(const PacketConfig& config, std::size_t links, std::size_t bytes) {
  overture::require_memory(Bytes{static_cast<std::int64_t>(bytes)},
                           fmt::format("a network of {} links", links));
  if (bytes <= static_cast<std::size_t>(config.memory_limit.count())) return;
  throw UserError(fmt::format("{} links need {}, more than the {} allowed", links,
                              to_string(Bytes{static_cast<std::int64_t>(bytes)}),
                              to_string(config.memory_limit)));
}

}  // namespace overture::network::packet
