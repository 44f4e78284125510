#include "overture/network/rotor/rotor_faults.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/hash.h"
#include "overture/base/random.h"
#include "overture/base/text.h"

namespace overture::network::rotor {
namespace {

constexpr std::int64_t kForGood = std::numeric_limits<std::int64_t>::max();

[[noreturn]] void fail(const std::string& key, const std::string& what, const std::string& hint) {
  throw UserError({.key = "faults." + key}, what, hint);
}

// The number of "tor3" after "tor"; -1 if it is something else.
int number_after(const std::string& name, std::string_view word) {
  if (!name.starts_with(word)) return -1;
  return parse_number<int>(std::string_view(name).substr(word.size())).value_or(-1);
}

}  // namespace

RotorFaults::RotorFaults(const Faults& faults, const topology::Opera& opera)
    : opera_(opera), detection_(faults.detection.value_or(2 * opera.cycle()).count()) {
  const std::size_t parts = uplink_at(opera.tors(), 0);
  down_.resize(parts);
  losing_.resize(parts);
  RandomStream seeds = RandomStreams(faults.seed.value_or(1)).make("losses");
  for (std::size_t i = 0; i < parts; ++i) streams_.push_back(seeds());
  rotor_of_pair_.resize(pair(opera.tors(), 0));
  for (int slice = 0; slice < opera.slices(); ++slice) {
    const int rotor = opera.fresh_rotor(slice);
    for (int tor = 0; tor < opera.tors(); ++tor)
      rotor_of_pair_[pair(tor, opera.peer(slice, tor, rotor))] = rotor;
  }
  add_links(faults);
  add_switches(faults);
  for (std::size_t i = 0; i < faults.nodes.size(); ++i) {
    const std::vector<int> nodes = nodes_of(faults, i, opera.hosts());
    if (!faults.nodes[i].dies) continue;
    for (const int node : nodes) add(host_at(node), faults.nodes[i]);
  }
  note_changes();
}

void RotorFaults::add(Part part, const FaultTime& time) {
  ++parts_;
  down_[part].push_back({time.from.count(), time.until ? time.until->count() : kForGood});
}

void RotorFaults::add_links(const Faults& faults) {
  for (std::size_t i = 0; i < faults.links.size(); ++i) {
    const LinkFault& fault = faults.links[i];
    std::vector<Part> cables;
    if (!fault.between.empty()) {
      cables.push_back(link_named(fault.between, fmt::format("links.{}.between", i)));
    } else {
      if (!fault.tier.empty() && fault.tier != "rotor")
        fail(fmt::format("links.{}.tier", i), fmt::format("there is no tier \"{}\"", fault.tier),
             "the cables between ToRs and rotors are drawn from; leave it out");
      for (const int uplink : draw_some(faults, fmt::format("faulty links {}", i), fault.share,
                                        opera_.tors() * opera_.uplinks()))
        cables.push_back(uplink_at(0, 0) + static_cast<Part>(uplink));
    }
    for (const Part cable : cables) {
      if (fault.loss == 0 && fault.bit_errors == 0) {
        add(cable, fault);
        continue;
      }
      ++parts_;
      losing_[cable].push_back({.window = {fault.from.count(), fault.until ? fault.until->count() : kForGood},
                                .loss = fault.loss,
                                .bit_errors = fault.bit_errors});
    }
  }
}

// A share is drawn of all switches: ToRs and rotors.
void RotorFaults::add_switches(const Faults& faults) {
  for (std::size_t i = 0; i < faults.switches.size(); ++i) {
    const SwitchFault& fault = faults.switches[i];
    if (!fault.name.empty()) {
      add(part_named(fault.name, fmt::format("switches.{}.switch", i)), fault);
      continue;
    }
    for (const int number : draw_some(faults, fmt::format("faulty switches {}", i), fault.share,
                                      opera_.tors() + opera_.uplinks()))
      add(tor_at(0) + static_cast<Part>(number), fault);
  }
}

RotorFaults::Part RotorFaults::part_named(const std::string& name, const std::string& key) const {
  if (const int tor = number_after(name, "tor"); tor >= 0 && tor < opera_.tors()) return tor_at(tor);
  if (const int rotor = number_after(name, "rotor"); rotor >= 0 && rotor < opera_.uplinks())
    return rotor_at(rotor);
  fail(key, fmt::format("there is no \"{}\" in the network", name),
       fmt::format("ToRs are tor0 to tor{}, rotors rotor0 to rotor{}", opera_.tors() - 1,
                   opera_.uplinks() - 1));
}

// A cable of a ToR: to a rotor, or to a host, which then is cut off as if it were dead.
RotorFaults::Part RotorFaults::link_named(const std::string& between, const std::string& key) const {
  const std::size_t dash = between.find('-');
  std::string ends[2] = {between.substr(0, dash), dash == std::string::npos ? "" : between.substr(dash + 1)};
  if (number_after(ends[0], "tor") < 0) std::swap(ends[0], ends[1]);
  const int tor = number_after(ends[0], "tor");
  const int rotor = number_after(ends[1], "rotor");
  const int host = number_after(ends[1], "h");
  if (tor >= 0 && tor < opera_.tors() && rotor >= 0 && rotor < opera_.uplinks()) return uplink_at(tor, rotor);
  if (host >= 0 && host < opera_.hosts() && opera_.tor_of(host) == tor) return host_at(host);
  fail(key, fmt::format("no cable \"{}\" in the network", between),
       fmt::format("write tor0-rotor0 to tor{}-rotor{}, or a host and its ToR, such as h0-tor0",
                   opera_.tors() - 1, opera_.uplinks() - 1));
}

void RotorFaults::note_changes() {
  for (const auto& windows : down_) {
    for (const Window& window : windows) {
      if (window.from > 0) changes_.push_back(window.from + detection_);
      if (window.until != kForGood) changes_.push_back(window.until + detection_);
    }
  }
  std::ranges::sort(changes_);
  changes_.erase(std::unique(changes_.begin(), changes_.end()), changes_.end());
  settled_ = changes_.empty() ? 0 : changes_.back();
  look(0, known_up_, open_);
  look(settled_, last_up_, last_open_);
}

bool RotorFaults::was_down(Part part, std::int64_t first, std::int64_t last) const {
  return std::ranges::any_of(
      down_[part], [&](const Window& window) { return window.from <= last && first < window.until; });
}

bool RotorFaults::survives(Part uplink, std::int64_t when, std::int64_t size) {
  const auto drawn = [&] {
    return static_cast<double>(split_mix(streams_[uplink] += kGoldenStep) >> 11) * 0x1.0p-53;
  };
  for (const Losing& rule : losing_[uplink]) {
    if (when < rule.window.from || when >= rule.window.until) continue;
    if (rule.loss > 0 && drawn() < rule.loss) return false;
    if (rule.bit_errors == 0) continue;
    const double intact = std::exp(8 * static_cast<double>(size) * std::log1p(-rule.bit_errors));
    if (drawn() < intact) continue;
    ++counts_.corrupted;
    return false;
  }
  return true;
}

bool RotorFaults::passes(const Trip& trip) {
  const bool through = gets_through(trip);
  counts_.lost += through ? 0 : 1;
  return through;
}

bool RotorFaults::gets_through(const Trip& trip) {
  const int from = trip.from >= 0 ? opera_.tor_of(trip.from) : trip.from_tor;
  const int to = trip.to >= 0 ? opera_.tor_of(trip.to) : trip.to_tor;
  const auto up = [&](Part part) { return !was_down(part, trip.left, trip.landed); };
  if (trip.from >= 0 && !up(host_at(trip.from))) return false;
  if (trip.to >= 0 && !up(host_at(trip.to))) return false;
  if (!up(tor_at(from)) || !up(tor_at(to))) return false;
  if (trip.rotor < 0) return true;
  const Part uplink = uplink_at(from, trip.rotor);
  const Part downlink = uplink_at(to, trip.rotor);
  return up(rotor_at(trip.rotor)) && up(uplink) && up(downlink) && survives(uplink, trip.left, trip.size) &&
         survives(downlink, trip.landed, trip.size);
}

// What is down as the run begins is known from the start.
void RotorFaults::look(std::int64_t now, std::vector<bool>& up, std::vector<bool>& open) const {
  up.assign(down_.size(), true);
  for (Part part = 0; part < down_.size(); ++part) {
    for (const Window& window : down_[part]) {
      const std::int64_t from = window.from == 0 ? 0 : window.from + detection_;
      const std::int64_t until = window.until == kForGood ? kForGood : window.until + detection_;
      if (from <= now && now < until) up[part] = false;
    }
  }
  open.assign(rotor_of_pair_.size(), true);
  for (int from = 0; from < opera_.tors(); ++from) {
    for (int to = 0; to < opera_.tors(); ++to) {
      const int rotor = rotor_of_pair_[pair(from, to)];
      bool works = up[tor_at(from)] && up[tor_at(to)];
      if (from != to)
        works = works && up[rotor_at(rotor)] && up[uplink_at(from, rotor)] && up[uplink_at(to, rotor)];
      open[pair(from, to)] = works;
    }
  }
}

bool RotorFaults::is_uplink_known_up(int tor, int rotor) const {
  return known_up_[tor_at(tor)] && known_up_[rotor_at(rotor)] && known_up_[uplink_at(tor, rotor)];
}

bool RotorFaults::stays_up(int tor, int rotor) const {
  return last_up_[tor_at(tor)] && last_up_[rotor_at(rotor)] && last_up_[uplink_at(tor, rotor)];
}

bool RotorFaults::update(std::int64_t now) {
  if (next_change_ == changes_.size() || changes_[next_change_] > now) return false;
  while (next_change_ < changes_.size() && changes_[next_change_] <= now) ++next_change_;
  look(now, known_up_, open_);
  return true;
}

// Directly, or over a third rack.
bool RotorFaults::cut_off(int from, int to) {
  if (!last_up_[host_at(from)] || !last_up_[host_at(to)]) return true;
  const int a = opera_.tor_of(from);
  const int b = opera_.tor_of(to);
  if (last_open_[pair(a, b)]) return false;
  for (int tor = 0; tor < opera_.tors() && a != b; ++tor) {
    if (last_open_[pair(a, tor)] && last_open_[pair(tor, b)]) return false;
  }
  return true;
}

std::string RotorFaults::reason(int from, int to) {
  for (const int host : {from, to}) {
    if (!last_up_[host_at(host)]) return fmt::format("h{} is cut off forever", host);
    if (const int tor = opera_.tor_of(host); !last_up_[tor_at(tor)])
      return fmt::format("tor{} is down forever", tor);
  }
  return fmt::format("no circuits are left from tor{} to tor{}, nor over a third rack", opera_.tor_of(from),
                     opera_.tor_of(to));
}

void add_counters(const RotorFaults& faults, NetworkRecord& record) {
  record.counters.insert(record.counters.end(), {{"faults", static_cast<std::uint64_t>(faults.parts())},
                                                 {"lost_packets", faults.counts().lost},
                                                 {"corrupted_packets", faults.counts().corrupted},
                                                 {"reroutes", faults.counts().reroutes}});
}

}  // namespace overture::network::rotor
