#include "overture/network/packet/lossless_config.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "overture/network/packet/config.h"
#include "overture/network/packet/sound.h"

namespace overture::network::packet {
namespace {

void require_sound_credits(const LosslessConfig& lossless) {
  const CreditConfig& credits = lossless.credits;
  require(credits.flit.count() > 0 && credits.flit.count() <= kMaxPacket,
          "lossless.credits: a flit has 1 to 65535 B");
  require(credits.channels > 0 && credits.channels <= 1024,
          "lossless.credits: a class has 1 to 1024 channels");
  require(credits.router_delay >= Duration::zero(), "lossless.credits: the router delay cannot be negative");
  require(credits.buffer_flits > 0, "lossless.credits: a channel's buffer holds at least one flit");
  require(lossless.small_first.empty(), "lossless: with credits there are no priorities");
}

void require_sound_switches(const LosslessConfig& lossless, Bytes packet) {
  const PfcConfig& pfc = lossless.pfc;
  require(lossless.buffer >= packet, "lossless: a switch's buffer holds at least one packet");
  require(lossless.dynamic_alpha > 0, "lossless: dynamic_alpha is above 0");
  require(pfc.dynamic_alpha > 0, "lossless.pfc: dynamic_alpha is above 0");
  require(!pfc.xoff || pfc.xoff->count() > 0, "lossless.pfc: XOFF is above 0 B");
  require(pfc.xon_gap.count() >= 0, "lossless.pfc: the gap between XOFF and XON cannot be negative");
  require(!pfc.headroom || *pfc.headroom >= packet, "lossless.pfc: headroom holds at least one packet");
  require(pfc.frame.count() > 0 && pfc.frame.count() <= kMaxPacket,
          "lossless.pfc: a pause frame has 1 to 65535 B");
  require(lossless.small_first.size() <= 6, "lossless: there are at most 8 priorities");
  require(std::ranges::is_sorted(lossless.small_first), "lossless: small_first is in ascending order");
}

void require_sound_lossless(const LosslessConfig& lossless, Bytes packet) {
  const EcnConfig& ecn = lossless.ecn;
  require(ecn.min.value_or(Bytes{}) >= Bytes{}, "lossless.ecn: min is at least 0 B");
  require(!ecn.max || *ecn.max >= ecn.min.value_or(Bytes{}), "lossless.ecn: max is at least min");
  require(ecn.probability >= 0 && ecn.probability <= 1, "lossless.ecn: the probability is from 0 to 1");
  if (lossless.control == LinkControl::credits) return require_sound_credits(lossless);
  require_sound_switches(lossless, packet);
}

void require_sound_dcqcn(const DcqcnConfig& dcqcn) {
  constexpr Bandwidth kNone{};
  require(dcqcn.cnp_interval >= Duration::zero(), "roce.dcqcn: the interval of CNPs cannot be negative");
  require(dcqcn.alpha_timer > Duration::zero() && dcqcn.increase_timer > Duration::zero(),
          "roce.dcqcn: timers are positive");
  require(dcqcn.gain > 0 && dcqcn.gain <= 1, "roce.dcqcn: the gain is above 0 and at most 1");
  require(dcqcn.byte_counter.count() > 0, "roce.dcqcn: the byte counter is at least 1 B");
  require(dcqcn.fast_recovery >= 0, "roce.dcqcn: the steps of fast recovery cannot be negative");
  require(dcqcn.additive > kNone && dcqcn.hyper > kNone && dcqcn.minimum > kNone,
          "roce.dcqcn: rates are above 0");
}

// HPCC's thresholds are for links of 25 Gbps.
Bytes scaled(std::int64_t bytes_at_25_gbps, Bandwidth rate) {
  constexpr double kAt = 25e9;
  return Bytes{std::llround(static_cast<double>(bytes_at_25_gbps) *
                            (static_cast<double>(rate.bits_per_second()) / kAt))};
}

}  // namespace

Bytes EcnConfig::min_at(Bandwidth rate) const {
  if (min) return *min;
  const Bytes usual = scaled(100'000, rate);
  return max ? std::min(*max, usual) : usual;
}

Bytes EcnConfig::max_at(Bandwidth rate) const {
  return max ? *max : std::max(min_at(rate), scaled(400'000, rate));
}

void RoceConfig::require_sound(const PacketConfig& config) const {
  require_short({min_rto, max_rto});
  require(payload.count() > 0, "roce: a packet has at least one byte of payload");
  require(header.count() >= 0 && (payload + header).count() <= kMaxPacket,
          "roce: payload and header together are at most 65535 B");
  for (const Bytes news : {ack, cnp}) {
    require(news.count() > 0 && news <= payload + header,
            "roce: a control packet has at least one byte and is not larger than a data packet");
  }
  require(ack_every > 0, "roce: an ACK comes at least every packet");
  require(min_rto > Duration::zero() && max_rto >= min_rto,
          "roce: the minimum RTO is positive and not above the maximum");
  require(
      config.paths != topology::PathRule::spray,
      "roce: takes a packet that overtakes another for a loss, so it cannot be sprayed; use hash_per_flow");
  require(config.lossless.control != LinkControl::credits,
          "roce: runs on switches with pfc or without; links with credits carry transport: plain");
  require_sound_dcqcn(dcqcn);
  require_sound_lossless(config.lossless, payload + header);
}

void PlainConfig::require_sound(const PacketConfig& config) const {
  require(payload.count() > 0, "plain: a packet has at least one byte of payload");
  require(header.count() >= 0 && (payload + header).count() <= kMaxPacket,
          "plain: payload and header together are at most 65535 B");
  require(!inject || inject->bits_per_second() > 0, "plain: the injection rate is above 0");
  require(!inject || config.lossless.control != LinkControl::credits,
          "plain: with credits, hosts send as fast as their links (leave plain.inject out)");
  require(config.lossless.control != LinkControl::none,
          "plain: nothing is sent again, so links need pfc or credits");
  require_sound_lossless(config.lossless, payload + header);
}

std::vector<SetupChange> PlainConfig::settings_to_try(const PacketConfig& config,
                                                      const NetworkRecord&) const {
  std::vector<SetupChange> changes;
  const LosslessConfig& lossless = config.lossless;
  if (lossless.control == LinkControl::credits) {
    changes.push_back({fmt::format("network.lossless.credits.channels={}", 2 * lossless.credits.channels)});
  } else {
    changes.push_back(twice("network.lossless.buffer", lossless.buffer));
  }
  if (config.paths != topology::PathRule::hash_per_flow) changes.push_back({"network.paths=hash_per_flow"});
  return changes;
}

std::vector<SetupChange> RoceConfig::settings_to_try(const PacketConfig& config,
                                                     const NetworkRecord& record) const {
  std::vector<SetupChange> changes = config.of<PlainConfig>().settings_to_try(config, record);
  const bool on = control == RateControl::dcqcn;
  changes.insert(changes.begin(), {std::string("network.roce.control=") + (on ? "none" : "dcqcn")});
  return changes;
}

}  // namespace overture::network::packet
