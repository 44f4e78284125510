#include "overture/network/rotor/tor_queue.h"

#include "overture/base/check.h"

namespace overture::network::rotor {
namespace {

// While both wait, headers and data share the link 640 : 1500 bytes (opera-htsim, section 1.6), headers
// counted as 64 bytes.
constexpr int kHighShare = 640;
constexpr int kLowShare = 1500;
constexpr int kHeader = 64;

RotorPacket trim(RotorPacket packet, std::uint16_t header) {
  packet.kind = PacketKind::header;
  packet.size = header;
  return packet;
}

}  // namespace

TorQueue::Pushed TorQueue::push(const RotorPacket& packet, const Limits& limits, RandomStream& coins) {
  if (packet.kind == PacketKind::bulk) {
    bulk_.push_back(packet);
    return {};
  }
  if (packet.kind != PacketKind::data) return push_high(packet, limits, false);
  if (low_bytes_ + packet.size <= limits.bytes) {
    low_.push_back(packet);
    low_bytes_ += packet.size;
    return {};
  }
  // A full queue trims the packet that comes or the last one, unless that one is already being sent.
  const bool last_may_go =
      low_.size() > (serving_ == Serving::low ? 1U : 0U) && low_.back().size >= packet.size;
  if (coins.below(2) == 0 || !last_may_go) return push_high(trim(packet, limits.header), limits, true);
  const RotorPacket last = low_.back();
  low_bytes_ += packet.size - last.size;
  low_.back() = packet;
  return push_high(trim(last, limits.header), limits, true);
}

TorQueue::Pushed TorQueue::push_high(const RotorPacket& packet, const Limits& limits, bool trimmed) {
  if (high_bytes_ + packet.size > limits.bytes) return {.trimmed = trimmed, .overflow = packet};
  high_.push_back(packet);
  high_bytes_ += packet.size;
  return {.trimmed = trimmed, .overflow = {}};
}

std::uint16_t TorQueue::begin() {
  check(!busy() && !empty(), "an idle queue with packets starts to send");
  if (!high_.empty() && !low_.empty()) {
    if (share_ >= kHighShare + kLowShare) share_ = 0;
    const bool high = share_ < kHighShare;
    share_ += high ? kHeader : low_.front().size;
    serving_ = high ? Serving::high : Serving::low;
  } else {
    serving_ = !high_.empty() ? Serving::high : !low_.empty() ? Serving::low : Serving::bulk;
  }
  const auto& queue = serving_ == Serving::high ? high_ : serving_ == Serving::low ? low_ : bulk_;
  return queue.front().size;
}

RotorPacket TorQueue::finish() {
  auto& queue = serving_ == Serving::high ? high_ : serving_ == Serving::low ? low_ : bulk_;
  const RotorPacket packet = queue.front();
  queue.pop_front();
  if (serving_ == Serving::high) high_bytes_ -= packet.size;
  if (serving_ == Serving::low) low_bytes_ -= packet.size;
  serving_ = Serving::nothing;
  return packet;
}

RotorPacket TorQueue::pop_bulk() {
  const RotorPacket packet = bulk_.front();
  bulk_.pop_front();
  return packet;
}

}  // namespace overture::network::rotor
