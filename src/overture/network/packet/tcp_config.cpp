#include "overture/network/packet/tcp_config.h"

#include <limits>

#include <fmt/format.h>

#include "overture/network/packet/config.h"
#include "overture/network/packet/sound.h"
#include "overture/network/record.h"

namespace overture::network::packet {

void TcpConfig::require_sound(const PacketConfig& config) const {
  require_short({ack_delay, send_delay, min_rto, max_rto, clock_granularity});
  constexpr std::int64_t kMaxWindow = std::numeric_limits<std::int32_t>::max();
  require(segment.count() > 0, "tcp: a segment has at least one byte");
  require(header.count() >= 0 && (segment + header).count() <= kMaxPacket,
          "tcp: segment and header together are at most 65535 B");
  require(ack.count() > 0 && ack.count() + 36 <= kMaxPacket, "tcp: an ACK has 1 to 65499 B");
  require(initial_window > 0 && initial_window * segment.count() <= kMaxWindow,
          "tcp: the initial window is at least one segment and at most 2 GiB");
  for (const Bytes window : {receive_window, first_window}) {
    require(window >= segment && window.count() <= kMaxWindow,
            "tcp: a window holds at least one segment and at most 2 GiB");
  }
  require(ack_delay >= Duration::zero(), "tcp: the ACK delay cannot be negative");
  require(send_delay >= Duration::zero(), "tcp: the send delay cannot be negative");
  require(min_rto > Duration::zero() && max_rto >= min_rto,
          "tcp: the minimum RTO is positive and not above the maximum");
  require(duplicate_acks > 0 && duplicate_acks < 256, "tcp: 1 to 255 duplicate ACKs make a loss");
  const std::string_view wrong = complaint(controls);
  require(wrong.empty(), wrong);
  require(!config.queue.dynamic_alpha || (config.queue.shared_limit && *config.queue.dynamic_alpha > 0),
          "queue: dynamic_alpha is above 0 and needs a shared_limit");
  for (const auto& limit : {config.queue.port_limit, config.queue.shared_limit}) {
    require(!limit || *limit >= segment + header, "queue: a limit holds at least one packet");
  }
  require(!config.queue.mark_above || config.queue.mark_above->count() >= 0,
          "queue: a mark is not below 0 B");
}

std::vector<SetupChange> TcpConfig::settings_to_try(const PacketConfig& config,
                                                    const NetworkRecord& record) const {
  std::vector<SetupChange> changes;
  const bool sprays = config.paths == topology::PathRule::spray || config.entropies > 1;
  // Packets that overtake each other look like losses.
  if (sprays && record.count("retransmissions") > record.count("drops"))
    changes.push_back({fmt::format("network.tcp.duplicate_acks={}", 10 * duplicate_acks)});
  if (record.count("timeouts") > 0) changes.push_back({"network.tcp.min_rto=" + to_string(min_rto / 4)});
  if (record.count("drops") > 0 && config.queue.port_limit)
    changes.push_back(twice("network.queue.port_limit", *config.queue.port_limit));
  if (!sprays) changes.push_back({"network.paths=hash_per_flow"});
  changes.push_back({fmt::format("network.tcp.initial_window={}", 2 * initial_window)});
  changes.push_back(twice("network.tcp.receive_window", receive_window));
  return changes;
}

}  // namespace overture::network::packet
