#include "overture/network/packet/congestion_control.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/network/packet/flow.h"
#include "overture/network/packet/testing.h"

namespace overture::network::packet {
namespace {

using namespace literals;

constexpr std::uint32_t kSegment = 1448;

Flow open_flow(std::uint32_t segments) {
  Flow flow;
  flow.cwnd = segments * kSegment;
  flow.ssthresh = flow.cwnd;
  return flow;
}

std::vector<FlowSpec> all_to_last(int senders, Bytes size) {
  std::vector<FlowSpec> flows;
  for (int i = 0; i < senders; ++i) flows.push_back({.from = Rank{i}, .to = Rank{senders}, .size = size});
  return flows;
}

struct Outcome {
  Bytes peak;
  Duration last;
};

Outcome incast_under(CongestionControl control) {
  PacketConfig config;
  config.of<TcpConfig>().receive_window = 8_MiB;
  config.of<TcpConfig>().control = control;
  if (control == kControl<DctcpConfig>) config.queue.mark_above = Bytes{65 * 1490};
  const PacketRun run = run_flows(topology::star({.hosts = 5}), config, all_to_last(4, 4_MiB));
  return {.peak = std::ranges::max(run.links, {}, &LinkRecord::peak_queue).peak_queue,
          .last = **std::ranges::max_element(run.completion)};
}

TEST(CongestionControl, EveryOneHasItsWord) {
  std::set<std::string_view> words;
  for (const auto& [control, word] : kWords<CongestionControl>) {
    EXPECT_EQ(&kWords<CongestionControl>[static_cast<std::size_t>(control)].second, &word)
        << "in the enumerators' order";
    EXPECT_TRUE(words.insert(word).second);
  }
}

TEST(CongestionControl, ThoseThatReadMarksOrDelaysKeepQueuesShortAndLinksBusy) {
  const Outcome reno = incast_under(kControl<NewReno>);
  for (const CongestionControl control : {kControl<DctcpConfig>, kControl<SwiftConfig>}) {
    const Outcome outcome = incast_under(control);
    EXPECT_LT(outcome.peak * 4, reno.peak);
    EXPECT_LT(outcome.last, reno.last * 1.05);
  }
}

TEST(Swift, ADelayBelowTheTargetChangesNothing) {
  Flow flow = open_flow(100);
  SwiftConfig{}.on_round_trip(flow, kSegment, 25us);
  EXPECT_EQ(flow.cwnd, 100 * kSegment);
}

// 1 - 0.8 * (50 - 25) / 50 = 0.6 of the window.
TEST(Swift, TheWindowShrinksByTheExcess) {
  Flow flow = open_flow(100);
  SwiftConfig{}.on_round_trip(flow, kSegment, 50us);
  EXPECT_EQ(flow.cwnd, 60 * kSegment);
  EXPECT_EQ(flow.ssthresh, flow.cwnd) << "slow start is over";
}

TEST(Swift, NeverByMoreThanHalfNorBelowASegment) {
  Flow flow = open_flow(100);
  SwiftConfig{}.on_round_trip(flow, kSegment, 10ms);
  EXPECT_EQ(flow.cwnd, 50 * kSegment);
  for (int i = 0; i < 20; ++i) SwiftConfig{}.on_round_trip(flow, kSegment, 10ms);
  EXPECT_EQ(flow.cwnd, kSegment);
}

TEST(Swift, OncePerWindow) {
  Flow flow = open_flow(100);
  flow.next = 100 * kSegment;
  SwiftConfig{}.on_round_trip(flow, kSegment, 10ms);
  flow.unacked = 99 * kSegment;
  SwiftConfig{}.on_round_trip(flow, kSegment, 10ms);
  EXPECT_EQ(flow.cwnd, 50 * kSegment);
  flow.unacked = 100 * kSegment;
  SwiftConfig{}.on_round_trip(flow, kSegment, 10ms);
  EXPECT_EQ(flow.cwnd, 25 * kSegment);
}

TEST(Swift, ALossIsRepairedFirst) {
  Flow flow = open_flow(100);
  flow.state = CongestionState::recovery;
  SwiftConfig{}.on_round_trip(flow, kSegment, 10ms);
  EXPECT_EQ(flow.cwnd, 100 * kSegment);
}

TEST(Swift, TheDelayStaysNearTheTarget) {
  const auto peak_at = [](Duration target) {
    PacketConfig config;
    config.of<TcpConfig>().receive_window = 8_MiB;
    config.of<TcpConfig>().control = kControl<SwiftConfig>;
    std::get<SwiftConfig>(config.of<TcpConfig>().controls).target = target;
    const PacketRun run = run_flows(topology::star({.hosts = 3}), config, all_to_last(2, 16_MiB));
    return std::ranges::max(run.links, {}, &LinkRecord::peak_queue).peak_queue;
  };
  EXPECT_LT(peak_at(10us), peak_at(40us));
  EXPECT_LT(peak_at(40us), peak_at(160us));
}

TEST(Dctcp, WithoutMarksTheShareDecays) {
  Flow flow = open_flow(10);
  flow.alpha = 1;
  flow.next = 1;
  DctcpConfig{}.on_ack(flow, kSegment, kSegment, false);
  EXPECT_FLOAT_EQ(flow.alpha, 15.0F / 16);
  EXPECT_EQ(flow.cwnd, 10 * kSegment);
}

TEST(Dctcp, AMarkReducesOncePerWindow) {
  Flow flow = open_flow(10);
  flow.alpha = 0.5;
  flow.mark_window = flow.next = 10 * kSegment;
  DctcpConfig{}.on_ack(flow, kSegment, kSegment, true);
  EXPECT_EQ(flow.cwnd, static_cast<std::uint32_t>(7.5 * kSegment));
  flow.unacked += kSegment;
  DctcpConfig{}.on_ack(flow, kSegment, kSegment, true);
  EXPECT_EQ(flow.cwnd, static_cast<std::uint32_t>(7.5 * kSegment));
}

TEST(CongestionControl, NumbersThatCannotWorkAreNamed) {
  const auto complaint_of = [](auto change) {
    PacketConfig config;
    change(config.of<TcpConfig>().controls);
    try {
      require_sound(config);
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(complaint_of([](ControlConfigs&) {}), "none");
  EXPECT_NE(complaint_of([](ControlConfigs& c) { std::get<DctcpConfig>(c).gain = 0; }).find("DCTCP's gain"),
            std::string::npos);
  EXPECT_NE(complaint_of([](ControlConfigs& c) {
              std::get<SwiftConfig>(c).target = Duration{};
            }).find("swift_target"),
            std::string::npos);
  EXPECT_NE(
      complaint_of([](ControlConfigs& c) { std::get<SwiftConfig>(c).decrease = 2; }).find("swift_decrease"),
      std::string::npos);
  EXPECT_NE(complaint_of([](ControlConfigs& c) {
              std::get<SwiftConfig>(c).most_decrease = 1;
            }).find("swift_most_decrease"),
            std::string::npos);
}

// Random networks that lose packets: what holds for TCP holds under every control.
TEST(CongestionControl, EveryByteArrivesOnceUnderSwift) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomStream random(seed, 0);
    const topology::Topology topology = draw_topology(random);
    PacketConfig config = draw_tcp(random);
    config.of<TcpConfig>().control = kControl<SwiftConfig>;
    std::get<SwiftConfig>(config.of<TcpConfig>().controls).target =
        Duration{1 + static_cast<std::int64_t>(random.below(60'000'000))};
    const auto flows = draw_flows(random, topology.graph.hosts());
    expect_all_delivered(topology, config, flows, run_flows(topology, config, flows), seed);
  }
}

}  // namespace
}  // namespace overture::network::packet
