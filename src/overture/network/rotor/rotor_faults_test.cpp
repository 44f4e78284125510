#include "overture/network/rotor/rotor_faults.h"

#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/base/random.h"
#include "overture/base/testing_seeds.h"
#include "overture/network/rotor/rotor_network.h"
#include "overture/network/rotor/run_flows.h"
#include "overture/network/rotor/testing.h"
#include "overture/topology/opera_paths.h"

namespace overture::network::rotor {
namespace {

using namespace literals;
using namespace std::chrono_literals;

topology::Opera eight_tors() { return topology::generate_opera({.tors = 8, .ports = 8, .draws = 1}); }

SwitchFault broken(const std::string& name, Duration from = {}, std::optional<Duration> until = {}) {
  SwitchFault fault;
  fault.name = name;
  fault.from = from;
  fault.until = until;
  return fault;
}

LinkFault cable(const std::string& between, Duration from = {}) {
  LinkFault fault;
  fault.between = between;
  fault.from = from;
  return fault;
}

RotorRun run(const topology::Opera& opera, const RotorConfig& config, const std::vector<FlowSpec>& flows,
             const Faults& faults) {
  RotorRunOptions options;
  options.faults = faults;
  return run_flows(opera, config, flows, options);
}

// All bulk, or all low latency.
std::vector<RotorConfig> both() {
  RotorConfig low = rotornet();
  low.bulk_from = Bytes{std::int64_t{1} << 40};
  return {rotornet(), low};
}

TEST(RotorFaults, WithoutARotorEverythingStillArrives) {
  const topology::Opera opera = eight_tors();
  const auto flows = all_to_all(opera.hosts(), 20'000_B, Time{});
  for (const RotorConfig& config : both()) {
    const RotorRun whole = run(opera, config, flows, {});
    const RotorRun three = run(opera, config, flows, {.switches = {broken("rotor1")}});
    EXPECT_EQ(three.finished, flows.size());
    EXPECT_EQ(three.statistics.delivered, whole.statistics.delivered);
    EXPECT_GT(three.makespan, whole.makespan);
    EXPECT_EQ(three.faults.count("faults"), 1U);
    EXPECT_EQ(three.faults.count("lost_packets"), 0U);  // known from the start, and gone around
  }
}

TEST(RotorFaults, PairsThatNoLongerMeetGoOverAThirdRack) {
  const topology::Opera opera = eight_tors();
  RotorFaults all({.switches = {broken("rotor1")}}, opera);
  int from = 0;
  int to = 1;
  while (all.open(from, to)) ++to;  // they meet over rotor 1 alone
  EXPECT_FALSE(all.cut_off(from * opera.hosts_per_tor(), to * opera.hosts_per_tor()));
  const std::vector<FlowSpec> one{{.from = Rank{from * opera.hosts_per_tor()},
                                   .to = Rank{to * opera.hosts_per_tor()},
                                   .size = 143'600_B}};
  const RotorRun direct = run(opera, rotornet(), one, {.switches = {broken("rotor0")}});
  EXPECT_EQ(direct.finished, 1U);
  const RotorRun relayed = run(opera, rotornet(), one, {.switches = {broken("rotor1")}});
  EXPECT_EQ(relayed.finished, 1U);
  EXPECT_EQ(relayed.statistics.bulk_relayed, relayed.statistics.bulk_delivered);
}

TEST(RotorFaults, BeforeAFaultIsKnownPacketsAreLostAndSentAgain) {
  const topology::Opera opera = eight_tors();
  const auto flows = all_to_all(opera.hosts(), 100'000_B, Time{});
  for (const RotorConfig& config : both()) {
    const RotorRun result = run(opera, config, flows, {.switches = {broken("rotor2", 100us)}});
    EXPECT_EQ(result.finished, flows.size());
    EXPECT_GT(result.faults.count("lost_packets"), 10U);
    EXPECT_EQ(result.digest, run(opera, config, flows, {.switches = {broken("rotor2", 100us)}}).digest);
  }
}

TEST(RotorFaults, ARackWhoseToRIsDownIsToldAndTheOthersFinish) {
  const topology::Opera opera = eight_tors();
  const auto flows = all_to_all(opera.hosts(), 20'000_B, Time{});
  for (const RotorConfig& config : both()) {
    const RotorRun result = run(opera, config, flows, {.switches = {broken("tor3", 50us)}});
    // 32 hosts, of which the 4 of a rack are cut off: 28 x 27 flows can finish.
    EXPECT_GE(result.finished, 28U * 27U);
    EXPECT_EQ(result.finished + result.faults.undelivered.size(), flows.size());
    EXPECT_NE(result.faults.undelivered.front().find("tor3 is down forever"), std::string::npos);
  }
}

TEST(RotorFaults, AToRThatComesBackIsServedAgain) {
  const topology::Opera opera = eight_tors();
  const auto flows = all_to_all(opera.hosts(), 20'000_B, Time{});
  for (const RotorConfig& config : both()) {
    const RotorRun result = run(opera, config, flows, {.switches = {broken("tor3", 50us, 3ms)}});
    EXPECT_EQ(result.finished, flows.size());
    EXPECT_GT(result.makespan, 3ms);
  }
}

TEST(RotorFaults, PathsLeaveOutCablesThatAreDown) {
  const topology::Opera opera = eight_tors();
  const auto works = [](int tor, int uplink) { return tor != 2 || uplink != 0; };
  const topology::OperaPaths paths(opera, 4, works);
  for (int slice = 0; slice < opera.slices(); ++slice) {
    for (int from = 0; from < opera.tors(); ++from) {
      for (int to = 0; to < opera.tors(); ++to) {
        for (int i = 0; from != to && i < paths.count(slice, from, to); ++i) {
          int at = from;
          for (const std::uint8_t uplink : paths.path(slice, from, to, i)) {
            EXPECT_TRUE(works(at, uplink));
            at = opera.peer(slice, at, uplink);
            EXPECT_TRUE(works(at, uplink));
          }
          EXPECT_EQ(at, to);
        }
      }
    }
  }
}

TEST(RotorFaults, TheNetworkOfASimulationStopsWaitingForWhatCannotArrive) {
  for (const RotorConfig& config : both()) {
    sim::EventQueue events;
    RotorNetwork network(eight_tors(), config, events, std::nullopt, {.links = {cable("h5-tor1", 10us)}});
    int delivered = 0;
    network.send({.from = Rank{0}, .to = Rank{9}, .size = 100'000_B}, [&] { ++delivered; });
    network.send({.from = Rank{0}, .to = Rank{5}, .size = 1'000'000_B}, [&] { ADD_FAILURE(); });
    events.run();
    EXPECT_EQ(delivered, 1);
    EXPECT_EQ(network.record().undelivered, (std::vector<std::string>{"h0 to h5: h5 is cut off forever"}));
  }
}

TEST(RotorFaults, WhatTheNetworkDoesNotHaveIsTold) {
  const topology::Opera opera = eight_tors();
  EXPECT_THROW(RotorFaults({.switches = {broken("tor8")}}, opera), UserError);
  EXPECT_THROW(RotorFaults({.links = {cable("tor0-tor1")}}, opera), UserError);
  EXPECT_THROW(RotorFaults({.links = {cable("h0-tor1")}}, opera), UserError);
}

// A small message from the first host of every rack to that of every other.
std::vector<FlowSpec> between_racks(const topology::Opera& opera) {
  std::vector<FlowSpec> flows;
  for (int from = 0; from < opera.tors(); ++from) {
    for (int to = 0; to < opera.tors(); ++to) {
      if (from != to)
        flows.push_back({.from = Rank{from * opera.hosts_per_tor()},
                         .to = Rank{to * opera.hosts_per_tor()},
                         .size = 5'000_B});
    }
  }
  return flows;
}

// Four rotors, of which two are left: whenever one of them is dark, every ToR has a single circuit. More
// pairs meet over a third rack than have a path in some slice.
TEST(RotorFaults, ALowLatencyMessageWithoutAPathInAnySliceIsToldWhereBulkStillArrives) {
  const topology::Opera opera = eight_tors();
  const std::vector<FlowSpec> flows = between_racks(opera);
  const Faults two{.switches = {broken("rotor1"), broken("rotor3")}};
  const RotorRun bulk = run(opera, rotornet(), flows, two);
  const RotorRun low = run(opera, both()[1], flows, two);
  EXPECT_LT(low.finished, bulk.finished);
  for (const RotorRun* result : {&bulk, &low})
    EXPECT_EQ(result->finished + result->faults.undelivered.size(), flows.size());
  EXPECT_NE(low.faults.undelivered.back().find("no slice has a path left from tor"), std::string::npos)
      << low.faults.undelivered.back();
}

// A timeout as long as a cycle of slices would repeat what is lost in the same slice for ever.
TEST(RotorFaults, WhatIsRepeatedWaitsForASliceWithAPath) {
  const topology::Opera opera = eight_tors();
  const std::vector<FlowSpec> flows = between_racks(opera);
  RotorConfig config = both()[1];
  config.low_latency.timeout = opera.timing().slice() * opera.slices();
  const RotorRun result = run(opera, config, flows, {.switches = {broken("rotor1"), broken("rotor3")}});
  EXPECT_EQ(result.finished + result.faults.undelivered.size(), flows.size());
}

// ---- random networks, random faults

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : random_(RandomStreams(seed).make("rotor faults")), seed_(seed) {}

  int below(int most) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(most))); }
  topology::Opera opera() {
    return topology::generate_opera({.tors = 4 + 4 * below(2), .ports = 8, .seed = seed_, .draws = 1});
  }
  RotorConfig config() {
    RotorConfig config = rotornet();
    config.bulk_from = Bytes{below(2) == 0 ? 0 : 30'000};
    return config;
  }
  std::vector<FlowSpec> flows(const topology::Opera& opera) {
    std::vector<FlowSpec> flows;
    for (int i = 0; i < 40; ++i)
      flows.push_back({.from = Rank{below(opera.hosts())},
                       .to = Rank{below(opera.hosts())},
                       .size = Bytes{1 + below(60'000)},
                       .start = Time{Duration{below(300'000'000)}}});
    return flows;
  }
  Faults faults(const topology::Opera& opera) {
    Faults faults{.seed = seed_};
    if (below(4) == 0) faults.detection = Duration{below(300'000'000)};
    for (int i = 0; i <= below(3); ++i) faults.links.push_back(link(opera));
    for (int i = 0; i <= below(2); ++i) {
      faults.switches.push_back(broken(some_switch(opera)));
      time(faults.switches.back());
    }
    if (below(4) == 0) {
      faults.nodes.push_back({.node = below(opera.hosts()), .dies = true});
      time(faults.nodes.back());
    }
    return faults;
  }

 private:
  void time(FaultTime& fault) {
    fault.from = Duration{below(4) == 0 ? 0 : below(400'000'000)};
    if (below(2) == 0) fault.until = fault.from + Duration{1 + below(2'000'000'000)};
  }
  std::string tor(const topology::Opera& opera) { return "tor" + std::to_string(below(opera.tors())); }
  std::string rotor(const topology::Opera& opera) { return "rotor" + std::to_string(below(opera.uplinks())); }
  std::string some_switch(const topology::Opera& opera) { return below(2) == 0 ? tor(opera) : rotor(opera); }
  LinkFault link(const topology::Opera& opera) {
    const int host = below(opera.hosts());
    LinkFault fault = cable(below(3) == 0 ? "h" + std::to_string(host) + "-tor" +
                                                std::to_string(host / opera.hosts_per_tor())
                                          : tor(opera) + "-" + rotor(opera));
    if (below(2) == 0) fault.loss = random_.unit() / 10;
    if (below(4) == 0) fault.bit_errors = 1e-5 * random_.unit();
    time(fault);
    return fault;
  }

  RandomStream random_;
  std::uint64_t seed_;
};

TEST(RotorFaults, WithRandomFaultsEveryByteArrivesOnceOrTheRunSaysWhichDoesNot) {
  std::uint64_t lost = 0;
  std::uint64_t reroutes = 0;
  std::size_t undelivered = 0;
  for (std::uint64_t seed = 1; seed <= seeds(200); ++seed) {
    Draws draws(seed);
    const topology::Opera opera = draws.opera();
    const RotorConfig config = draws.config();
    const std::vector<FlowSpec> flows = draws.flows(opera);
    const Faults faults = draws.faults(opera);
    const RotorRun result = run(opera, config, flows, faults);
    EXPECT_EQ(result.finished + result.faults.undelivered.size(), flows.size()) << "seed " << seed;
    Bytes sent;
    for (std::size_t i = 0; i < flows.size(); ++i) {
      if (flows[i].from != flows[i].to && result.completion[i]) sent += flows[i].size;
    }
    EXPECT_GE(result.statistics.delivered, sent) << "seed " << seed;
    EXPECT_TRUE(!result.faults.undelivered.empty() || result.statistics.delivered == sent) << "seed " << seed;
    EXPECT_EQ(result.digest, run(opera, config, flows, faults).digest) << "seed " << seed;
    lost += result.faults.count("lost_packets");
    reroutes += result.faults.count("reroutes");
    undelivered += result.faults.undelivered.size();
  }
  EXPECT_GT(lost, 500U);
  EXPECT_GT(undelivered, 20U);
  EXPECT_GT(reroutes, 0U);
}

}  // namespace
}  // namespace overture::network::rotor
