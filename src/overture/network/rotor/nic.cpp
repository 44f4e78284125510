#include "overture/network/rotor/nic.h"

#include "overture/base/check.h"

namespace overture::network::rotor {

RotorNic::RotorNic(int host, int rotors, std::uint16_t packet_size, BulkQueues& queues)
    : host_(host), packet_size_(packet_size), queues_(queues), slots_(static_cast<std::size_t>(rotors)) {}

void RotorNic::push(const RotorPacket& packet) {
  const int urgency = packet.kind != PacketKind::data ? 0 : packet.again ? 1 : 2;
  urgent_[urgency].push_back(packet);
}

void RotorNic::commit(int rotor, std::vector<Committed> packets, int turns) {
  Slot& slot = slots_[static_cast<std::size_t>(rotor)];
  check(slot.turns == 0, "a rotor's slot has ended before its next one begins");
  if (bulk_left_ == 0) {
    rotor_ = rotor;
    back_ = (rotor + static_cast<int>(slots_.size()) - 1) % static_cast<int>(slots_.size());
    skips_ = 0;
  }
  slot = {.packets = std::move(packets), .turns = turns};
  slot.end = slot.packets.size();
  bulk_left_ += turns;
}

void RotorNic::clear(int rotor) {
  Slot& slot = slots_[static_cast<std::size_t>(rotor)];
  while (slot.end > slot.next) queues_.give_back(host_, slot.packets[--slot.end].message);
  bulk_left_ -= slot.turns;
  slot.turns = 0;
}

bool RotorNic::urgent_empty() const {
  for (const auto& queue : urgent_) {
    if (!queue.empty()) return false;
  }
  return true;
}

std::uint16_t RotorNic::begin() {
  check(!busy_ && !empty(), "an idle NIC with something to do starts to send");
  busy_ = true;
  serving_ = 0;
  while (serving_ < kUrgent && urgent_[serving_].empty()) ++serving_;
  return serving_ == kUrgent ? packet_size_ : urgent_[serving_].front().size;
}

std::optional<RotorPacket> RotorNic::finish() {
  busy_ = false;
  if (serving_ == kUrgent) return bulk_left_ > 0 ? pull() : std::nullopt;
  const RotorPacket packet = urgent_[serving_].front();
  urgent_[serving_].pop_front();
  count_urgent(packet.size);
  return packet;
}

// The packet of the slot's next turn, if that turn has one.
std::optional<RotorPacket> RotorNic::take_turn(Slot& slot) {
  --slot.turns;
  --bulk_left_;
  const int turn = slot.turn++;
  if (slot.next == slot.end || slot.packets[slot.next].turn != turn) return std::nullopt;
  const Committed& committed = slot.packets[slot.next++];
  return RotorPacket{.kind = PacketKind::bulk,
                     .size = packet_size_,
                     .from = host_,
                     .to = committed.via,
                     .message = committed.message};
}

// The next turn; empty ones are passed over while there are turns to catch up.
std::optional<RotorPacket> RotorNic::pull() {
  std::optional<RotorPacket> packet;
  for (;;) {
    Slot& slot = slots_[static_cast<std::size_t>(rotor_)];
    if (slot.turns > 0) packet = take_turn(slot);
    const int pulled = rotor_;
    advance();
    if (packet) {
      packet->path = static_cast<std::uint16_t>(pulled);  // a bulk packet's label is its rotor
      break;
    }
    if (skips_ == 0 || bulk_left_ == 0) break;
    --skips_;
    back_ = (back_ + static_cast<int>(slots_.size()) - 1) % static_cast<int>(slots_.size());
  }
  // Turns are not saved up: else bulk would be sent too fast later.
  if (skips_ > 0) push_back(skips_);
  return packet;
}

// Every full packet's worth of low-latency bytes takes a turn.
void RotorNic::count_urgent(std::uint16_t size) {
  const std::int64_t before = urgent_bytes_ / packet_size_;
  urgent_bytes_ += size;
  if (urgent_bytes_ / packet_size_ == before || bulk_left_ == 0) return;
  if (++skips_ > static_cast<int>(slots_.size()) - 1) push_back(1);
}

// The slots give up their last turns, one rotor after the other.
void RotorNic::push_back(int turns) {
  for (; turns > 0; --turns) {
    Slot& slot = slots_[static_cast<std::size_t>(back_)];
    if (slot.turns > 0) {
      const int last = slot.turn + slot.turns - 1;
      if (slot.end > slot.next && slot.packets[slot.end - 1].turn == last) {
        queues_.give_back(host_, slot.packets[--slot.end].message);
      }
      --slot.turns;
      --bulk_left_;
    }
    --skips_;
    back_ = (back_ + static_cast<int>(slots_.size()) - 1) % static_cast<int>(slots_.size());
  }
}

}  // namespace overture::network::rotor
