#include "overture/network/rotor/bulk_engine.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "overture/base/check.h"
#include "overture/base/error.h"
#include "overture/base/hash.h"
#include "overture/network/rotor/bulk_faults.h"

namespace overture::network::rotor {

BulkEngine::BulkEngine(const topology::Opera& opera, const RotorConfig& config)
    : opera_(opera),
      config_(config),
      queues_(opera.hosts()),
      scheduler_(opera, config, queues_),
      turns_(turns_per_slot(opera, config)),
      packet_time_(transfer_time(config.packet, config.rate).count()),
      slice_time_(opera.timing().slice().count()),
      committer_(opera.slot(), Duration{packet_time_} * opera.uplinks(), turns_, queues_) {
  require_sound(config, opera);
  if (opera.uplinks() > 32) throw UserError("a rotor network has at most 32 rotors");
  const auto hosts = static_cast<std::size_t>(opera.hosts());
  nics_.resize(hosts);
  for (NicClock& nic : nics_) nic.last_turn = -1;
  uplink_free_.assign(static_cast<std::size_t>(opera.tors()) * static_cast<std::size_t>(opera.uplinks()), 0);
  downlinks_.resize(hosts);
  for (Downlink& link : downlinks_) link.streams.resize(2 * static_cast<std::size_t>(opera.uplinks()));
  senders_.resize(static_cast<std::size_t>(opera.hosts_per_tor()));
}

std::uint32_t BulkEngine::post(int from, int to, std::int64_t bytes) {
  const std::uint32_t id = queues_.add(from, to, packets_of(bytes, config_));
  if (id >= bytes_.size()) bytes_.resize(id + 1);
  bytes_[id] = bytes;
  ++outstanding_;
  return id;
}

void BulkEngine::play(std::int64_t slice) {
  ++counts_.slices;
  const auto number = static_cast<int>(slice % opera_.slices());
  const std::int64_t start = slice * slice_time_;
  if (load_ != nullptr) note_waiting(start);
  if (faults_ != nullptr) follow_faults(start);
  scheduler_.plan(number);
  for (int tor = 0; tor < opera_.tors(); ++tor) send_rack(tor, opera_.fresh_rotor(number), start);
  const std::int64_t end = start + slice_time_;
  for (int host = 0; host < opera_.hosts(); ++host) {
    if (downlinks_[static_cast<std::size_t>(host)].busy != 0) deliver(host, end);
  }
  give_back(end);
}

// A NIC that has anything to send takes turns of the rotors, one packet time each, whether or not there is a
// packet for the rotor whose turn it is. One that stood still starts with the fresh rotor.
std::int64_t BulkEngine::first_turn(NicClock& nic, int rotor, std::int64_t start) const {
  const int rotors = opera_.uplinks();
  if (nic.last_turn < start) {
    nic.tick = start + packet_time_;
    nic.rotor = rotor;
  } else {
    const std::int64_t passed = (start - nic.tick + packet_time_ - 1) / packet_time_;
    nic.tick += passed * packet_time_;
    nic.rotor = static_cast<int>((nic.rotor + passed) % rotors);
  }
  const std::int64_t first = nic.tick + (rotor - nic.rotor + rotors) % rotors * packet_time_;
  nic.last_turn = std::max(nic.last_turn, first + std::int64_t{turns_ - 1} * rotors * packet_time_);
  return first;
}

void BulkEngine::send_rack(int tor, int rotor, std::int64_t start) {
  order_.clear();
  runs_.clear();
  for (int i = 0; i < opera_.hosts_per_tor(); ++i) {
    Sender& sender = senders_[static_cast<std::size_t>(i)];
    const int host = tor * opera_.hosts_per_tor() + i;
    const auto allocations = scheduler_.of(host);
    if (allocations.empty()) continue;
    sender.host = host;
    sender.next = 0;
    sender.packets.clear();
    sender.first_turn = first_turn(nics_[static_cast<std::size_t>(host)], rotor, start);
    sender.first_run = static_cast<std::uint32_t>(runs_.size());
    runs_.resize(runs_.size() + committer_.commit(host, allocations, sender.packets));
    order_.push_back(&sender);
  }
  // All hosts' turns for this rotor come once in a round of rotors, so they interleave in one fixed order.
  std::ranges::sort(order_, {}, [](const Sender* s) { return std::pair(s->first_turn, s->host); });
  const std::int64_t dark_at = start + opera_.slot().count() + opera_.timing().drain.count();
  for (int turn = 0; turn < turns_ && !order_.empty(); ++turn) {
    for (Sender* const sender : order_) {
      if (sender->next == sender->packets.size() || sender->packets[sender->next].turn != turn) continue;
      up(tor, rotor, *sender, sender->packets[sender->next++], dark_at);
    }
  }
  count_runs();
}

// The packet is at its ToR. Over the uplink and the wire; what leaves or lands when the rotor is dark goes
// back to its host.
void BulkEngine::up(int tor, int rotor, const Sender& sender, const Committed& packet, std::int64_t dark_at) {
  const std::int64_t when = sender.first_turn + packet.turn * packet_time_ * opera_.uplinks();
  Run& run = runs_[sender.first_run + packet.run];
  if (opera_.tor_of(packet.via) == tor) {
    ++counts_.bulk_in_rack;
    if (load_ != nullptr) load_->carry(links_.from_host(sender.host), when, config_.packet.count());
    if (faults_ != nullptr && loses(sender, packet, -1, when, when)) return;
    return arrive(packet.via, opera_.uplinks() + rotor, when, packet, run);
  }
  std::int64_t& free_at = uplink_free_[static_cast<std::size_t>(tor * opera_.uplinks() + rotor)];
  // In the dark, one packet time finds all that wait out of date at once.
  const std::int64_t left = free_at >= dark_at ? free_at : std::max(free_at, when) + packet_time_;
  free_at = left;
  const std::int64_t landed = left + config_.wire.count();
  if (load_ != nullptr && left < dark_at) note_up(tor, rotor, sender, packet, when, left, landed < dark_at);
  if (faults_ != nullptr && landed < dark_at && loses(sender, packet, rotor, left, landed)) return;
  if (landed < dark_at) return arrive(packet.via, rotor, landed, packet, run);
  ++counts_.bulk_returned;
  returns_.push_back(
      {.when = left >= dark_at ? left : landed, .message = packet.message, .host = sender.host});
}

// What waits at the hosts for circuits, as the slice begins.
void BulkEngine::note_waiting(std::int64_t start) {
  for (int host = 0; host < opera_.hosts(); ++host) {
    const std::int64_t packets = queues_.waiting(host);
    if (packets > 0) load_->queue(links_.from_host(host), start, packets * config_.packet.count());
  }
}

void BulkEngine::note_up(int tor, int rotor, const Sender& sender, const Committed& packet, std::int64_t when,
                         std::int64_t left, bool lands) {
  const std::int64_t size = config_.packet.count();
  load_->carry(links_.from_host(sender.host), when, size);
  load_->carry(links_.to_rotor(tor, rotor), left, size);
  load_->queue(links_.to_rotor(tor, rotor), when, bytes_before(left - when - packet_time_));
  if (lands)
    load_->carry(links_.from_rotor(rotor, opera_.tor_of(packet.via)), left + config_.wire.count(), size);
}

void BulkEngine::arrive(int host, int stream, std::int64_t when, const Committed& packet, Run& run) {
  Downlink& link = downlinks_[static_cast<std::size_t>(host)];
  auto& arrivals = link.streams[static_cast<std::size_t>(stream)].arrivals;
  if (run.packets++ == 0) {
    run.host = host;
    run.stream = stream;
    link.busy |= std::uint64_t{1} << stream;
  }
  // A relayed packet may leave again as soon as the next slice, so each counts when it comes.
  run.last = arrivals.size();
  arrivals.push_back({.when = when, .message = packet.message, .packets = packet.relayed ? 1U : 0U});
}

void BulkEngine::count_runs() {
  for (const Run& run : runs_) {
    if (run.packets == 0) continue;
    Stream& stream =
        downlinks_[static_cast<std::size_t>(run.host)].streams[static_cast<std::size_t>(run.stream)];
    Arrival& last = stream.arrivals[run.last];
    if (last.packets == 0) last.packets = run.packets;
  }
}

// The downlink serves its streams in the order of arrival, the first stream first.
void BulkEngine::deliver(int host, std::int64_t until) {
  Downlink& link = downlinks_[static_cast<std::size_t>(host)];
  heads_.clear();
  for (std::uint64_t left = link.busy; left != 0; left &= left - 1) {
    const int i = std::countr_zero(left);
    const Stream& stream = link.streams[static_cast<std::size_t>(i)];
    const Arrival* const arrivals = stream.arrivals.data();
    heads_.push_back({.next = arrivals + stream.next, .end = arrivals + stream.arrivals.size(), .stream = i});
  }
  std::int64_t free_at = link.free_at;
  for (;;) {
    Head* first = nullptr;
    std::int64_t when = until;
    for (Head& head : heads_) {
      if (head.next == head.end || head.next->when >= when) continue;
      when = head.next->when;
      first = &head;
    }
    const std::int64_t done = std::max(free_at, when) + packet_time_;
    if (first == nullptr || done >= until) break;
    free_at = done;
    const Arrival& arrival = *first->next++;
    if (load_ != nullptr) {
      const int down = links_.to_host(host);
      load_->carry(down, done, config_.packet.count());
      load_->queue(down, arrival.when, bytes_before(done - arrival.when - packet_time_));
    }
    if (arrival.packets > 0) receive(host, arrival, done);
  }
  link.free_at = free_at;
  for (const Head& head : heads_) {
    Stream& stream = link.streams[static_cast<std::size_t>(head.stream)];
    stream.next = static_cast<std::size_t>(head.next - stream.arrivals.data());
    if (head.next != head.end) continue;
    stream.arrivals.clear();
    stream.next = 0;
    link.busy &= ~(std::uint64_t{1} << head.stream);
  }
}

void BulkEngine::receive(int host, const Arrival& arrival, std::int64_t when) {
  digest_ = digest_step(digest_ ^ static_cast<std::uint64_t>(when) ^ (std::uint64_t{arrival.message} << 40));
  BulkMessage& m = queues_.message(arrival.message);
  if (m.to != host) {
    ++counts_.bulk_relayed;
    return park(host, arrival.message);
  }
  counts_.bulk_delivered += arrival.packets;
  m.packets_left -= arrival.packets;
  if (m.packets_left > 0) return;
  finished_.push_back({.message = arrival.message, .when = when});
  counts_.delivered += Bytes{bytes_[arrival.message]};
  queues_.remove(arrival.message);
  --outstanding_;
}

void BulkEngine::give_back(std::int64_t until) {
  if (returns_.empty()) return;
  std::ranges::stable_sort(returns_, {}, &Return::when);
  const auto later = std::ranges::find_if(returns_, [&](const Return& r) { return r.when >= until; });
  for (auto r = returns_.begin(); r != later; ++r) {
    queues_.give_back(r->host, r->message);
    if (faults_ != nullptr)
      pass_on_or_return(*faults_, opera_, queues_, r->host, queues_.message(r->message).to);
  }
  returns_.erase(returns_.begin(), later);
}

RotorStatistics BulkEngine::statistics() const {
  RotorStatistics statistics = counts_;
  statistics.memory = queues_.memory();
  for (const Downlink& link : downlinks_) {
    for (const Stream& stream : link.streams)
      statistics.memory += stream.arrivals.capacity() * sizeof(Arrival);
  }
  return statistics;
}

}  // namespace overture::network::rotor
