// What cannot work is refused before the run, and by name.
#include "overture/network/packet/config.h"

#include <cstdio>

#include <gtest/gtest.h>
#include <unistd.h>

#include "overture/base/memory.h"
#include "overture/base/testing.h"

namespace overture::network::packet {
namespace {

using namespace literals;

struct Case {
  PacketConfig (*base)();
  void (*change)(PacketConfig&);
  std::string_view says;
};

PacketConfig tcp() { return {}; }

const Case kRefused[]{
    {tcp, [](PacketConfig& c) { c.threads = 0; }, "threads: at least 1"},
    {tcp, [](PacketConfig& c) { c.entropies = 0; }, "entropies: at least 1"},
    {tcp, [](PacketConfig& c) { c.entropies = 2; }, "entropies: they need paths: hash_per_flow"},
    {tcp, [](PacketConfig& c) { c.of<TcpConfig>().segment = 0_B; }, "tcp: a segment has at least one byte"},
    {tcp, [](PacketConfig& c) { c.of<TcpConfig>().segment = 65'500_B; }, "at most 65535 B"},
    {tcp, [](PacketConfig& c) { c.of<TcpConfig>().ack = 0_B; }, "tcp: an ACK has 1 to 65499 B"},
    {tcp, [](PacketConfig& c) { c.of<TcpConfig>().ack = 65'500_B; }, "tcp: an ACK has 1 to 65499 B"},
    {tcp, [](PacketConfig& c) { c.of<TcpConfig>().initial_window = 0; },
     "tcp: the initial window is at least one segment"},
    {tcp, [](PacketConfig& c) { c.of<TcpConfig>().initial_window = 2'000'000; }, "at most 2 GiB"},
    {tcp, [](PacketConfig& c) { c.of<TcpConfig>().receive_window = 1'000_B; },
     "tcp: a window holds at least one segment"},
    {tcp, [](PacketConfig& c) { c.of<TcpConfig>().first_window = Bytes{std::int64_t{1} << 31}; },
     "at most 2 GiB"},
    {tcp, [](PacketConfig& c) { c.of<TcpConfig>().ack_delay = Duration{-1}; },
     "tcp: the ACK delay cannot be negative"},
    {tcp, [](PacketConfig& c) { c.of<TcpConfig>().send_delay = Duration{-1}; },
     "tcp: the send delay cannot be negative"},
    {tcp, [](PacketConfig& c) { c.of<TcpConfig>().min_rto = Duration{}; },
     "tcp: the minimum RTO is positive"},
    {tcp, [](PacketConfig& c) { c.of<TcpConfig>().max_rto = 1us; }, "not above the maximum"},
    {tcp, [](PacketConfig& c) { c.of<TcpConfig>().max_rto = 2000s; }, "is too long"},
    {tcp, [](PacketConfig& c) { c.of<TcpConfig>().duplicate_acks = 0; },
     "tcp: 1 to 255 duplicate ACKs make a loss"},
    {tcp, [](PacketConfig& c) { c.of<TcpConfig>().duplicate_acks = 256; },
     "tcp: 1 to 255 duplicate ACKs make a loss"},
    {tcp, [](PacketConfig& c) { c.queue.dynamic_alpha = 1; }, "needs a shared_limit"},
    {tcp, [](PacketConfig& c) { c.queue.port_limit = 1'000_B; }, "queue: a limit holds at least one packet"},
    {tcp, [](PacketConfig& c) { c.queue.shared_limit = 1'489_B; },
     "queue: a limit holds at least one packet"},
    {tcp, [](PacketConfig& c) { c.queue.mark_above = Bytes{-1}; }, "queue: a mark is not below 0 B"},
    {ndp, [](PacketConfig& c) { c.of<NdpConfig>().payload = 0_B; },
     "ndp: a packet has at least one byte of payload"},
    {ndp, [](PacketConfig& c) { c.of<NdpConfig>().header = 0_B; }, "ndp: a header has at least one byte"},
    {ndp, [](PacketConfig& c) { c.of<NdpConfig>().control = 0_B; }, "ndp: a control packet has 1 to 65535 B"},
    {ndp, [](PacketConfig& c) { c.of<NdpConfig>().initial_window = 0; },
     "ndp: the initial window is at least one packet"},
    {ndp, [](PacketConfig& c) { c.of<NdpConfig>().pull_rate = 0; },
     "ndp: the pull rate is above 0 and at most 1"},
    {ndp, [](PacketConfig& c) { c.of<NdpConfig>().pull_rate = 1.01; },
     "ndp: the pull rate is above 0 and at most 1"},
    {ndp, [](PacketConfig& c) { c.of<NdpConfig>().max_rto = 1us; },
     "ndp: the minimum RTO is positive and not above"},
    {ndp, [](PacketConfig& c) { c.queue.port_limit = 1_MiB; }, "NDP's queues have the limits in trim"},
    {ndp, [](PacketConfig& c) { c.queue.mark_above = 1_MiB; }, "NDP's queues have the limits in trim"},
    {ndp, [](PacketConfig& c) { c.queue.trim.data_limit = 9'063_B; },
     "a data limit holds at least one packet"},
    {ndp, [](PacketConfig& c) { c.queue.trim.control_limit = 63_B; },
     "a control limit holds at least one header"},
    {ndp, [](PacketConfig& c) { c.queue.trim.trim_arriving = 1.5; }, "from 0 to 1"},
    {dlrm_study_dctcp, [](PacketConfig& c) { c.of<HtsimDctcpConfig>().packet = 0_B; },
     "htsim_dctcp: a packet has"},
    {dlrm_study_dctcp, [](PacketConfig& c) { c.of<HtsimDctcpConfig>().initial_window = 0; },
     "htsim_dctcp: windows hold"},
    {dlrm_study_dctcp, [](PacketConfig& c) { c.of<HtsimDctcpConfig>().gain = 0; },
     "htsim_dctcp: the gain is above 0"},
    {dlrm_study_dctcp, [](PacketConfig& c) { c.of<HtsimDctcpConfig>().scan = Duration{}; },
     "timeout and scan are positive"},
    {dlrm_study_dctcp, [](PacketConfig& c) { c.queue.port_limit = 8'935_B; },
     "a limit holds at least one packet"},
    {roce, [](PacketConfig& c) { c.of<RoceConfig>().payload = 0_B; },
     "roce: a packet has at least one byte of payload"},
    {roce, [](PacketConfig& c) { c.of<RoceConfig>().ack = 2'000_B; }, "not larger than a data packet"},
    {roce, [](PacketConfig& c) { c.of<RoceConfig>().ack_every = 0; },
     "roce: an ACK comes at least every packet"},
    {roce, [](PacketConfig& c) { c.of<RoceConfig>().max_rto = 1us; }, "roce: the minimum RTO is positive"},
    {roce, [](PacketConfig& c) { c.paths = topology::PathRule::spray; }, "use hash_per_flow"},
    {roce, [](PacketConfig& c) { c.lossless.control = LinkControl::credits; }, "transport: plain"},
    {roce, [](PacketConfig& c) { c.of<RoceConfig>().dcqcn.alpha_timer = Duration{}; },
     "roce.dcqcn: timers are positive"},
    {roce, [](PacketConfig& c) { c.of<RoceConfig>().dcqcn.gain = 2; }, "roce.dcqcn: the gain"},
    {roce, [](PacketConfig& c) { c.of<RoceConfig>().dcqcn.byte_counter = 0_B; },
     "roce.dcqcn: the byte counter"},
    {roce, [](PacketConfig& c) { c.of<RoceConfig>().dcqcn.fast_recovery = -1; }, "roce.dcqcn: the steps"},
    {roce, [](PacketConfig& c) { c.of<RoceConfig>().dcqcn.minimum = {}; }, "roce.dcqcn: rates are above 0"},
    {roce, [](PacketConfig& c) { c.lossless.buffer = 1'000_B; },
     "a switch's buffer holds at least one packet"},
    {roce, [](PacketConfig& c) { c.lossless.pfc.xoff = 0_B; }, "lossless.pfc: XOFF is above 0 B"},
    {roce, [](PacketConfig& c) { c.lossless.pfc.headroom = 1'000_B; }, "headroom holds at least one packet"},
    {roce, [](PacketConfig& c) { c.lossless.pfc.dynamic_alpha = 0; },
     "lossless.pfc: dynamic_alpha is above 0"},
    {roce, [](PacketConfig& c) { c.lossless.ecn.max = 1_B, c.lossless.ecn.min = 2_B; },
     "max is at least min"},
    {roce, [](PacketConfig& c) { c.lossless.ecn.probability = 1.1; }, "the probability is from 0 to 1"},
    {roce, [](PacketConfig& c) { c.lossless.small_first.resize(7); }, "there are at most 8 priorities"},
    {roce,
     [](PacketConfig& c) {
       c.lossless.small_first = {2_B, 1_B};
     },
     "in ascending order"},
    {plain_credits, [](PacketConfig& c) { c.of<PlainConfig>().payload = 0_B; },
     "plain: a packet has at least one byte"},
    {plain_credits, [](PacketConfig& c) { c.of<PlainConfig>().inject = 1_Gbps; }, "leave plain.inject out"},
    {plain_credits, [](PacketConfig& c) { c.lossless.control = LinkControl::none; },
     "links need pfc or credits"},
    {plain_credits, [](PacketConfig& c) { c.lossless.credits.flit = 0_B; }, "a flit has 1 to 65535 B"},
    {plain_credits, [](PacketConfig& c) { c.lossless.credits.channels = 0; },
     "a class has 1 to 1024 channels"},
    {plain_credits, [](PacketConfig& c) { c.lossless.credits.buffer_flits = 0; }, "at least one flit"},
    {plain_credits, [](PacketConfig& c) { c.lossless.small_first = {1_B}; }, "there are no priorities"},
};

TEST(PacketConfig, WhatCannotWorkIsRefusedByName) {
  for (const Case& refused : kRefused) {
    PacketConfig config = refused.base();
    refused.change(config);
    EXPECT_NE(user_error([&] { require_sound(config); }).find(refused.says), std::string::npos)
        << refused.says << "\nbut: " << user_error([&] { require_sound(config); });
  }
}

TEST(PacketConfig, EveryPresetWorks) {
  for (const auto preset : {tcp, ndp, htsim_ndp, roce, plain_credits, dlrm_study_dctcp})
    EXPECT_EQ(user_error([&] { require_sound(preset()); }), "");
}

// At the very edge of what is refused.
TEST(PacketConfig, TheSmallestThatWorkDo) {
  PacketConfig config;
  config.of<TcpConfig>().segment = 1_B;
  config.of<TcpConfig>().header = 0_B;
  config.of<TcpConfig>().ack = 1_B;
  config.of<TcpConfig>().initial_window = 1;
  config.of<TcpConfig>().receive_window = config.of<TcpConfig>().first_window = 1_B;
  config.of<TcpConfig>().min_rto = config.of<TcpConfig>().max_rto = Duration{1};
  config.of<TcpConfig>().duplicate_acks = 1;
  config.queue.port_limit = 1_B;
  config.queue.mark_above = 0_B;
  EXPECT_EQ(user_error([&] { require_sound(config); }), "");
}

TEST(PacketConfig, TheLargestPacketIsPayloadAndHeader) {
  EXPECT_EQ(largest_packet(tcp()), 1'490_B);
  EXPECT_EQ(largest_packet(ndp()), 9'064_B);
  EXPECT_EQ(largest_packet(dlrm_study_dctcp()), 8'936_B);
  EXPECT_EQ(largest_packet(roce()), 1'086_B);
  EXPECT_EQ(largest_packet(plain_credits()), 512_B);
}

TEST(PacketConfig, TransportsUseConnectionsAsTheyMust) {
  EXPECT_EQ(connections_of(tcp()), ConnectionUse::per_pair);
  PacketConfig each = tcp();
  each.of<TcpConfig>().connections = ConnectionUse::per_message;
  EXPECT_EQ(connections_of(each), ConnectionUse::per_message);
  EXPECT_EQ(connections_of(ndp()), ConnectionUse::per_message);
  EXPECT_EQ(connections_of(roce()), ConnectionUse::per_pair);
  EXPECT_EQ(connections_of(plain_credits()), ConnectionUse::per_pair);
  EXPECT_EQ(connections_of(dlrm_study_dctcp()), ConnectionUse::per_message);
}

TEST(PacketConfig, ANetworkThatIsTooLargeSaysHowMuchItNeeds) {
  // In a process of its own, which keeps the limit.
  const auto ask = [](std::size_t bytes) {
    limit_memory(Bytes{1 << 30});
    std::fputs(user_error([&] { require_memory(10, bytes); }).c_str(), stderr);
    _exit(0);
  };
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they know no limit
  EXPECT_EXIT(ask(std::size_t{1} << 30), ::testing::ExitedWithCode(0), "^$");
  EXPECT_EXIT(ask((std::size_t{1} << 30) + 1), ::testing::ExitedWithCode(0),
              "a network of 10 links needs about 1.000 GiB of memory, more than the 1.000 GiB");
#endif
}

// 100 KB and 400 KB at 25 Gbps, four times that at 100.
TEST(EcnConfig, ThresholdsGrowWithTheLink) {
  const EcnConfig usual;
  EXPECT_EQ(usual.min_at(25_Gbps), 100'000_B);
  EXPECT_EQ(usual.max_at(25_Gbps), 400'000_B);
  EXPECT_EQ(usual.min_at(100_Gbps), 400'000_B);
  EXPECT_EQ(usual.max_at(100_Gbps), 1'600'000_B);
}

TEST(EcnConfig, WhatIsGivenIsTakenAndTheMinimumStaysBelow) {
  EXPECT_EQ(EcnConfig{.min = 5_KiB}.min_at(100_Gbps), 5_KiB);
  EXPECT_EQ(EcnConfig{.max = 50_KiB}.min_at(100_Gbps), 50_KiB) << "not above the maximum";
  EXPECT_EQ(EcnConfig{.max = 50_KiB}.max_at(100_Gbps), 50_KiB);
  EXPECT_EQ(EcnConfig{.min = 9_MiB}.max_at(100_Gbps), 9_MiB) << "not below the minimum";
}

}  // namespace
}  // namespace overture::network::packet
