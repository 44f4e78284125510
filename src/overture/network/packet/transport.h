// The contract of a transport with the loops, as concepts: what the engine asks of every one, and what the
// fabric that carries its packets calls. The loops are compiled for each transport, so nothing here is a
// virtual call. A class that leaves something out is refused with the line of the concept that it does not
// meet.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "overture/network/packet/packet.h"

namespace overture::network::packet {

// When a transport hands control back: not before the last message is delivered, at every delivery, or never.
enum class Pause : std::uint8_t { when_idle, at_delivery, never };

struct TransportCounts {
  std::uint64_t data_packets = 0;     // sent, retransmissions included
  std::uint64_t retransmissions = 0;  // packets
  std::uint64_t timeouts = 0;
  std::uint64_t recoveries = 0;     // fast retransmits
  std::uint64_t duplicates = 0;     // data packets that arrived with nothing new
  std::uint64_t payload_bytes = 0;  // delivered, every byte once
  std::uint64_t notifications = 0;  // of congestion, sent by receivers
};

struct Completion {
  std::uint32_t message = 0;
  std::int64_t when = 0;  // ps
};

// What every transport keeps of its messages.
class Deliveries {
 public:
  // Messages that are posted and not delivered; of a part, delivered in others.
  std::int64_t outstanding() const { return outstanding_; }
  // Delivered since it was last cleared.
  std::vector<Completion>& completions() { return completions_; }
  const TransportCounts& counts() const { return counts_; }
  bool pause() const { return paused_; }
  void resume() { paused_ = false; }

 protected:
  explicit Deliveries(Pause pause) : pause_(pause) {}
  void posted() { ++outstanding_; }
  void delivered(std::uint32_t message, std::int64_t now) {
    completions_.push_back({.message = message, .when = now});
    --outstanding_;
    if (pause_ == Pause::at_delivery || (pause_ == Pause::when_idle && outstanding_ == 0)) paused_ = true;
  }

  TransportCounts counts_;

 private:
  std::int64_t outstanding_ = 0;
  std::vector<Completion> completions_;
  Pause pause_;
  bool paused_ = false;
};

// Throws UserError, with the largest message that would do, when a transport has no numbers for so many
// packets.
void require_countable(std::int64_t packets, std::int64_t payload, std::int64_t most);

// A flow waits for news until `min` from now, doubled for every timeout in a row, at most `max`; all in ps.
// One timer runs per flow, which looks at the deadline when it comes.
template <class Flow, class Fabric>
void set_deadline(Flow& flow, std::uint32_t id, Fabric& fabric, std::int64_t min, std::int64_t max) {
  std::int64_t timeout = min;
  for (int doubled = 0; doubled < flow.backoff && timeout < max; ++doubled) timeout *= 2;
  flow.deadline = fabric.now() + std::min(timeout, max);
  if (flow.timer_set) return;
  flow.timer_set = true;
  fabric.set_timer(id, flow.deadline);
}

// All times are in picoseconds.
template <class T>
concept TransportContract = requires(T transport, const T& seen, const Packet& packet, std::uint32_t id,
                                     std::int64_t number, std::size_t count) {
  // A message of at least one byte between two hosts, sent at a time that is not past. Gives its index, which
  // is used again once the message is delivered and acknowledged.
  { transport.post(int{}, int{}, number, number) } -> std::same_as<std::uint32_t>;
  // Makes room for that many connections at once.
  transport.reserve(count);
  // Messages that are posted and not delivered.
  { seen.outstanding() } -> std::integral;
  // Messages delivered since the list was last cleared.
  { transport.completions() } -> std::same_as<std::vector<Completion>&>;
  { seen.counts() } -> std::convertible_to<const TransportCounts&>;
  { seen.flows() } -> std::convertible_to<std::size_t>;
  { seen.memory() } -> std::convertible_to<std::size_t>;

  // A packet is at the host where it goes, which destination() knows; a timer that the transport has set is
  // due.
  transport.receive(packet);
  transport.timer(id);
  { seen.destination(packet) } -> std::same_as<int>;
  // A packet will arrive soon: what receive() will look at may be fetched from memory.
  seen.prefetch(packet);
  // Is the loop to stop after this event? Until resume().
  { seen.pause() } -> std::same_as<bool>;
  transport.resume();
};

// On switches with FIFO queues (kTrims is false), or with queues that cut packets to their headers. Then the
// transport also keeps its hosts' data until their links are free, and can tell a packet of a message that is
// gone.
template <class T>
concept FabricTransport = TransportContract<T> && requires {
  { T::kTrims } -> std::convertible_to<bool>;
} &&(!T::kTrims || requires(T transport, const T& seen, const Packet& packet, std::uint32_t link) {
  transport.link_free(link);
  transport.host_timer(int{});
  { seen.stale(packet) } -> std::same_as<bool>;
});

// On lossless switches: it keeps its hosts' data until their links are free.
template <class T>
concept LosslessTransport = TransportContract<T> && requires(T transport, const T& seen, std::uint32_t link) {
  transport.link_free(link);
  seen.prefetch_link(link);
  seen.prefetch_sender(link);
};

// In several parts, one thread each: what parts share, and what they tell each other beside packets.
template <class T>
concept PartedTransport = FabricTransport<T> && requires(T transport, Packet& packet, typename T::Mail mail,
                                                         const std::vector<typename T::Mail*>& boxes) {
  typename T::Shared;
  transport.send_mail_to(boxes);
  transport.pack(packet, mail);
  transport.unpack(packet, mail);
  transport.read(mail);
};

}  // namespace overture::network::packet
