#include "overture/network/packet/config.h"

#include <fmt/format.h>

#include "overture/base/memory.h"
#include "overture/network/packet/sound.h"

namespace overture::network::packet {
namespace {

// Visits the numbers of the transport that is chosen.
template <class Visit>
void visit_chosen(const PacketConfig& config, Visit visit) {
  each_transport(config, [&](TransportKind kind, const TransportConfig auto& numbers) {
    if (kind == config.transport) visit(numbers);
  });
}

}  // namespace

ConnectionUse connections_of(const PacketConfig& config) {
  ConnectionUse use{};
  visit_chosen(config, [&](const auto& numbers) { use = numbers.connection_use(); });
  return use;
}

Bytes largest_packet(const PacketConfig& config) {
  Bytes packet;
  visit_chosen(config, [&](const auto& numbers) { packet = numbers.largest_packet(); });
  return packet;
}

std::optional<Bytes> trimmed_packet(const PacketConfig& config) {
  std::optional<Bytes> header;
  visit_chosen(config, [&](const auto& numbers) {
    if constexpr (requires { numbers.trimmed_packet(); }) header = numbers.trimmed_packet();
  });
  return header;
}

bool counts_sending(const PacketConfig& config) {
  bool counts = false;
  visit_chosen(config, [&]<class Numbers>(const Numbers&) {
    if constexpr (requires { Numbers::kCountsSending; }) counts = Numbers::kCountsSending;
  });
  return counts;
}

bool sends_again(const PacketConfig& config) {
  bool again = false;
  visit_chosen(config, [&]<class Numbers>(const Numbers&) { again = Numbers::kSendsAgain; });
  return again;
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
  config.ndp.min_rto = std::chrono::milliseconds(50);
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
  visit_chosen(config, [&](const auto& numbers) { numbers.require_sound(config); });
}

void require_memory(std::size_t links, std::size_t bytes) {
  overture::require_memory(Bytes{static_cast<std::int64_t>(bytes)},
                           fmt::format("a network of {} links", links));
}

}  // namespace overture::network::packet
