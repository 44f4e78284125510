#include "overture/topology/opera.h"

#include <algorithm>
#include <bit>
#include <optional>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/topology/graph.h"

namespace overture::topology {
namespace {

constexpr int kMaxTors = 4096;  // a table of 2 GiB

std::vector<Matching> flatten(const std::vector<std::vector<Matching>>& rotors) {
  std::vector<Matching> all;
  for (const auto& rotor : rotors) all.insert(all.end(), rotor.begin(), rotor.end());
  return all;
}

void require_sound(const OperaTiming& timing) {
  if (timing.stable <= Duration::zero() || timing.drain < Duration::zero() ||
      timing.dark < Duration::zero()) {
    throw UserError(fmt::format("an Opera slice of {} leaves no time beside {} to drain and {} in the dark",
                                to_string(timing.slice()), to_string(timing.drain), to_string(timing.dark)),
                    "make the slice longer than the drain and the reconfiguration together");
  }
}

std::vector<std::vector<Matching>> deal(const std::vector<Matching>& matchings, int rotors) {
  std::vector<std::vector<Matching>> dealt(static_cast<std::size_t>(rotors));
  const std::size_t each = matchings.size() / static_cast<std::size_t>(rotors);
  for (std::size_t i = 0; i < matchings.size(); ++i) dealt[i / each].push_back(matchings[i]);
  return dealt;
}

void shuffle(std::vector<Matching>& matchings, RandomStream& random) {
  for (std::size_t i = matchings.size(); i > 1; --i) std::swap(matchings[i - 1], matchings[random.below(i)]);
}

// The ToRs that every ToR reaches with ever more hops, a bit each: those that its peers reach with one fewer.
class ReachedTors {
 public:
  explicit ReachedTors(int tors)
      : tors_(tors), words_((static_cast<std::size_t>(tors) + 63) / 64), here_(words_ * tor_count()) {}

  struct Hops {
    int worst = 0;
    std::int64_t sum = 0;  // over all pairs
  };
  // None: some pair has no path.
  std::optional<Hops> hops(const Opera& opera, int slice) {
    std::ranges::fill(here_, 0);
    for (std::size_t tor = 0; tor < tor_count(); ++tor)
      here_[tor * words_ + tor / 64] |= std::uint64_t{1} << tor % 64;
    Hops hops;
    const std::int64_t all = std::int64_t{tors_} * tors_;
    for (std::int64_t reached = tors_; reached < all;) {
      const std::int64_t more = go_on(opera, slice);
      if (more == reached) return std::nullopt;
      hops.sum += ++hops.worst * (more - reached);
      reached = more;
    }
    return hops;
  }

 private:
  std::size_t tor_count() const { return static_cast<std::size_t>(tors_); }

  // One hop more. How many pairs have a path now.
  std::int64_t go_on(const Opera& opera, int slice) {
    next_ = here_;
    std::int64_t reached = 0;
    for (int tor = 0; tor < tors_; ++tor) {
      std::uint64_t* const own = &next_[static_cast<std::size_t>(tor) * words_];
      for (int uplink = 0; uplink < opera.uplinks(); ++uplink) {
        if (uplink == opera.dark_rotor(slice)) continue;
        const auto peer = static_cast<std::size_t>(opera.peer(slice, tor, uplink));
        for (std::size_t word = 0; word < words_; ++word) own[word] |= here_[peer * words_ + word];
      }
      for (std::size_t word = 0; word < words_; ++word) reached += std::popcount(own[word]);
    }
    here_.swap(next_);
    return reached;
  }

  int tors_;
  std::size_t words_;  // of a ToR
  std::vector<std::uint64_t> here_;
  std::vector<std::uint64_t> next_;
};

bool better(const HopCount& a, const HopCount& b) {
  return a.worst != b.worst ? a.worst < b.worst : a.mean < b.mean;
}

}  // namespace

Opera::Opera(int hosts_per_tor, std::vector<std::vector<Matching>> rotors, const OperaTiming& timing)
    : tors_(0), hosts_per_tor_(hosts_per_tor), uplinks_(static_cast<int>(rotors.size())), timing_(timing) {
  const std::vector<Matching> all = flatten(rotors);
  tors_ = static_cast<int>(all.size());
  if (hosts_per_tor < 1 || uplinks_ < 1) throw UserError("an Opera ToR has a host and an uplink");
  for (const auto& rotor : rotors) {
    if (rotor.size() != rotors[0].size()) throw UserError("rotors have different numbers of matchings");
  }
  if (!meets_every_pair_once(all)) throw UserError("some pair of ToRs does not meet exactly once in a cycle");
  require_sound(timing);
  // Rotor b shows each matching for as many slices as there are rotors, delayed by b slices.
  for (int slice = 0; slice < tors_; ++slice) {
    for (int rotor = 0; rotor < uplinks_; ++rotor) {
      const int phase = (slice - rotor + tors_) % tors_;
      const Matching& shown = rotors[rotor][phase / uplinks_];
      peers_.insert(peers_.end(), shown.begin(), shown.end());
    }
  }
}

OperaMoment Opera::at(Time when) const {
  const Duration since = when.time_since_epoch();
  const Duration slice = timing_.slice();
  const Duration within = since % slice;
  const int part = within < timing_.stable ? 0 : within < timing_.stable + timing_.drain ? 1 : 2;
  return {.slice = static_cast<int>(since / slice % slices()), .part = part};
}

int Opera::peer_at(Time when, int tor, int uplink) const {
  const OperaMoment moment = at(when);
  if (moment.part == 2 && uplink == dark_rotor(moment.slice)) return -1;
  return peer(moment.slice, tor, uplink);
}

HopCount count_hops(const Opera& opera) {
  HopCount count{.connected = true};
  std::int64_t sum = 0;
  ReachedTors reached(opera.tors());
  for (int slice = 0; slice < opera.slices(); ++slice) {
    const std::optional<ReachedTors::Hops> hops = reached.hops(opera, slice);
    if (!hops) return {};
    count.worst = std::max(count.worst, hops->worst);
    sum += hops->sum;
  }
  const double pairs = static_cast<double>(opera.tors()) * (opera.tors() - 1) * opera.slices();
  count.mean = static_cast<double>(sum) / pairs;
  return count;
}

OperaTiming opera_timing(const OperaConfig& config, int worst_hops) {
  const Duration packet = transfer_time(config.packet, config.rate);
  const Duration hop = config.wire + config.queue_packets * packet;
  OperaTiming timing{.stable = (worst_hops - 1) * hop + (config.queue_packets - 1) * packet,
                     .drain = config.wire + packet,
                     .dark = config.dark};
  timing.stable = std::max(timing.stable, packet);
  if (config.slice != Duration::zero()) timing.stable = config.slice - timing.drain - timing.dark;
  require_sound(timing);
  return timing;
}

void require_sound(const OperaConfig& config) {
  const int uplinks = config.ports / 2;
  if (config.ports < 2 || config.ports % 2 != 0) {
    throw UserError(fmt::format("a ToR of Opera has an even number of ports, not {}", config.ports),
                    "half of them go to hosts, half to rotors");
  }
  if (config.tors < 2 || config.tors > kMaxTors) {
    throw UserError(fmt::format("Opera needs 2 to {} ToRs, not {}", kMaxTors, config.tors));
  }
  if (config.tors % uplinks != 0) {
    throw UserError(fmt::format("{} ToRs with {} ports have no Opera schedule: the {} rotors must share {} "
                                "matchings evenly",
                                config.tors, config.ports, uplinks, config.tors),
                    fmt::format("use a multiple of {} ToRs", uplinks));
  }
  if (config.draws < 1) throw UserError("at least one draw is needed");
  if (config.queue_packets < 1 || config.packet <= Bytes{0} || config.rate <= Bandwidth::bits_per_second(0) ||
      config.wire < Duration::zero() || config.dark < Duration::zero()) {
    throw UserError("Opera needs a rate, a packet size, a queue of at least one packet and no negative time");
  }
  for (const Duration time : {config.wire, config.dark, config.slice}) {
    if (time > kMostDelay)
      throw UserError(fmt::format("a part of an Opera slice of {} is too long", to_string(time)),
                      fmt::format("use at most {}", to_string(kMostDelay)));
  }
  if (config.slice != Duration::zero()) opera_timing(config, 1);  // is long enough, whatever the hops
}

Opera generate_opera(const OperaConfig& config) {
  require_sound(config);
  RandomStream random = RandomStreams(config.seed).make("opera matchings");
  std::vector<Matching> matchings = circle_matchings(config.tors);
  mix(matchings, 200 * config.tors, random);
  std::vector<std::vector<Matching>> best;
  std::vector<std::vector<Matching>> apart;  // will do if nothing better is found
  HopCount fewest;
  // Some shuffles fall apart where the ToRs have few uplinks; those do not count as draws, within reason.
  const int attempts = 100 * config.draws;
  for (int attempt = 0, drawn = 0; attempt < attempts && drawn < config.draws; ++attempt) {
    if (attempt % 10 == 9) mix(matchings, 10 * config.tors, random);
    shuffle(matchings, random);
    auto rotors = deal(matchings, config.ports / 2);
    const HopCount hops = count_hops(Opera(config.ports / 2, rotors, {.stable = Duration{1}}));
    if (!hops.connected) {
      if (!config.connected) apart = std::move(rotors);
      continue;
    }
    ++drawn;
    if (!best.empty() && !better(hops, fewest)) continue;
    best = std::move(rotors);
    fewest = hops;
  }
  if (best.empty()) best = std::move(apart);
  if (best.empty()) {
    throw UserError(
        {.key = "network.topology.opera"},
        fmt::format("no schedule of {} ToRs with {} uplinks stays connected while a rotor is dark",
                    config.tors, config.ports / 2),
        "give the ToRs more ports, use fewer ToRs, or send everything as bulk (network.rotor.bulk_from: 0 "
        "B)");
  }
  return {config.ports / 2, std::move(best), opera_timing(config, std::max(fewest.worst, 1))};
}

}  // namespace overture::topology
