// Transports on a star, in numbers that can be checked by hand: what a message costs on every link, when it
// is there, who is cut, and who goes first.
#include <algorithm>

#include <gtest/gtest.h>

#include "overture/network/packet/patterns.h"
#include "overture/network/packet/run_flows.h"
#include "overture/topology/leaf_spine.h"
#include "overture/topology/star.h"

namespace overture::network::packet {
namespace {

using namespace literals;

// Links of 8 Gbps, where a byte takes a nanosecond, and wires of 1 us. Host h's link up is number h; the
// switch's port to it is hosts + h.
constexpr topology::Wire kWire{.rate = 8_Gbps, .delay = 1us, .tier = 0};

PacketRun run_star(int hosts, const PacketConfig& config, const std::vector<FlowSpec>& flows) {
  return run_flows(topology::star({.hosts = hosts, .wire = kWire}), config, flows);
}
PacketRun send(const PacketConfig& config, std::int64_t bytes) {
  return run_star(2, config, {{.from = Rank{0}, .to = Rank{1}, .size = Bytes{bytes}}});
}

// So many packets one after the other, over two links and two wires.
Duration train(std::int64_t packets, std::int64_t bytes) {
  return Duration{1'000 * bytes} * (packets + 1) + 2us;
}

// ---- NDP: 9,000 bytes of payload and 64 of header

PacketConfig ndp_with(int window) {
  PacketConfig config = ndp();
  config.of<NdpConfig>().initial_window = window;
  return config;
}
// A run to the last ACK, so that what came back is counted whole.
PacketRun send_and_hear(PacketConfig config, std::int64_t bytes) {
  config.of<NdpConfig>().complete_at = CompleteAt::last_ack;
  return send(config, bytes);
}

TEST(NdpMessage, WithinTheFirstWindowNothingIsPulled) {
  for (const int packets : {1, 2, 7, 50}) {
    const PacketRun run = send(ndp_with(50), 9'000 * packets);
    EXPECT_EQ(run.completion[0], train(packets, 9'064));
    EXPECT_EQ(run.links[0].carried, Bytes{9'064 * packets});
    EXPECT_EQ(send_and_hear(ndp_with(50), 9'000 * packets).links[1].carried, Bytes{64 * packets})
        << "an ACK each";
  }
}

TEST(NdpMessage, BeyondTheFirstWindowEveryPacketIsPulledForOnce) {
  for (const int window : {1, 3, 10}) {
    for (const int packets : {1, 4, 30}) {
      const PacketRun run = send_and_hear(ndp_with(window), 9'000 * packets);
      EXPECT_EQ(run.links[0].carried, Bytes{9'064 * packets});
      EXPECT_EQ(run.links[1].carried, Bytes{64 * (packets + std::max(0, packets - window))});
      EXPECT_EQ(run.statistics.retransmissions, 0U);
    }
  }
}

// A packet there, a PULL back: 2 * 9,064 + 2 * 64 ns and four wires for every packet after the first.
TEST(NdpMessage, AWindowOfOneIsARoundTripAPacket) {
  const Duration there = train(1, 9'064);
  const Duration back = train(1, 64);
  for (const int packets : {1, 2, 3}) {
    const Duration took = *send(ndp_with(1), 9'000 * packets).completion[0];
    EXPECT_GE(took, packets * there + (packets - 1) * back);
    EXPECT_LE(took, packets * there + (packets - 1) * (back + 64ns)) << "the ACK goes before the PULL";
  }
}

TEST(NdpMessage, TheLastAckIsARoundTripLater) {
  PacketConfig config = ndp_with(50);
  const Duration delivered = *send(config, 9'000).completion[0];
  config.of<NdpConfig>().complete_at = CompleteAt::last_ack;
  EXPECT_EQ(*send(config, 9'000).completion[0] - delivered, train(1, 64));
}

TEST(NdpMessage, AShortLastPacketIsPaddedOnRequest) {
  PacketConfig config = ndp_with(50);
  EXPECT_EQ(send(config, 9'100).links[0].carried, Bytes{9'064 + 164});
  config.of<NdpConfig>().pad_packets = true;
  EXPECT_EQ(send(config, 9'100).links[0].carried, Bytes{2 * 9'064});
}

// All senders' packets reach the port at once: as many as its queue holds stay whole.
TEST(NdpIncast, WhatDoesNotFitIsTrimmedAndSentAgainOnce) {
  for (int limit = 3; limit <= 8; ++limit) {
    for (const int senders : {2, 5, 9, 12}) {
      PacketConfig config = ndp_with(50);
      config.queue.trim.data_limit = Bytes{limit * 9'064};
      const PacketRun run = run_star(senders + 1, config, incast(senders, Bytes{9'000}));
      const auto trimmed = static_cast<std::uint64_t>(std::max(0, senders - limit));
      EXPECT_EQ(run.statistics.trims, trimmed) << limit << ' ' << senders;
      EXPECT_EQ(run.statistics.retransmissions, trimmed);
      EXPECT_EQ(run.statistics.timeouts, 0U);
      EXPECT_EQ(run.statistics.delivered, Bytes{9'000 * senders});
    }
  }
}

// A port that holds one packet, so that what comes while it sends one is cut to its header.
PacketConfig one_at_a_time() {
  PacketConfig config = ndp_with(50);
  config.queue.trim = {.data_limit = Bytes{9'064}, .control_limit = Bytes{1'000}, .trim_arriving = 1};
  return config;
}
constexpr Duration kPacket{9'064'000};
constexpr Duration kControl{64'000};
// From the moment at which a packet has left its host until it has left the switch and arrived.
constexpr Duration onwards(Duration packet) { return packet + 2us; }

// Hosts 1 and 2 send to 0, the second so late that its packet comes into the last of the first's. That one's
// PULLs bring nothing: the first has its turn when its packet comes, the second a gap later, just before the
// header, whose PULL then waits for the third.
TEST(NdpPulls, ThoseThatBringNothingTakeTheirTurnToo) {
  const Duration late = 2 * kPacket + 1us;
  const PacketRun run =
      run_star(3, one_at_a_time(),
               {{.from = Rank{1}, .to = Rank{0}, .size = Bytes{27'000}},
                {.from = Rank{2}, .to = Rank{0}, .size = Bytes{9'000}, .start = Time{late}}});
  EXPECT_EQ(run.statistics.trims, 1U);
  const Duration first = kPacket + onwards(kPacket);
  const Duration pulled = first + 2 * Duration{9'155'556};  // 9,064 ns / 0.99
  EXPECT_GT(pulled, first + 2 * kPacket + kControl) << "the header has come";
  const Duration again = pulled + kControl + onwards(kControl);
  EXPECT_EQ(run.completion[1].value() + late, again + kPacket + onwards(kPacket));
}

// With a window of two, a flow's third packet meets one of another host and is cut. The PULL that its second
// packet brought has found nothing to send, so that the NACK does not wait for the next one. The packets
// leave their host at 0, 9.064 and (pulled for by the first) 22.256 us; the other's is before the third, and
// comes to 40.064 us; the header follows it by 64 ns, and its NACK is back at 42.256 us.
TEST(NdpPulls, ThoseThatFoundNothingToSendAreUsedByTheNextNack) {
  PacketConfig config = one_at_a_time();
  config.of<NdpConfig>().initial_window = 2;
  const PacketRun run =
      run_star(3, config,
               {{.from = Rank{1}, .to = Rank{0}, .size = Bytes{27'000}},
                {.from = Rank{2}, .to = Rank{0}, .size = Bytes{9'000}, .start = Time{Duration{19'936'000}}}});
  EXPECT_EQ(run.statistics.trims, 1U);
  EXPECT_EQ(run.completion[0], Duration{42'256'000} + kPacket + onwards(kPacket));
}

// Two flows of a host in turns. The first one's first packet is cut, and goes again after all the others,
// which were allowed before; so the second ends as if nothing had been cut.
// Hosts twice as fast as the four paths between them.
TEST(NdpPulls, ComeAtTheRateOfAllPathsTogetherOverWhichAFlowIsSprayed) {
  const auto took = [](int spines) {
    const topology::Topology topology = topology::leaf_spine({.leaves = 2,
                                                              .hosts_per_leaf = 1,
                                                              .spines = spines,
                                                              .host = {200_Gbps, 1us},
                                                              .spine = {100_Gbps, 1us}});
    const PacketRun run =
        run_flows(topology, ndp(), {{.from = Rank{0}, .to = Rank{1}, .size = 100'000_B * 100}});
    EXPECT_EQ(run.statistics.timeouts, 0u);
    return to_us(*run.completion[0]);
  };
  const double at_200_gbps = 9'064.0 / 9'000 * 400 / 0.99;
  EXPECT_NEAR(took(4), at_200_gbps, 0.03 * at_200_gbps);
  EXPECT_NEAR(took(2), at_200_gbps, 0.03 * at_200_gbps);
  EXPECT_NEAR(took(1), 2 * at_200_gbps, 0.03 * 2 * at_200_gbps);
}

TEST(NdpHost, WhatIsSentAgainWaitsBehindWhatItsFlowWasAllowedBefore) {
  const Time later{1us};
  const PacketRun run = run_star(4, one_at_a_time(),
                                 {{.from = Rank{2}, .to = Rank{0}, .size = Bytes{9'000}},
                                  {.from = Rank{1}, .to = Rank{0}, .size = Bytes{90'000}, .start = later},
                                  {.from = Rank{1}, .to = Rank{3}, .size = Bytes{81'000}, .start = later}});
  EXPECT_EQ(run.statistics.trims, 1U);
  EXPECT_EQ(run.completion[2], train(19, 9'064));
  EXPECT_EQ(run.completion[1], train(20, 9'064));
}

TEST(NdpIncast, ALostHeaderCostsATimeout) {
  PacketConfig config = ndp_with(50);
  config.queue.trim.data_limit = Bytes{9'064};
  config.queue.trim.control_limit = Bytes{64};
  const PacketRun run = run_star(10, config, incast(9, Bytes{9'000}));
  EXPECT_GT(run.statistics.drops, 0U);
  EXPECT_GT(run.statistics.timeouts, 0U);
  EXPECT_EQ(run.finished, 9U);
  EXPECT_GT(run.makespan, Duration{1ms});
}

TEST(NdpIncast, TrimmingTheLastInTheQueueCutsAsOften) {
  for (const double arriving : {0.0, 0.5, 1.0}) {
    PacketConfig config = ndp_with(50);
    config.queue.trim.data_limit = Bytes{4 * 9'064};
    config.queue.trim.trim_arriving = arriving;
    EXPECT_EQ(run_star(10, config, incast(9, Bytes{9'000})).statistics.trims, 5U);
  }
}

// ---- RoCE: 1,024 bytes of payload and 62 of header, an ACK of 66 every sixteen packets

TEST(RoceMessage, GoesAtTheRateOfTheLinkFromTheStart) {
  for (const int packets : {1, 2, 16, 100}) {
    const PacketRun run = send(roce(), 1'024 * packets);
    EXPECT_EQ(run.completion[0], train(packets, 1'086));
    EXPECT_EQ(run.links[0].carried, Bytes{1'086 * packets});
  }
}

TEST(RoceMessage, IsAcknowledgedEverySixteenPacketsAndAtItsEnd) {
  for (const int packets : {1, 15, 16, 17, 32, 50})
    EXPECT_EQ(send(roce(), 1'024 * packets).links[1].carried, Bytes{66 * ((packets + 15) / 16)}) << packets;
}

TEST(RoceMessage, AnAckForEveryPacketMayBeAskedFor) {
  PacketConfig config = roce();
  config.of<RoceConfig>().ack_every = 1;
  EXPECT_EQ(send(config, 1'024 * 20).links[1].carried, Bytes{66 * 20});
}

TEST(RoceMessage, TheLastPacketIsAsLongAsItIs) {
  EXPECT_EQ(send(roce(), 1'025).links[0].carried, Bytes{1'086 + 63});
}

TEST(RoceIncast, WithPauseFramesNothingIsDroppedHoweverSmallTheBuffer) {
  PacketConfig config = roce();
  config.lossless.pfc.xoff = Bytes{10'000};
  const PacketRun run = run_star(9, config, incast(8, 256_KiB));
  EXPECT_EQ(run.finished, 8U);
  EXPECT_EQ(run.statistics.drops, 0U);
  EXPECT_GT(run.statistics.pauses, 0U);
  EXPECT_EQ(run.statistics.retransmissions, 0U);
  EXPECT_EQ(run.statistics.delivered, 256_KiB * 8);
}

TEST(RoceIncast, WithoutThemWhatIsLostIsSentAgainFromThereOn) {
  PacketConfig config = roce();
  config.lossless.control = LinkControl::none;
  config.lossless.buffer = Bytes{40'000};
  config.of<RoceConfig>().control = RateControl::none;
  const PacketRun run = run_star(9, config, incast(8, 64_KiB));
  EXPECT_EQ(run.finished, 8U);
  EXPECT_GT(run.statistics.drops, 0U);
  EXPECT_GT(run.statistics.retransmissions, run.statistics.drops)
      << "go-back-N sends more than what was lost";
  EXPECT_EQ(run.statistics.delivered, 64_KiB * 8) << "every byte counts once";
}

TEST(RoceIncast, DcqcnCutsRatesOnMarksAndRoceAloneDoesNot) {
  PacketConfig config = roce();
  config.lossless.ecn = {.min = Bytes{5'000}, .max = Bytes{20'000}, .probability = 1};
  const PacketRun with = run_star(5, config, incast(4, 512_KiB));
  EXPECT_GT(with.statistics.notifications, 0U);
  config.of<RoceConfig>().control = RateControl::none;
  const PacketRun without = run_star(5, config, incast(4, 512_KiB));
  EXPECT_EQ(without.statistics.notifications, 0U);
  const auto peak = [](const PacketRun& run) {
    return std::ranges::max(run.links, {}, &LinkRecord::peak_queue).peak_queue;
  };
  EXPECT_LT(peak(with), peak(without));
}

TEST(RocePriorities, ASmallMessageOvertakesLargeOnes) {
  std::vector<FlowSpec> flows = incast(4, 256_KiB);
  flows.push_back({.from = Rank{5}, .to = Rank{0}, .size = 1_KiB, .start = Time{100us}});
  PacketConfig config = roce();
  config.of<RoceConfig>().control = RateControl::none;
  const Duration waits = *run_star(6, config, flows).completion.back();
  config.lossless.small_first = {2_KiB};
  const Duration first = *run_star(6, config, flows).completion.back();
  EXPECT_GT(waits, Duration{200us}) << "a queue of four senders' packets";
  EXPECT_LT(first, train(1, 1'086) + 2 * Duration{1'086'000}) << "at most one packet is before it";
}

// ---- plain messages: 512 bytes and nothing else

TEST(PlainMessage, IsItsBytesAndNothingComesBack) {
  PacketConfig config;
  config.transport = kTransport<PlainConfig>;
  for (const int packets : {1, 2, 40}) {
    const PacketRun run = send(config, 512 * packets);
    EXPECT_EQ(run.completion[0], train(packets, 512));
    EXPECT_EQ(run.links[0].carried, Bytes{512 * packets});
    EXPECT_EQ(run.links[1].carried, Bytes{0});
  }
}

TEST(PlainMessage, MayBeInjectedMoreSlowly) {
  PacketConfig config;
  config.transport = kTransport<PlainConfig>;
  config.of<PlainConfig>().inject = 4_Gbps;  // half of the link
  const Duration slow = *send(config, 512 * 40).completion[0];
  EXPECT_GE(slow, 39 * Duration{2 * 512'000} + train(1, 512) - 1us);
  EXPECT_LE(slow, 40 * Duration{2 * 512'000} + train(1, 512));
}

// ---- htsim's DCTCP: a SYN with the first byte, then packets of 8,936 bytes; ACKs take no time

TEST(HtsimDctcpMessage, EveryPacketMoreIsAPacketsTimeMore) {
  const PacketConfig config = dlrm_study_dctcp();
  const Duration one = *send(config, 8'936).completion[0];
  EXPECT_GE(one, train(1, 8'936));
  for (const int packets : {2, 10, 100})
    EXPECT_EQ(*send(config, 8'936 * packets).completion[0] - one, Duration{8'936'000} * (packets - 1));
  EXPECT_EQ(*send(config, 8'937).completion[0], one) << "the SYN has a byte";
}

TEST(HtsimDctcpMessage, NothingReturnsOverTheNetwork) {
  const PacketRun run = send(dlrm_study_dctcp(), 50'000);
  EXPECT_EQ(run.links[1].carried, Bytes{0});
  EXPECT_GE(run.links[0].carried, Bytes{6 * 8'936}) << "full packets only";
}

// A port's limit counts the packet that is being sent: of as many as come at once, so many stay.
TEST(HtsimDctcpIncast, APortHoldsAsManyPacketsAsItsLimitSays) {
  for (const int limit : {1, 3, 6}) {
    for (const int senders : {2, 5, 9}) {
      PacketConfig config = dlrm_study_dctcp();
      config.queue.port_limit = Bytes{8'936 * limit};
      const PacketRun run = run_flows(topology::star({.hosts = senders + 1, .wire = kWire}), config,
                                      incast(senders, Bytes{8'936}), {.until = Time{1ms}});
      EXPECT_EQ(run.statistics.drops, static_cast<std::uint64_t>(std::max(0, senders - limit)));
    }
  }
}

// ---- any of them

TEST(Transports, EqualFlowsThatMeetEndTogether) {
  PacketConfig pauses_only = roce();
  pauses_only.of<RoceConfig>().control = RateControl::none;
  for (const PacketConfig& config : {PacketConfig{}, ndp(), pauses_only, dlrm_study_dctcp()}) {
    const PacketRun run = run_star(5, config, incast(4, 1_MiB));
    const auto [first, last] = std::ranges::minmax_element(run.completion);
    const Duration ideal = transfer_time(4_MiB, 8_Gbps);
    EXPECT_GE(**last, ideal);
    EXPECT_LT(**last, ideal * 12 / 10) << static_cast<int>(config.transport);
    EXPECT_GT(**first, ideal / 2) << "nobody is served alone";
  }
}

TEST(Transports, FlowsThatDoNotMeetDoNotSlowEachOther) {
  for (const PacketConfig& config : {PacketConfig{}, ndp(), roce(), dlrm_study_dctcp()}) {
    const Duration alone = *send(config, 300'000).completion[0];
    const PacketRun run = run_star(4, config,
                                   {{.from = Rank{0}, .to = Rank{1}, .size = Bytes{300'000}},
                                    {.from = Rank{2}, .to = Rank{3}, .size = Bytes{300'000}}});
    EXPECT_EQ(run.completion[0], alone) << static_cast<int>(config.transport);
    EXPECT_EQ(run.completion[1], alone) << static_cast<int>(config.transport);
  }
}

TEST(Transports, AMessageToItselfTakesNoTimeAndOneOfNoBytesTakesOne) {
  for (const PacketConfig& config : {PacketConfig{}, ndp(), roce(), dlrm_study_dctcp()}) {
    const PacketRun run = run_star(2, config,
                                   {{.from = Rank{1}, .to = Rank{1}, .size = 1_MiB},
                                    {.from = Rank{0}, .to = Rank{1}, .size = Bytes{0}}});
    EXPECT_EQ(run.completion[0], Duration{});
    EXPECT_GT(*run.completion[1], Duration{2us});
    EXPECT_EQ(run.statistics.delivered, Bytes{1});
  }
}

}  // namespace
}  // namespace overture::network::packet
