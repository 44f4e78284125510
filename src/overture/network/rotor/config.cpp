#include "overture/network/rotor/config.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::network::rotor {

RotorConfig dlrm_study_rotor() {
  RotorConfig config;
  config.bulk_from = Bytes{0};
  config.defects = OperaDefects::original();
  config.low_latency.end = LowLatencyEnd::last_ack;
  return config;
}

RotorConfig rotornet() {
  RotorConfig config;
  config.bulk_from = Bytes{0};
  return config;
}

int turns_per_slot(const topology::Opera& opera, const RotorConfig& config) {
  return static_cast<int>(opera.slot() / (transfer_time(config.packet, config.rate) * opera.uplinks()));
}

int packets_per_slot(const topology::Opera& opera, const RotorConfig& config) {
  const int sharing = std::max(opera.uplinks(), opera.hosts_per_tor());
  return static_cast<int>(opera.slot() / (transfer_time(config.packet, config.rate) * sharing));
}

std::int64_t packets_of(std::int64_t bytes, const RotorConfig& config) {
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  const std::int64_t payload = (config.packet - config.header).count();
  const std::int64_t packets = (bytes + payload - 1) / payload;
  if (packets <= kMost) return packets;
  throw UserError(fmt::format("{} packets for one message are more than a rotor network can count", packets),
                  fmt::format("send at most {} at once", to_string(Bytes{kMost * payload})));
}

void require_sound(const RotorConfig& config, const topology::Opera& opera) {
  if (config.rate <= Bandwidth::bits_per_second(0))
    throw UserError("the links of a rotor network need a rate");
  if (config.wire < Duration::zero()) throw UserError("a wire's delay cannot be negative");
  if (config.header < Bytes{0} || config.packet <= config.header || config.packet > Bytes{65'535}) {
    throw UserError("a packet must be longer than its header and at most 65535 bytes");
  }
  if (config.bulk_from < Bytes{0})
    throw UserError("the size from which messages are bulk cannot be negative");
  const LowLatencyConfig& low = config.low_latency;
  if (low.control <= Bytes{0} || low.control > config.packet) {
    throw UserError("a control packet must have at least one byte and be no longer than a packet");
  }
  if (low.initial_window < 1 || low.queue_packets < 1 || !(low.pull_rate > 0) ||
      low.timeout <= Duration::zero()) {
    throw UserError("the low-latency class needs a window, a queue, a pull rate and a timeout above 0");
  }
  if (packets_per_slot(opera, config) < 1) {
    throw UserError(fmt::format("a slot of {} is too short for a packet of {} from each uplink's share",
                                to_string(opera.slot()), to_string(config.packet)),
                    "make the slice longer or the links faster");
  }
}

}  // namespace overture::network::rotor
