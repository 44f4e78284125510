// What happens to a packet that cannot leave at once: peaks are noted, full queues drop, long ones mark. All
// of it follows from how long the packet would wait, since a FIFO's future is known.
#include <algorithm>
#include <limits>

#include "overture/network/packet/fabric.h"

namespace overture::network::packet {
namespace {

// The wait up to which a queue neither drops nor marks, whatever the packet's size.
std::int64_t first_decision(const FabricLink& link, const LinkMore& more) {
  const std::int64_t largest = serialisation(link, more, std::numeric_limits<std::uint16_t>::max());
  std::int64_t wait = std::numeric_limits<std::int64_t>::max();
  if (more.limit >= 0) wait = serialisation(link, more, more.limit) - largest;
  if (more.mark_above >= 0) wait = std::min(wait, more.mark_above - largest);
  return std::max<std::int64_t>(wait, 0);
}

}  // namespace

bool Fabric::admit(std::uint32_t id, Packet& packet, std::int64_t wait, std::uint32_t from) {
  FabricLink& link = links_[id];
  LinkMore& more = more_[id];
  if (full(id, packet, wait, from)) {
    ++more.drops;
    ++counts_.drops;
    forget(packet);
    return false;
  }
  more.peak = std::max(more.peak, wait);
  if (more.mark_above >= 0) mark(id, packet, wait);
  if (more.pool != kNone) {
    pools_[more.pool].at_most += packet.size;
    return true;  // attention stays: every packet is counted
  }
  link.attention = std::min(more.peak, first_decision(link, more));
  return true;
}

// A packet is gone: what it held of its transport is free again.
void Fabric::forget(const Packet& packet) {
  if (packet.kind != Kind::data && packet.info != kNone) orphans_.push_back(packet.info);
  if ((packet.flags & kTellLoss) != 0) lost_.push_back(packet);
}

bool Fabric::full(std::uint32_t id, const Packet& packet, std::int64_t wait, std::uint32_t from) {
  const LinkMore& more = more_[id];
  if (more.limit >= 0 && bytes_in(more, wait) + packet.size + counted_sending_ > more.limit) {
    if (queued(id, known_since(packet, from)) + packet.size > more.limit) return true;
  }
  return more.pool != kNone && pool_full(pools_[more.pool], packet.size, bytes_in(more, wait));
}

// Since when it is known that a packet arrives now on the link `from`: since it began to leave, as in ns-3,
// or since it had left, as in htsim.
std::int64_t Fabric::known_since(const Packet& packet, std::uint32_t from) const {
  if (from == kNone) return now_;
  return counted_sending_ > 0 ? now_ - links_[from].delay : start_of(packet, links_[from], more_[from]);
}

// Bytes that wait behind the packet being sent, or with it, as one sees them that arrives now. If a packet
// has left just now, the older of the two events comes first, as in ns-3: either the one that arrives, which
// is `known` to do so, or the one that has left.
std::int64_t Fabric::queued(std::uint32_t id, std::int64_t known) {
  FabricLink& link = links_[id];
  const auto has_left = [&](const Packet& packet) {
    const std::int64_t end = packet.arrival - link.delay;
    return end < now_ || (end == now_ && start_of(packet, link, more_[id]) <= known);
  };
  // The packet being sent is the first one that has not left; those before it are on the wire.
  std::uint32_t first = 0;
  for (std::uint32_t count = link.tail - link.head; count > 0;) {
    const std::uint32_t half = count / 2;
    if (has_left(link.at(link.head + first + half))) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  if (link.head + first == link.tail) return 0;
  const Packet& sending = link.at(link.head + first);
  const std::int64_t left = sending.arrival - link.delay;
  const std::int64_t since =
      counted_sending_ > 0 ? left - serialisation(link, more_[id], sending.size) : left;
  return bytes_in(more_[id], link.free_at - since);
}

bool Fabric::pool_full(SharedBuffer& pool, std::int64_t size, std::int64_t in_port) {
  if (pool.takes(size, in_port)) return false;
  pool.at_most = 0;
  for (std::uint32_t id = pool.first_link; id < pool.first_link + pool.links; ++id) {
    const std::int64_t wait = links_[id].free_at - now_;
    if (wait > 0) pool.at_most += bytes_in(more_[id], wait);
  }
  return !pool.takes(size, in_port);
}

void Fabric::mark(std::uint32_t id, Packet& packet, std::int64_t wait) {
  FabricLink& link = links_[id];
  LinkMore& more = more_[id];
  const auto set = [&](Packet& marked) {
    if (marked.kind != Kind::data || (marked.flags & kCongested) != 0) return;
    marked.flags |= kCongested;
    ++more.marks;
    ++counts_.marks;
  };
  if (mark_at_ == MarkAt::enqueue) {
    if (wait > more.mark_above) set(packet);
    return;
  }
  // A packet that leaves later than now will leave more than the threshold behind it (itself included) if the
  // end of the queue, with this packet, is that far from its start. The cursor never goes back.
  const std::int64_t end = now_ + wait + serialisation(link, more, packet.size);
  if (static_cast<std::int32_t>(more.mark_cursor - link.head) < 0) more.mark_cursor = link.head;
  for (; more.mark_cursor != link.tail; ++more.mark_cursor) {
    Packet& other = link.at(more.mark_cursor);
    const std::int64_t left = other.arrival - link.delay;
    if (end - (left - serialisation(link, more, other.size)) <= more.mark_above) break;
    if (left > now_) set(other);
  }
}

// As commit(), and notes what caused it if the packet finds its link free.
void Fabric::commit_with_history(std::uint32_t id, Packet packet, std::int64_t start) {
  FabricLink& link = links_[id];
  const std::int64_t sending = serialisation(link, more_[id], packet.size);
  const bool first = !link.empty() && finds_free(id, link, start);
  link.free_at = start + sending;
  link.bytes += packet.size;
  packet.arrival = link.free_at + link.delay;
  if (link.tail - link.head > link.mask) [[unlikely]]
    grow(id);
  if (link.empty()) {
    calendar_.push_caused(id, packet.arrival, link.delay + sending, calendar_.caused_by(known_for_));
  } else if (first) {
    keep_order(id, link);
  }
  // The mark is changed in its place: a changed packet would have to be in memory before it is copied.
  Packet& place = link.at(link.tail++);
  place = packet;
  if (((packet.flags & kFirst) != 0) != first) place.flags ^= kFirst;
}

// Of the packet that comes next into the ring.
void Fabric::keep_order(std::uint32_t id, const FabricLink& link) {
  std::unique_ptr<std::uint64_t[]>& orders = more_[id].orders;
  if (!orders) orders = std::make_unique<std::uint64_t[]>(link.mask + 1);
  orders[link.tail & link.mask] = calendar_.caused_by(known_for_);
}

void Fabric::grow(std::uint32_t id) {
  FabricLink& link = links_[id];
  const std::uint32_t size = link.mask + 1;
  auto larger = std::make_unique<Packet[]>(std::size_t{2} * size);
  for (std::uint32_t i = link.head; i != link.tail; ++i) larger[i & (2 * size - 1)] = link.at(i);
  if (std::uint64_t* const orders = more_[id].orders.get()) {
    auto more = std::make_unique<std::uint64_t[]>(std::size_t{2} * size);
    for (std::uint32_t i = link.head; i != link.tail; ++i) more[i & (2 * size - 1)] = orders[i & link.mask];
    more_[id].orders = std::move(more);
  }
  more_[id].storage = std::move(larger);
  link.ring = more_[id].storage.get();
  link.mask = 2 * size - 1;
}

}  // namespace overture::network::packet
