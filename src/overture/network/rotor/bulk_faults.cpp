#include "overture/network/rotor/bulk_faults.h"

#include "overture/network/rotor/bulk_engine.h"

namespace overture::network::rotor {

void pass_on_or_return(RotorFaults& faults, const topology::Opera& opera, BulkQueues& queues, int host,
                       int to) {
  const bool goes_on = faults.is_host_known_up(host) && faults.is_host_known_up(to) &&
                       faults.open(opera.tor_of(host), opera.tor_of(to));
  if (goes_on) return;
  for (std::int64_t packets = queues.return_to_sources(host, to); packets > 0; --packets)
    faults.count_reroute();
}

void return_all(RotorFaults& faults, const topology::Opera& opera, BulkQueues& queues) {
  for (int host = 0; host < opera.hosts(); ++host) {
    for (int to = 0; to < opera.hosts(); ++to) pass_on_or_return(faults, opera, queues, host, to);
  }
}

void BulkEngine::follow_faults(std::int64_t now) {
  if (faults_->update(now)) return_all(*faults_, opera_, queues_);
}

// Was the packet lost on its way? Then its host sends it again once it knows.
bool BulkEngine::loses(const Sender& sender, const Committed& packet, int rotor, std::int64_t left,
                       std::int64_t landed) {
  const RotorFaults::Trip trip{.from = sender.host,
                               .to = packet.via,
                               .rotor = rotor,
                               .left = left - packet_time_,
                               .landed = landed,
                               .size = config_.packet.count()};
  if (faults_->passes(trip)) return false;
  returns_.push_back({.when = landed + faults_->detection(), .message = packet.message, .host = sender.host});
  return true;
}

void BulkEngine::park(int host, std::uint32_t message) {
  const int to = queues_.message(message).to;
  queues_.push_back(Waiting::relayed, host, to, message, 1);
  if (faults_ != nullptr) pass_on_or_return(*faults_, opera_, queues_, host, to);
}

}  // namespace overture::network::rotor
