#include "overture/network/rotor/bulk_queues.h"

#include <algorithm>
#include <limits>

#include "overture/base/check.h"
#include "overture/base/error.h"

namespace overture::network::rotor {

BulkQueues::BulkQueues(int hosts) : hosts_(hosts) {
  const std::size_t pairs = static_cast<std::size_t>(hosts) * static_cast<std::size_t>(hosts);
  for (Queues* queues : {&own_, &relayed_}) {
    queues->counts.assign(pairs, 0);
    queues->lists.resize(pairs);
  }
  place_.resize(pairs);
  destinations_.resize(static_cast<std::size_t>(hosts));
  waiting_.assign(static_cast<std::size_t>(hosts), 0);
}

std::uint32_t BulkQueues::add(int from, int to, std::int64_t packets) {
  const std::uint32_t id = messages_.keep({.from = from, .to = to, .packets_left = packets});
  push_back(Waiting::own, from, to, id, packets);
  return id;
}

void BulkQueues::remove(std::uint32_t message) { messages_.give_back(message); }

void BulkQueues::count_in(Waiting kind, int host, int to, std::int64_t packets) {
  const std::size_t at = index(host, to);
  int& count = queues_of(kind).counts[at];
  if (packets > std::numeric_limits<int>::max() - count)
    throw UserError("more than 2^31 packets wait between two hosts",
                    "send smaller messages, or larger packets");
  if (kind == Waiting::own && count == 0) {
    auto& list = destinations_[static_cast<std::size_t>(host)];
    place_[at] = static_cast<std::int32_t>(list.size());
    list.push_back(to);
  }
  count += static_cast<int>(packets);
  waiting_[static_cast<std::size_t>(host)] += packets;
}

void BulkQueues::count_out(Waiting kind, int host, int to, int packets) {
  const std::size_t at = index(host, to);
  waiting_[static_cast<std::size_t>(host)] -= packets;
  int& count = queues_of(kind).counts[at];
  count -= packets;
  if (count > 0 || kind == Waiting::relayed) return;
  auto& list = destinations_[static_cast<std::size_t>(host)];
  list[static_cast<std::size_t>(place_[at])] = list.back();
  place_[index(host, list.back())] = place_[at];
  list.pop_back();
}

void BulkQueues::push_back(Waiting kind, int host, int to, std::uint32_t message, std::int64_t packets) {
  count_in(kind, host, to, packets);
  List& list = queues_of(kind).lists[index(host, to)];
  if (list.last != kNone && runs_[list.last].message == message) {
    runs_[list.last].packets += packets;
    return;
  }
  const std::uint32_t run = runs_.keep({.message = message, .next = kNone, .packets = packets});
  (list.last == kNone ? list.first : runs_[list.last].next) = run;
  list.last = run;
}

void BulkQueues::push_front(Waiting kind, int host, int to, std::uint32_t message) {
  count_in(kind, host, to, 1);
  List& list = queues_of(kind).lists[index(host, to)];
  if (list.first != kNone && runs_[list.first].message == message) {
    ++runs_[list.first].packets;
    return;
  }
  const std::uint32_t run = runs_.keep({.message = message, .next = kNone, .packets = 1});
  runs_[run].next = list.first;
  list.first = run;
  if (list.last == kNone) list.last = run;
}

std::uint32_t BulkQueues::pop(Waiting kind, int host, int to) {
  List& list = queues_of(kind).lists[index(host, to)];
  const std::uint32_t id = list.first;
  Run& run = runs_[id];
  const std::uint32_t message = run.message;
  if (--run.packets == 0) {
    list.first = run.next;
    if (list.first == kNone) list.last = kNone;
    runs_.give_back(id);
  }
  count_out(kind, host, to, 1);
  return message;
}

void BulkQueues::take(Waiting kind, int host, int to, int packets, std::vector<Taken>& out) {
  List& list = queues_of(kind).lists[index(host, to)];
  int left = packets;
  while (left > 0 && list.first != kNone) {
    const std::uint32_t id = list.first;
    Run& run = runs_[id];
    const auto taken = static_cast<int>(std::min<std::int64_t>(run.packets, left));
    out.push_back({.message = run.message, .packets = taken});
    left -= taken;
    run.packets -= taken;
    if (run.packets > 0) break;
    list.first = run.next;
    if (list.first == kNone) list.last = kNone;
    runs_.give_back(id);
  }
  if (left < packets) count_out(kind, host, to, packets - left);
}

std::int64_t BulkQueues::return_to_sources(int host, int to) {
  const int packets = counts(Waiting::relayed, host)[static_cast<std::size_t>(to)];
  std::vector<Taken> taken;
  if (packets > 0) take(Waiting::relayed, host, to, packets, taken);
  for (const Taken& run : taken)
    push_back(Waiting::own, messages_[run.message].from, to, run.message, run.packets);
  return packets;
}

std::size_t BulkQueues::memory() const {
  std::size_t bytes = (own_.counts.size() + relayed_.counts.size() + place_.size()) * sizeof(int) +
                      (own_.lists.size() + relayed_.lists.size()) * sizeof(List) + runs_.memory() +
                      messages_.memory();
  for (const auto& list : destinations_) bytes += list.capacity() * sizeof(int);
  return bytes;
}

}  // namespace overture::network::rotor
