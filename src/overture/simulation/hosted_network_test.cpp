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
  HostedBench(int cores, int ranks)
      : wires_(ranks, events_),
        cores_(cores, HostedNetwork::threads(ranks), events_),
        network_({.cores = cores, .message = microseconds(10), .per_million = microseconds(20)}, wires_,
                 cores_, events_) {}

  void send(Rank from, Rank to, Bytes size) {
    network_.send({from, to, size}, [this] { delivered.push_back(events_.now()); });
  }
  void compute(Rank rank, Duration length) {
    cores_.add(
        static_cast<std::size_t>(index(rank)), length, [] {}, [this] { computed.push_back(events_.now()); });
  }
  void run() { events_.run(); }

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

// One core: what a message costs both sides, 60 us in all, is taken from the computing of a third party.
TEST(HostedNetwork, CarryingTakesTheCoresOfOthers) {
  HostedBench bench(1, 3);
  bench.compute(Rank{2}, microseconds(1000));
  bench.send(Rank{0}, Rank{1}, Bytes{1'000'000});
  bench.run();
  EXPECT_EQ(bench.computed, (std::vector{Time{microseconds(1060)}}));
  EXPECT_EQ(bench.delivered, (std::vector{Time{microseconds(140)}}));  // 2 x 10, 100 (bytes: 3 x 20), 2 x 10
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
