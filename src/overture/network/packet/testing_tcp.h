// TCP against a receiver, or a sender, that the test plays by hand: every packet is looked at, every ACK is
// written by the test. Links of 8 Gbps, where a byte takes a nanosecond, and wires of 1 us.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "overture/network/packet/tcp.h"
#include "overture/topology/star.h"

namespace overture::network::packet {

using namespace literals;

inline constexpr std::uint32_t kSegment = 1000;
inline constexpr topology::Wire kWire{.rate = 8_Gbps, .delay = 1us, .tier = 0};

// Segments of 1,000 bytes with a header of 40, ten of them at first; timeouts of at least 10 us.
inline PacketConfig plain_tcp() {
  PacketConfig config;
  config.of<TcpConfig>().segment = Bytes{kSegment};
  config.of<TcpConfig>().header = Bytes{40};
  config.of<TcpConfig>().ack = Bytes{40};
  config.of<TcpConfig>().receive_window = config.of<TcpConfig>().first_window = 1_MiB;
  config.of<TcpConfig>().min_rto = 10us;
  return config;
}

// What a packet said, when it reached the other host.
struct SeenPacket {
  std::uint32_t sequence = 0;
  std::uint32_t length = 0;
  Time when;

  friend bool operator==(const SeenPacket& seen, const std::pair<std::uint32_t, std::uint32_t>& expected) {
    return std::pair(seen.sequence, seen.length) == expected;
  }
};

// Host 0 and host 1 on a switch. The TCP under test is at one of them; what it sends ends here.
class TcpBench {
 public:
  static constexpr bool kTrims = false;

  explicit TcpBench(const PacketConfig& config = plain_tcp()) : config_(config) {}

  // ---- what the test says and sees

  // Host 0 has so much to send, from now on.
  std::uint32_t write(std::int64_t bytes) {
    const std::uint32_t message = tcp.post(0, 1, bytes, fabric.now());
    settle();
    return message;
  }
  // The other host acknowledges what is before `offset`, and that it holds `blocks`, newest first.
  void ack(std::uint32_t offset, const std::vector<Interval>& blocks = {}, bool congested = false) {
    Packet packet;
    packet.kind = Kind::ack;
    packet.sequence = offset;
    packet.info = kNone;
    packet.flags = congested ? kCongested : std::uint8_t{0};
    if (!blocks.empty()) {
      SackBlocks& told = mail_.blocks.emplace_back();
      for (const Interval& block : blocks) told.blocks[static_cast<std::size_t>(told.count++)] = block;
      packet.info = static_cast<std::uint32_t>(mail_.blocks.size() - 1);
      tcp.unpack(packet, mail_);
    }
    tcp.receive(packet);
    settle();
  }
  // A data packet of flow 0 reaches host 1.
  void data(std::uint32_t offset, std::uint32_t length, bool congested = false) {
    Packet packet;
    packet.sequence = offset;
    packet.info = length;
    packet.flags = congested ? kCongested : std::uint8_t{0};
    tcp.receive(packet);
    settle();
  }
  // Both, a segment at a time: what flow 0 sent reaches host 1, and host 0 hears of it.
  void deliver(std::uint32_t begin, std::uint32_t end) {
    for (; begin < end; begin += kSegment) {
      data(begin, kSegment);
      ack(begin + kSegment);
    }
  }
  void wait_until(Time when) {
    fabric.set_timer(kAlarm, when.time_since_epoch().count());
    fabric.run(*this, when.time_since_epoch().count());
  }
  Flow& flow(std::size_t id = 0) { return shared.flows[id]; }
  // What came since it was last asked.
  std::vector<SeenPacket> sent() { return std::exchange(sent_, {}); }
  struct Answer {
    std::uint32_t expected;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> blocks;
    bool echo;
    std::uint16_t size;
    Time when;
  };
  std::vector<Answer> answers() { return std::exchange(answers_, {}); }

  // ---- what the fabric calls

  std::uint32_t post(int, int, std::int64_t, std::int64_t) { return 0; }
  void reserve(std::size_t) {}
  std::uint64_t outstanding() const { return 0; }
  std::vector<Completion>& completions() { return tcp.completions(); }
  const TransportCounts& counts() const { return tcp.counts(); }
  std::size_t flows() const { return 0; }
  std::size_t memory() const { return 0; }
  void receive(Packet packet) {
    const Time now{Duration{fabric.now()}};
    if (packet.kind == Kind::data) return sent_.push_back({packet.sequence, packet.info, now});
    Answer answer{packet.sequence, {}, (packet.flags & kCongested) != 0, packet.size, now};
    Tcp::Mail mail;
    tcp.pack(packet, mail);
    for (const SackBlocks& told : mail.blocks) {
      for (int i = 0; i < told.count; ++i) {
        const Interval& block = told.blocks[static_cast<std::size_t>(i)];
        answer.blocks.emplace_back(block.begin, block.end);
      }
    }
    answers_.push_back(answer);
  }
  void timer(std::uint32_t id) {
    if (id != kAlarm) tcp.timer(id);
  }
  int destination(const Packet& packet) const { return tcp.destination(packet); }
  void prefetch(const Packet&) const {}
  bool pause() const { return false; }
  void resume() {}

 private:
  static constexpr std::uint32_t kAlarm = std::uint32_t{1} << 28;  // a timer of the test's

  // Lets packets that are on their way arrive, and messages start, without letting a timeout come.
  void settle() {
    const std::int64_t least = fabric.now() + 1;
    fabric.run(*this, least);
  }

  PacketConfig config_;
  topology::Topology topology_ = topology::star({.hosts = 2, .wire = kWire});
  Tcp::Mail mail_;
  std::vector<SeenPacket> sent_;
  std::vector<Answer> answers_;

 public:
  Fabric fabric{topology_, config_};
  TcpConnections shared;
  Tcp tcp{config_.of<TcpConfig>(), fabric, Pause::never, shared};
};

}  // namespace overture::network::packet
