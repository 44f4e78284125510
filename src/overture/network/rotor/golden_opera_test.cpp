// The flow completion times that the Opera simulator of the DLRM study gave (tests/golden/htsim, G10 to G13),
// and the specification's other measurements (opera-htsim, section 1.9).
#include <algorithm>

#include <gtest/gtest.h>

#include "overture/network/rotor/rotor_network.h"
#include "overture/network/rotor/run_flows.h"
#include "overture/network/rotor/testing.h"
#include "overture/formats/dynexp.h"

namespace overture::network::rotor {
namespace {

using namespace literals;

constexpr Time kStart{1us};
constexpr int kHosts = 16;

const formats::Dynexp& network() {
  static const formats::Dynexp dynexp =
      formats::read_dynexp(OVERTURE_GOLDEN "/htsim/topologies/opera_N4_k8_100G.txt");
  return dynexp;
}

// Calls `visit` with the study's configuration and each of ten seeds: the remainders of fair shares are
// random.
template <class Visit>
void each_draw(Visit visit) {
  RotorConfig config = dlrm_study_rotor();
  for (config.seed = 1; config.seed <= 10; ++config.seed) {
    SCOPED_TRACE(config.seed);
    visit(config);
  }
}

TEST(GoldenOpera, G10OneBulkFlowBetweenRacks) {
  each_draw([](const RotorConfig& config) {
    const auto result = run_flows(network().opera, config, {{Rank{0}, Rank{15}, Bytes{1'000'000}, kStart}});
    EXPECT_EQ(result.completion[0].value(), 232'180'000_ps);
  });
}

TEST(GoldenOpera, G11BulkAllToAll) {
  each_draw([](const RotorConfig& config) {
    const auto result = run_flows(network().opera, config, all_to_all(kHosts, Bytes{100'000}, kStart));
    EXPECT_NEAR(mean_us(result), 249.534, 0.03 * 249.534);
    EXPECT_NEAR(max_us(result), 317.220, 0.03 * 317.220);
  });
}

// An all-reduce by parameter servers: twice an all-to-all, the second when the first has ended.
struct AllReduce {
  RotorNetwork& network;
  int rounds = 2;
  int running = 0;

  void next() {
    if (running > 0 || rounds-- == 0) return;
    running = kHosts * (kHosts - 1);
    for (const FlowSpec& flow : all_to_all(kHosts, Bytes{1'000'000}, {})) {
      network.send({.from = flow.from, .to = flow.to, .size = flow.size}, [this] {
        --running;
        next();
      });
    }
  }
};

TEST(GoldenOpera, G12AllReduceByParameterServers) {
  each_draw([](const RotorConfig& config) {
    sim::EventQueue events;
    RotorNetwork opera(network().opera, config, events);
    AllReduce all_reduce{.network = opera};
    events.at(kStart, [&all_reduce] { all_reduce.next(); });
    events.run();
    const Duration total = events.now() - kStart;
    EXPECT_EQ(all_reduce.rounds, -1);
    EXPECT_NEAR(to_us(total), 5291.22, 0.02 * 5291.22);
  });
}

TEST(GoldenOpera, G12FlowsOfTheFirstRound) {
  each_draw([](const RotorConfig& config) {
    const auto result = run_flows(network().opera, config, all_to_all(kHosts, Bytes{1'000'000}, kStart));
    EXPECT_NEAR(mean_us(result), 1903.104, 0.02 * 1903.104);
    EXPECT_NEAR(max_us(result), 2646.480, 0.02 * 2646.480);
  });
}

TEST(GoldenOpera, G13OneLowLatencyFlow) {
  RotorConfig config = dlrm_study_rotor();
  config.bulk_from = Bytes{15'000'000};
  for (const auto* paths : {static_cast<const topology::OperaPaths*>(nullptr), &network().paths}) {
    const auto result =
        run_flows(network().opera, config, {{Rank{0}, Rank{15}, Bytes{100'000}, kStart}}, {.paths = paths});
    // 70 packets one after the other over four links and two wires, and an ACK back.
    EXPECT_EQ(result.completion[0].value(),
              73 * 120'000_ps + 2 * Duration{500ns} + 4 * 5'120_ps + 2 * Duration{500ns});
    EXPECT_NEAR(to_us(result.completion[0].value()), 10.780, 0.001);
  }
}

// Section 1.9: a ring all-reduce of 16 MB, 30 rounds of a flow to the next host; a round starts when all of
// the one before have ended.
TEST(GoldenOpera, RingAllReduceOfTheSpecification) {
  struct Ring {
    RotorNetwork& network;
    int rounds = 30;
    int running = 0;
    void next() {
      if (running > 0 || rounds-- == 0) return;
      running = kHosts;
      for (int host = 0; host < kHosts; ++host) {
        network.send({.from = Rank{host}, .to = Rank{(host + 1) % kHosts}, .size = Bytes{1'000'000}}, [this] {
          --running;
          next();
        });
      }
    }
  };
  each_draw([](const RotorConfig& config) {
    sim::EventQueue events;
    RotorNetwork opera(network().opera, config, events);
    Ring ring{.network = opera};
    events.at(kStart, [&ring] { ring.next(); });
    events.run();
    EXPECT_NEAR(to_us(events.now() - kStart), 10846.5, 0.02 * 10846.5);
  });
}

// Section 1.8: what one-hop traffic between all hosts can get at most, from the circuits that lead elsewhere.
TEST(GoldenOpera, AllToAllsBetweenRacksComeCloseToTheCeiling) {
  RotorConfig config = rotornet();
  const topology::Opera& opera = network().opera;
  std::vector<FlowSpec> flows = all_to_all(kHosts, Bytes{5'000'000}, {});
  std::erase_if(flows,
                [&](const FlowSpec& f) { return opera.tor_of(index(f.from)) == opera.tor_of(index(f.to)); });
  const auto result = run_flows(opera, config, flows);
  const double share = to_us(opera.slot()) / (opera.uplinks() * to_us(opera.timing().slice()));
  const double useful = 3.0 / 4;  // the fourth rotor shows every ToR itself
  const double bytes_per_us = 12'500 * (1436.0 / 1500) * share * useful;
  const double least_us = 12 * 5e6 / bytes_per_us;
  EXPECT_GT(to_us(result.makespan), least_us);
  EXPECT_LT(to_us(result.makespan), 1.05 * least_us);
}

// Section 1.9: intra-rack bulk takes about 1.5 times as long as the rest, because it leaves the rack.
TEST(GoldenOpera, IntraRackBulkFinishesLastInTheOriginalOnly) {
  const auto flows = all_to_all(kHosts, Bytes{1'000'000}, kStart);
  const auto ratio = [&](const RotorConfig& config) {
    const auto result = run_flows(network().opera, config, flows);
    double inside = 0;
    double outside = 0;
    for (std::size_t i = 0; i < flows.size(); ++i) {
      const bool same_rack = index(flows[i].from) / 4 == index(flows[i].to) / 4;
      (same_rack ? inside : outside) += to_us(result.completion[i].value()) / (same_rack ? 48 : 192);
    }
    return inside / outside;
  };
  EXPECT_NEAR(ratio(dlrm_study_rotor()), 1.5, 0.1);
  EXPECT_LT(ratio(rotornet()), 1.1);
}

}  // namespace
}  // namespace overture::network::rotor
