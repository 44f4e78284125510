// What faults do to single packets of a rotor network: low-latency ones are lost, and their senders notice by
// themselves; bulk is sent again once its host knows.
#include "overture/network/rotor/bulk_faults.h"
#include "overture/network/rotor/packet_engine.h"

namespace overture::network::rotor {

void PacketEngine::set_faults(RotorFaults& faults) {
  faults_ = &faults;
  scheduler_.set_faults(faults);
  find_ways_around();
}

void PacketEngine::follow_faults() {
  if (!faults_->update(now_)) return;
  return_all(*faults_, opera_, queues_);
  find_ways_around();
}

void PacketEngine::find_ways_around() {
  const auto works = [&](int tor, int rotor) { return faults_->is_uplink_known_up(tor, rotor); };
  bool all = true;
  for (int tor = 0; tor < opera_.tors(); ++tor) {
    for (int rotor = 0; rotor < opera_.uplinks(); ++rotor) all = all && works(tor, rotor);
  }
  ways_now_ = all ? &paths_ : &around_.emplace(opera_, 1, works);
}

// What a sender repeats in a slice without a path would be lost again, always so if its timeout were as long
// as a cycle: it waits for the next slice that has one, if there is any.
bool PacketEngine::waits_for_path(std::uint32_t id) {
  const auto ends = low_.ends(id);
  if (!ends) return false;
  follow_faults();
  const int from = opera_.tor_of(ends->first);
  const int to = opera_.tor_of(ends->second);
  const int slice = slice_now();
  if (from == to) return false;
  for (int ahead = 0; ahead < opera_.slices(); ++ahead) {
    if (ways_now_->count((slice + ahead) % opera_.slices(), from, to) == 0) continue;
    if (ahead > 0) push(What::timer, (now_ / slice_time_ + ahead) * slice_time_, id);
    return ahead > 0;
  }
  return false;
}

// The packet has just come from where the trip begins.
bool PacketEngine::loses(const RotorPacket& packet, RotorFaults::Trip trip) {
  const std::int64_t wire = trip.rotor < 0 ? 0 : config_.wire.count();
  trip.left = std::max<std::int64_t>(now_ - wire - time_of(packet.size), 0);
  trip.landed = now_;
  trip.size = packet.size;
  if (trip.from_tor < 0 && trip.from < 0) trip.from_tor = trip.to_tor;
  if (trip.to_tor < 0 && trip.to < 0) trip.to_tor = trip.from_tor;
  if (faults_->passes(trip)) return false;
  if (packet.kind != PacketKind::bulk) return true;
  push(What::resend, now_ + faults_->detection(), lost_.keep(packet));
  return true;
}

void PacketEngine::resend(std::uint32_t id) {
  const RotorPacket packet = lost_.release(id);
  queues_.give_back(packet.from, packet.message);
  pass_on(packet.from, packet.message);
  arm_slice();
}

void PacketEngine::pass_on(int host, std::uint32_t message) {
  if (faults_ != nullptr) pass_on_or_return(*faults_, opera_, queues_, host, queues_.message(message).to);
}

}  // namespace overture::network::rotor
