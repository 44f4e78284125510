#include "overture/network/packet/config.h"

#include <fmt/format.h>

#include "overture/base/memory.h"
#include "overture/network/packet/sound.h"

namespace overture::network::packet {
ConnectionUse connections_of(const PacketConfig& config) {
  return with_chosen(config, [](const auto& numbers) { return numbers.connection_use(); });
}

Bytes largest_packet(const PacketConfig& config) {
  return with_chosen(config, [](const auto& numbers) { return numbers.largest_packet(); });
}

std::optional<Bytes> trimmed_packet(const PacketConfig& config) {
  return with_chosen(config, [](const auto& numbers) -> std::optional<Bytes> {
    if constexpr (requires { numbers.trimmed_packet(); }) return numbers.trimmed_packet();
    return std::nullopt;
  });
}

bool counts_sending(const PacketConfig& config) {
  return with_chosen(config, []<class Numbers>(const Numbers&) {
    if constexpr (requires { Numbers::kCountsSending; }) return Numbers::kCountsSending;
    return false;
  });
}

bool runs_lossless(const PacketConfig& config) {
  return with_chosen(config, []<class Numbers>(const Numbers&) {
    if constexpr (requires { Numbers::kLossless; }) return Numbers::kLossless;
    return false;
  });
}

bool sends_again(const PacketConfig& config) {
  return with_chosen(config, []<class Numbers>(const Numbers&) { return Numbers::kSendsAgain; });
}

bool knows_only_connections(const PacketConfig& config) {
  if (config.paths == topology::PathRule::spray || config.entropies > 1) return false;
  return with_chosen(config, []<class Numbers>(const Numbers&) {
    if constexpr (requires { Numbers::kKnowsOnlyConnections; }) return Numbers::kKnowsOnlyConnections;
    return false;
  });
}

PacketConfig dlrm_study_dctcp() {
  PacketConfig config;
  const Bytes packet = config.of<HtsimDctcpConfig>().packet;
  config.transport = kTransport<HtsimDctcpConfig>;
  config.queue = {.port_limit = packet * 10'000, .mark_above = packet * 50, .mark_at = MarkAt::dequeue};
  config.paths = topology::PathRule::hash_per_flow;
  return config;
}

PacketConfig ndp() {
  PacketConfig config;
  config.transport = kTransport<NdpConfig>;
  config.paths = topology::PathRule::spray;
  return config;
}

PacketConfig htsim_ndp() {
  PacketConfig config = ndp();
  config.of<NdpConfig>().pad_packets = true;
  config.of<NdpConfig>().complete_at = CompleteAt::last_ack;
  config.of<NdpConfig>().min_rto = std::chrono::milliseconds(50);
  return config;
}

PacketConfig roce() {
  PacketConfig config;
  config.transport = kTransport<RoceConfig>;
  config.paths = topology::PathRule::hash_per_flow;
  return config;
}

PacketConfig plain_credits() {
  PacketConfig config;
  config.transport = kTransport<PlainConfig>;
  config.lossless.control = LinkControl::credits;
  return config;
}

std::vector<SetupChange> settings_to_try(const PacketConfig& config, const NetworkRecord& record) {
  return with_chosen(config, [&](const auto& numbers) -> std::vector<SetupChange> {
    if constexpr (requires { numbers.settings_to_try(config, record); })
      return numbers.settings_to_try(config, record);
    return {};
  });
}

void require_short(std::initializer_list<Duration> times) {
  for (const Duration time : times) {
    if (time > topology::kMostDelay)
      throw UserError(fmt::format("a transport's time of {} is too long", to_string(time)),
                      fmt::format("use at most {}", to_string(topology::kMostDelay)));
  }
}

void require_sound(const PacketConfig& config) {
  require(config.threads > 0, "threads: at least 1");
  require(config.entropies > 0, "entropies: at least 1");
  require(config.entropies == 1 || config.paths == topology::PathRule::hash_per_flow,
          "entropies: they need paths: hash_per_flow");
  with_chosen(config, [&](const auto& numbers) { numbers.require_sound(config); });
}

void require_memory(std::size_t links, std::size_t bytes) {
  overture::require_memory(Bytes{static_cast<std::int64_t>(bytes)},
                           fmt::format("a network of {} links", links));
}

}  // namespace overture::network::packet
