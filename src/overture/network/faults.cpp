#include "overture/network/faults.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/random.h"

namespace overture::network {
namespace {

// What still leaves room to add times up.
constexpr Duration kLatest = std::chrono::seconds(1'000'000);

[[noreturn]] void fail(const std::string& key, const std::string& what, const std::string& hint = {}) {
  throw UserError({.key = "faults." + key}, what, hint);
}

std::string item(const char* list, std::size_t i, const char* key = "") {
  return fmt::format("{}.{}{}{}", list, i, *key == '\0' ? "" : ".", key);
}

void require_times(const FaultTime& time, const std::string& key) {
  if (time.from < Duration{}) fail(key + ".from", "is negative");
  if (time.from > kLatest) fail(key + ".from", "is too late", "use at most 1000000 s");
  if (!time.until) return;
  if (*time.until <= time.from)
    fail(key + ".until", "is not after `from`", "leave it out for a permanent fault");
  if (*time.until > kLatest) fail(key + ".until", "is too late", "leave it out for a permanent fault");
}

void require_share(double share, const std::string& key) {
  if (!(share >= 0 && share <= 1)) fail(key, fmt::format("{} is not from 0 to 1", share));
}

void require_rate(double rate, const std::string& key) {
  if (!(rate >= 0 && rate < 1))
    fail(key, fmt::format("{} is not at least 0 and below 1", rate),
         "for a link that loses everything, leave `loss` out");
}

// Named, or drawn: one of the two.
void require_choice(bool named, double share, const std::string& key, const char* name) {
  require_share(share, key + ".share");
  if (named == (share > 0))
    fail(key, fmt::format("needs either `{}` or a `share` above 0", name), "the share is drawn by the seed");
}

void require_sound(const NodeFault& node, const std::string& key) {
  require_choice(node.node.has_value(), node.share, key, "node");
  require_share(node.chance, key + ".chance");
  constexpr double kMostSlowdown = 1e6;
  constexpr double kMostSpread = 3;
  if (!(node.slowdown >= 1 && node.slowdown <= kMostSlowdown))
    fail(key + ".slowdown", fmt::format("{} is not from 1 to 1e6", node.slowdown),
         "2 means that computing takes twice as long");
  if (!(node.spread >= 0 && node.spread <= kMostSpread))
    fail(key + ".spread", fmt::format("{} is not from 0 to 3", node.spread));
  if (!node.dies && node.slowdown == 1 && node.spread == 0)
    fail(key, "changes nothing", "give a slowdown, a spread, or dies: true");
}

}  // namespace

bool Faults::touch_network() const {
  return !links.empty() || !switches.empty() || std::ranges::any_of(nodes, &NodeFault::dies);
}

void require_sound(const Faults& faults) {
  if (faults.detection && (*faults.detection < Duration{} || *faults.detection > kLatest))
    fail("detection", "is not from 0 to 1000000 s");
  for (std::size_t i = 0; i < faults.links.size(); ++i) {
    const LinkFault& link = faults.links[i];
    require_times(link, item("links", i));
    require_choice(!link.between.empty(), link.share, item("links", i), "between");
    require_rate(link.loss, item("links", i, "loss"));
    require_rate(link.bit_errors, item("links", i, "bit_errors"));
  }
  for (std::size_t i = 0; i < faults.switches.size(); ++i) {
    require_times(faults.switches[i], item("switches", i));
    require_choice(!faults.switches[i].name.empty(), faults.switches[i].share, item("switches", i), "switch");
  }
  for (std::size_t i = 0; i < faults.nodes.size(); ++i) {
    require_times(faults.nodes[i], item("nodes", i));
    require_sound(faults.nodes[i], item("nodes", i));
  }
}

void refuse_network_faults(const Faults& faults, const std::string& backend) {
  if (!faults.touch_network()) return;
  const char* key = !faults.links.empty() ? "links" : !faults.switches.empty() ? "switches" : "nodes";
  throw UserError({.key = fmt::format("faults.{}", key)},
                  fmt::format("{} has no links that could fail", backend),
                  "use network.backend: packet or flow, or rotor for topology.opera; "
                  "slower nodes work on every backend");
}

std::vector<int> draw_some(const Faults& faults, std::string_view name, double share, int all) {
  std::vector<int> numbers(static_cast<std::size_t>(all));
  std::iota(numbers.begin(), numbers.end(), 0);
  const auto count = static_cast<std::size_t>(std::llround(share * all));
  RandomStream stream = RandomStreams(faults.seed.value_or(1)).make(name);
  for (std::size_t i = 0; i < count; ++i)
    std::swap(numbers[i], numbers[i + stream.below(numbers.size() - i)]);
  numbers.resize(count);
  std::ranges::sort(numbers);
  return numbers;
}

std::vector<int> nodes_of(const Faults& faults, std::size_t i, int nodes) {
  const NodeFault& fault = faults.nodes[i];
  if (!fault.node) return draw_some(faults, fmt::format("faulty nodes {}", i), fault.share, nodes);
  if (*fault.node < 0 || *fault.node >= nodes)
    fail(item("nodes", i, "node"), fmt::format("there is no node {}", *fault.node),
         fmt::format("nodes are 0 to {}", nodes - 1));
  return {*fault.node};
}

LinkFaults::LinkFaults(const Faults& faults, const topology::Graph& graph)
    : graph_(graph),
      detection_(faults.detection.value_or(kDetection)),
      seed_(faults.seed.value_or(1)),
      down_(graph.links().size()),
      losing_(graph.links().size()) {
  for (std::size_t i = 0; i < faults.links.size(); ++i) add(faults.links[i], i, faults);
  for (std::size_t i = 0; i < faults.switches.size(); ++i) add(faults.switches[i], i, faults);
  for (std::size_t i = 0; i < faults.nodes.size(); ++i) {
    const NodeFault& fault = faults.nodes[i];
    const std::vector<int> nodes = nodes_of(faults, i, graph.hosts());
    if (!fault.dies) continue;
    for (const int node : nodes)
      cut(node, {Time{fault.from}, fault.until ? Time{*fault.until} : Time::max()});
  }
  note_changes();
}

void LinkFaults::note_changes() {
  for (const auto& windows : down_) {
    for (const Window& window : windows) {
      const Window known = window.known(detection_);
      changes_.push_back(window.from);
      if (window.until != Time::max()) changes_.push_back(window.until);
      if (known.from != Time{}) route_changes_.push_back(known.from);
      if (known.until != Time::max()) route_changes_.push_back(known.until);
    }
  }
  for (const auto& rules : losing_) {
    for (const Losing& rule : rules) {
      changes_.push_back(rule.window.from);
      if (rule.window.until != Time::max()) changes_.push_back(rule.window.until);
    }
  }
  for (std::vector<Time>* times : {&changes_, &route_changes_}) {
    std::ranges::sort(*times);
    times->erase(std::unique(times->begin(), times->end()), times->end());
  }
}

Time LinkFaults::next_change(Time after) const {
  const auto next = std::ranges::upper_bound(changes_, after);
  return next == changes_.end() ? Time::max() : *next;
}

int LinkFaults::node_named(const std::string& name, const std::string& key) const {
  for (int node = 0; node < graph_.nodes(); ++node) {
    if (node_name(graph_, node) == name) return node;
  }
  fail(key, fmt::format("there is no \"{}\" in the network", name),
       fmt::format("hosts are h0 to h{}, switches s0 to s{}", graph_.hosts() - 1,
                   std::max(graph_.nodes() - graph_.hosts() - 1, 0)));
}

int LinkFaults::cable_between(const std::string& ends, const std::string& key) const {
  const std::size_t dash = ends.find('-');
  if (dash == std::string::npos) fail(key, fmt::format("\"{}\" does not name two ends", ends), "write h0-s0");
  const int from = node_named(ends.substr(0, dash), key);
  const int to = node_named(ends.substr(dash + 1), key);
  for (int port = 0; port < graph_.ports(from); ++port) {
    if (graph_.link(from, port).to == to) return graph_.first_link(from) + port;
  }
  std::string peers;
  for (const topology::Link& link : graph_.links_of(from))
    peers += (peers.empty() ? "" : ", ") + node_name(graph_, link.to);
  fail(key, fmt::format("no link leads from {} to {}", ends.substr(0, dash), ends.substr(dash + 1)),
       fmt::format("{} has links to {}", ends.substr(0, dash), peers));
}

int LinkFaults::reverse(int id) const {
  const topology::Link& link = graph_.links()[static_cast<std::size_t>(id)];
  for (int port = 0; port < graph_.ports(link.to); ++port) {
    if (graph_.link(link.to, port).to == link.from) return graph_.first_link(link.to) + port;
  }
  return id;
}

std::vector<int> LinkFaults::cables_of(const LinkFault& fault, std::size_t number,
                                       const Faults& faults) const {
  if (!fault.between.empty()) return {cable_between(fault.between, item("links", number, "between"))};
  const auto tier = std::ranges::find(graph_.tiers(), fault.tier);
  if (!fault.tier.empty() && tier == graph_.tiers().end())
    fail(item("links", number, "tier"), fmt::format("there is no tier \"{}\"", fault.tier),
         fmt::format("tiers are {}", fmt::join(graph_.tiers(), ", ")));
  std::vector<int> cables;
  for (int id = 0; id < static_cast<int>(graph_.links().size()); ++id) {
    const topology::Link& link = graph_.links()[static_cast<std::size_t>(id)];
    if (reverse(id) < id) continue;
    const bool wanted = fault.tier.empty() ? !graph_.is_host(link.from) && !graph_.is_host(link.to)
                                           : link.wire.tier == tier - graph_.tiers().begin();
    if (wanted) cables.push_back(id);
  }
  std::vector<int> drawn;
  for (const int i : draw_some(faults, fmt::format("faulty links {}", number), fault.share,
                               static_cast<int>(cables.size())))
    drawn.push_back(cables[static_cast<std::size_t>(i)]);
  return drawn;
}

void LinkFaults::add(const LinkFault& fault, std::size_t number, const Faults& faults) {
  for (const int id : cables_of(fault, number, faults)) {
    ++parts_;
    cut_cable(id, fault);
    if (reverse(id) != id) cut_cable(reverse(id), fault);
  }
}

void LinkFaults::cut_cable(int id, const LinkFault& fault) {
  const Window window{Time{fault.from}, fault.until ? Time{*fault.until} : Time::max()};
  if (fault.loss == 0 && fault.bit_errors == 0) {
    down_[static_cast<std::size_t>(id)].push_back(window);
  } else {
    losing_[static_cast<std::size_t>(id)].push_back(
        {.window = window, .loss = fault.loss, .bit_errors = fault.bit_errors});
  }
}

void LinkFaults::add(const SwitchFault& fault, std::size_t number, const Faults& faults) {
  const Window window{Time{fault.from}, fault.until ? Time{*fault.until} : Time::max()};
  if (!fault.name.empty()) {
    const std::string key = item("switches", number, "switch");
    const int node = node_named(fault.name, key);
    if (graph_.is_host(node)) fail(key, fmt::format("{} is a host", fault.name), "see faults.nodes[].dies");
    return cut(node, window);
  }
  const int switches = graph_.nodes() - graph_.hosts();
  for (const int i : draw_some(faults, fmt::format("faulty switches {}", number), fault.share, switches))
    cut(graph_.hosts() + i, window);
}

void LinkFaults::cut(int node, const Window& window) {
  ++parts_;
  for (std::size_t id = 0; id < graph_.links().size(); ++id) {
    const topology::Link& link = graph_.links()[id];
    if (link.from == node || link.to == node) down_[id].push_back(window);
  }
}

bool LinkFaults::was_down(int link, Time first, Time last) const {
  return std::ranges::any_of(down_[static_cast<std::size_t>(link)], [&](const Window& window) {
    return window.from <= last && first < window.until;
  });
}

std::vector<bool> LinkFaults::down_at(Time when) const {
  std::vector<bool> down(down_.size());
  for (std::size_t id = 0; id < down_.size(); ++id) down[id] = is_down(static_cast<int>(id), when);
  return down;
}

std::vector<bool> LinkFaults::known_down_at(Time when) const {
  std::vector<bool> down(down_.size());
  for (std::size_t id = 0; id < down_.size(); ++id) {
    down[id] = std::ranges::any_of(
        down_[id], [&](const Window& window) { return window.known(detection_).holds(when); });
  }
  return down;
}

double LinkFaults::loss(int link, Time when) const {
  double arrives = 1;
  for (const Losing& rule : losing_[static_cast<std::size_t>(link)]) {
    if (rule.window.holds(when)) arrives *= 1 - rule.loss;
  }
  return 1 - arrives;
}

double LinkFaults::corruption(int link, Time when, Bytes size) const {
  double intact = 0;  // its logarithm
  for (const Losing& rule : losing_[static_cast<std::size_t>(link)]) {
    if (rule.window.holds(when))
      intact += 8 * static_cast<double>(size.count()) * std::log1p(-rule.bit_errors);
  }
  return -std::expm1(intact);
}

}  // namespace overture::network
