#include "overture/network/flows.h"

#include <algorithm>

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::network {

Patience::Patience(const RunLimits& limits) : limits_(limits) {
  if (limits.wall) stop_ = std::chrono::steady_clock::now() + *limits.wall;
}

bool Patience::lasts(const RunSoFar& so_far) const {
  if (stop_ && std::chrono::steady_clock::now() >= *stop_) return false;
  return !limits_.go_on || limits_.go_on(so_far);
}

void require_sound(const std::vector<FlowSpec>& flows, int hosts) {
  for (std::size_t i = 0; i < flows.size(); ++i) {
    for (const int host : {index(flows[i].from), index(flows[i].to)}) {
      if (host < 0 || host >= hosts) {
        throw UserError(fmt::format("flow {}: there is no host {}", i, host),
                        fmt::format("hosts are numbered from 0 to {}", hosts - 1));
      }
    }
    if (flows[i].size < Bytes{0}) throw UserError(fmt::format("flow {}: its size is negative", i));
    if (flows[i].start < Time{}) throw UserError(fmt::format("flow {}: it starts before time 0", i));
    if (flows[i].size > kMostBytes || flows[i].start > kLatestStart)
      throw UserError(fmt::format("flow {}: {} at {}", i, to_string(flows[i].size),
                                  to_string(flows[i].start.time_since_epoch())),
                      fmt::format("use at most {}, and start by {}", to_string(kMostBytes),
                                  to_string(kLatestStart.time_since_epoch())));
  }
}

void summarise(const std::vector<FlowSpec>& flows, FlowTimes& times) {
  times.finished = 0;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (!times.completion[i]) continue;
    ++times.finished;
    times.makespan = std::max(times.makespan, flows[i].start.time_since_epoch() + *times.completion[i]);
  }
  times.simulated = times.makespan;
}

namespace {

// Runs the queue dry, or to the limits; in pieces that are long beside a question and short beside a run.
template <class SoFar>
void run_within(sim::EventQueue& events, const RunLimits& limits, SoFar so_far, std::size_t all) {
  const Patience patience(limits);
  if (!patience.asks()) return limits.until ? (void)events.run_until(*limits.until) : events.run();
  constexpr std::uint64_t kEvents = 4096;
  constexpr Duration kLongestPiece = std::chrono::hours(1);
  Duration piece = std::chrono::microseconds(1);
  const Time end = limits.until.value_or(Time::max());
  while (so_far().finished < all && events.now() < end && patience.lasts(so_far())) {
    const std::uint64_t before = events.executed();
    const Time next = end - events.now() < piece ? end : events.now() + piece;
    if (!events.run_until(next)) return;
    piece = events.executed() - before < kEvents ? std::min(piece * 2, kLongestPiece)
                                                 : std::max(piece / 2, Duration{1000});
  }
}

}  // namespace

FlowTimes play_flows(Network& network, sim::EventQueue& events, const std::vector<FlowSpec>& flows,
                     const RunLimits& limits) {
  require_sound(flows, network.ranks());
  struct Player {
    Network& network;
    sim::EventQueue& events;
    const std::vector<FlowSpec>& flows;
    FlowTimes times{};
    Bytes delivered{};

    void start(std::uint32_t i) {
      const FlowSpec& flow = flows[i];
      network.send({.from = flow.from, .to = flow.to, .size = flow.size, .name = {.task = i}},
                   [this, i] { end(i); });
    }
    void end(std::uint32_t i) {
      times.completion[i] = events.now() - flows[i].start;
      ++times.finished;
      delivered += flows[i].size;
    }
  } player{network, events, flows};
  player.times.completion.resize(flows.size());
  for (std::uint32_t i = 0; i < flows.size(); ++i)
    events.at(flows[i].start, [&player, i] { player.start(i); });

  run_within(
      events, limits,
      [&] {
        return RunSoFar{
            .finished = player.times.finished, .now = events.now(), .delivered = player.delivered};
      },
      flows.size());
  const bool stuck = events.pending() == 0;
  summarise(flows, player.times);
  if (player.times.finished < flows.size()) {
    player.times.simulated = events.now().time_since_epoch();
    player.times.locked = stuck;
  }
  return player.times;
}

}  // namespace overture::network
