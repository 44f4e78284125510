#include "overture/simulation/hosted_network.h"

#include <gtest/gtest.h>

namespace overture::simulation {
namespace {

using network::Message;
using std::chrono::microseconds;

// Every message takes 100 us, whatever its size.
class SlowWires final : public network::Network {
 public:
  SlowWires(int ranks, sim::EventQueue& events) : Network(ranks, events) {}

 private:
  void carry(const Message& /*message*/, Action delivered) override {
    events().after(microseconds(100), delivered);
  }
};

// A message costs each side 10 us and 20 us for a million bytes.
class HostedBench {
 public:
  HostedBench(int cores, int ranks, Duration interrupts = {})
      : wires_(ranks, events_),
        cores_(cores, HostedNetwork::threads(ranks), events_),
        network_({.cores = cores,
                  .message = microseconds(10),
                  .per_million = microseconds(20),
                  .interrupts_per_million = interrupts},
                 wires_, cores_, events_) {}

  void send(Rank from, Rank to, Bytes size) {
    network_.send({from, to, size}, [this] { delivered.push_back(events_.now()); });
  }
  void compute(Rank rank, Duration length) {
    cores_.add(
        static_cast<std::size_t>(index(rank)), length, [] {}, [this] { computed.push_back(events_.now()); });
  }
  void run() { events_.run(); }

  static std::vector<int> in_us(const std::vector<Time>& times) {
    std::vector<int> all;
    for (const Time time : times)
      all.push_back(static_cast<int>(std::chrono::round<microseconds>(time - Time{}).count()));
    return all;
  }
  std::vector<int> delivered_us() const { return in_us(delivered); }
  std::vector<int> computed_us() const { return in_us(computed); }

  std::vector<Time> delivered;
  std::vector<Time> computed;

 private:
  sim::EventQueue events_;
  SlowWires wires_;
  CorePool cores_;
  HostedNetwork network_;
};

TEST(HostedNetwork, AMessageCostsBothSidesBeforeAndAfterTheWires) {
  HostedBench bench(4, 2);
  bench.send(Rank{0}, Rank{1}, Bytes{1'000'000});
  bench.run();
  EXPECT_EQ(bench.delivered, (std::vector{Time{microseconds(120)}}));  // 10 + 100, while bytes take 20, + 10
}

TEST(HostedNetwork, BytesThatTakeLongerThanTheWiresDecide) {
  HostedBench bench(4, 2);
  bench.send(Rank{0}, Rank{1}, Bytes{10'000'000});
  bench.run();
  EXPECT_EQ(bench.delivered, (std::vector{Time{microseconds(220)}}));  // 10 + 200 + 10
}

// One core: the sender's 10 us and its 20 us for the bytes come when the turn of who computes ends, after 700
// us. That goes on then; the bytes have arrived before it ends, and the receiver's 20 + 10 us come last.
TEST(HostedNetwork, CarryingTakesTurnsWithOthers) {
  HostedBench bench(1, 3);
  bench.compute(Rank{2}, microseconds(1000));
  bench.send(Rank{0}, Rank{1}, Bytes{1'000'000});
  bench.run();
  EXPECT_EQ(bench.computed_us(), std::vector{1030});
  EXPECT_EQ(bench.delivered_us(), std::vector{1060});
}

// The sender takes 10 us, an interrupt 30, its bytes 20; then 500 us are computed, and in between come 30 of
// the interrupt at the other end.
TEST(HostedNetwork, InterruptsTakeTheCoreFromWhoeverComputes) {
  HostedBench bench(1, 3, microseconds(30));
  bench.send(Rank{0}, Rank{1}, Bytes{1'000'000});
  bench.compute(Rank{2}, microseconds(500));
  bench.run();
  EXPECT_EQ(bench.computed_us(), std::vector{590});
  EXPECT_EQ(bench.delivered_us(), std::vector{620});
}

TEST(HostedNetwork, ARankSendsOneMessageAfterTheOther) {
  HostedBench bench(8, 3);
  for (const int to : {1, 2}) bench.send(Rank{0}, Rank{to}, Bytes{});
  bench.run();
  EXPECT_EQ(bench.delivered, (std::vector{Time{microseconds(120)}, Time{microseconds(130)}}));
}

TEST(HostedNetwork, AMessageToOneselfIsFree) {
  HostedBench bench(1, 2);
  bench.send(Rank{1}, Rank{1}, Bytes{1'000'000});
  bench.run();
  EXPECT_EQ(bench.delivered, (std::vector{Time{}}));
}

TEST(HostedNetwork, EveryMessageArrivesOnce) {
  HostedBench bench(2, 4);
  for (int i = 0; i < 100; ++i) bench.send(Rank{i % 4}, Rank{(i + 1 + i / 4 % 3) % 4}, Bytes{1000 * i});
  bench.run();
  EXPECT_EQ(bench.delivered.size(), 100u);
}

}  // namespace
}  // namespace overture::simulation
