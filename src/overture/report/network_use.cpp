#include "overture/report/network_use.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "overture/base/files.h"
#include "overture/network/analytical/shared_links.h"
#include "overture/report/results_folder.h"

namespace overture::report {
namespace {

using network::LinkUse;
using system::CollectiveKind;
using topology::DimensionKind;
using workload::SimulationConfig;
using workload::SimulationResult;

constexpr std::uint64_t kMostSimulated = 8'000'000;  // about a second
constexpr std::int64_t kBins = 200;                  // of time

// How many events a run with all NPUs may have: at most so many times those of the run that was made, in
// which a group is a line of NPUs along one dimension.
std::uint64_t most_events(const SimulationConfig& config, const SimulationResult& result) {
  const auto ranks = static_cast<std::uint64_t>(result.ranks);
  if (result.scope == system::Scope::all) return result.events;
  if (result.scope == system::Scope::rank_0) return result.events * ranks;
  std::uint64_t line = ranks;
  for (const network::DimensionConfig& dimension : config.network.dimensions) {
    if (dimension.size > 1) line = std::min(line, static_cast<std::uint64_t>(dimension.size));
  }
  return result.events * (ranks / line);
}

// Carries everything in no time and counts it.
class CountingNetwork final : public network::Network {
 public:
  CountingNetwork(int ranks, sim::EventQueue& events) : Network(ranks, events) {}

  const std::map<std::pair<std::int32_t, std::int32_t>, Bytes>& sent() const { return sent_; }

 private:
  void carry(const network::Message& message, Action delivered) override {
    sent_[{index(message.from), index(message.to)}] += message.size;
    events().after(Duration{}, delivered);
  }

  std::map<std::pair<std::int32_t, std::int32_t>, Bytes> sent_;
};

// The same run with collectives of this kind alone.
SimulationConfig only(const SimulationConfig& config, CollectiveKind kind) {
  SimulationConfig changed = config;
  changed.scope = system::Scope::all;
  for (workload::Layer& layer : changed.workload.layers) {
    for (workload::Pass* pass : {&layer.forward, &layer.input_gradient, &layer.weight_gradient}) {
      if (pass->communication && pass->communication->kind != kind) pass->communication.reset();
    }
  }
  return changed;
}

std::string traffic_csv(const SimulationConfig& config) {
  std::string text = "from,to,bytes,kind\n";
  for (const CollectiveKind kind : workload::collectives_used(config.workload)) {
    sim::EventQueue events;
    CountingNetwork counter(network::hierarchy(config.network).ranks(), events);
    workload::simulate(only(config, kind), counter, events);
    for (const auto& [pair, bytes] : counter.sent()) {
      text += fmt::format("{},{},{},{}\n", pair.first, pair.second, bytes.count(), system::name(kind));
    }
  }
  return text;
}

struct Link {
  Bytes carried;
  Duration busy{};
  std::vector<Duration> bins = std::vector<Duration>(kBins);
};

// By dimension, the rank that owns the link, and its port.
class Links {
 public:
  Links(const topology::Hierarchy& machine, Duration run) : machine_(machine), run_(run) {}

  void add(const LinkUse& use) {
    Link& link = links_[{use.dimension, index(use.owner), use.port}];
    link.carried += use.size;
    link.busy += use.busy;
    // Spread over the bins that it touches.
    const Time end = use.start + use.busy;
    for (std::int64_t bin = bin_of(use.start); bin < kBins && start_of(bin) < end; ++bin) {
      link.bins[static_cast<std::size_t>(bin)] +=
          std::min(end, start_of(bin + 1)) - std::max(use.start, start_of(bin));
    }
  }

  std::string links_csv() const {
    std::string text = "from,to,tier,carried_bytes,utilisation_percent\n";
    for (const auto& [key, link] : links_) {
      const auto [from, to] = ends(key);
      text += fmt::format("{},{},dimension {},{},{:.2f}\n", from, to, std::get<0>(key), link.carried.count(),
                          percent(link.busy, run_));
    }
    return text;
  }

  // Each dimension as a whole, then the links that were busiest.
  std::string over_time_csv() const {
    std::string text = "link,until_us,utilisation_percent\n";
    for (int d = 0; d < machine_.dimensions(); ++d) {
      std::vector<const Link*> all;
      for (const auto& [key, link] : links_)
        if (std::get<0>(key) == d) all.push_back(&link);
      if (!all.empty()) add_rows(text, fmt::format("dimension {}", d), all);
    }
    std::vector<std::pair<std::string, const Link*>> order;
    for (const auto& [key, link] : links_)
      order.emplace_back(ends(key).first + ">" + ends(key).second, &link);
    std::ranges::stable_sort(order, std::greater{}, [](const auto& named) { return named.second->busy; });
    order.resize(std::min(order.size(), kWatchedLinks));
    for (const auto& [name, link] : order) add_rows(text, name, {link});
    return text;
  }

 private:
  using Key = std::tuple<int, std::int32_t, int>;

  static double percent(Duration part, Duration whole) {
    return 100 * static_cast<double>(part.count()) / static_cast<double>(whole.count());
  }
  Time start_of(std::int64_t bin) const { return Time{run_ * bin / kBins}; }
  std::int64_t bin_of(Time when) const {
    std::int64_t bin = when.time_since_epoch().count() / std::max<std::int64_t>(run_.count() / kBins, 1);
    while (bin > 0 && start_of(bin) > when) --bin;
    while (bin + 1 < kBins && start_of(bin + 1) <= when) ++bin;
    return bin;
  }

  void add_rows(std::string& text, const std::string& name, const std::vector<const Link*>& links) const {
    for (std::int64_t bin = 0; bin < kBins; ++bin) {
      const Duration length = start_of(bin + 1) - start_of(bin);
      if (length <= Duration{}) continue;
      Duration busy{};
      for (const Link* link : links) busy += link->bins[static_cast<std::size_t>(bin)];
      text += fmt::format("{},{:.6g},{:.2f}\n", name, to_us(start_of(bin + 1).time_since_epoch()),
                          percent(busy, length) / static_cast<double>(links.size()));
    }
  }

  // Names as in other links.csv: h<rank>, and s<number> for the switch of a group.
  std::pair<std::string, std::string> ends(const Key& key) const {
    const auto& [d, owner, port] = key;
    const int size = machine_.dimension(d).size;
    const int here = machine_.coordinate(Rank{owner}, d);
    const std::string host = fmt::format("h{}", owner);
    const int first = owner - here * machine_.stride(d);  // of this group
    const auto at = [&, d = d](int coordinate) {
      return fmt::format("h{}", first + coordinate * machine_.stride(d));
    };
    switch (machine_.dimension(d).kind) {
      case DimensionKind::ring: return {host, at((here + (port == 0 ? 1 : size - 1)) % size)};
      case DimensionKind::fully_connected: return {host, at(port)};
      case DimensionKind::switched: break;
    }
    const std::string middle = fmt::format("s{}", d * machine_.ranks() + first);
    return port == 0 ? std::pair{host, middle} : std::pair{middle, host};
  }

  const topology::Hierarchy& machine_;
  Duration run_;
  std::map<Key, Link> links_;
};

}  // namespace

void write_network_use(const SimulationConfig& config, const SimulationResult& result,
                       const std::filesystem::path& folder) {
  if (result.ranks > kMostTrafficRanks || most_events(config, result) > kMostSimulated) return;
  write_file(folder / "traffic.csv", traffic_csv(config));
  if (config.network.contention != network::Contention::links || result.finished <= Duration{}) return;
  const topology::Hierarchy machine = network::hierarchy(config.network);
  sim::EventQueue events;
  network::SharedLinks network(config.network, machine, events);
  Links links(machine, result.finished);
  network.on_use([&](const LinkUse& use) { links.add(use); });
  SimulationConfig all = config;
  all.scope = system::Scope::all;
  workload::simulate(all, network, events);
  write_file(folder / "links.csv", links.links_csv());
  write_file(folder / "links_over_time.csv", links.over_time_csv());
}

}  // namespace overture::report
