#include <thread>

#include <gtest/gtest.h>

#include "overture/rpc/in_process.h"
#include "overture/rpc/wire.h"

namespace overture::rpc {
namespace {

using namespace literals;

TEST(Wire, ReadsBackWhatWasWritten) {
  Buffer buffer;
  WireWriter out(buffer);
  out.put(std::int32_t{7});
  const std::vector<std::uint32_t> numbers{1, 2, 3};
  out.put(std::span<const std::uint32_t>(numbers));
  out.put(std::string("rows"));
  out.room<float>(2)[1] = 2.5f;
  out.put(std::span<const double>());

  WireReader in(buffer);
  EXPECT_EQ(in.get<std::int32_t>(), 7);
  const auto read = in.array<std::uint32_t>();
  EXPECT_EQ(std::vector(read.begin(), read.end()), numbers);
  EXPECT_EQ(in.text(), "rows");
  EXPECT_EQ(in.array<float>()[1], 2.5f);
  EXPECT_TRUE(in.array<double>().empty());
}

TEST(InProcess, MessagesOfAPairKeepTheirOrder) {
  InProcess network({std::nullopt, Link{10_Gbps, 10us}});
  std::thread sender([&] {
    for (std::int64_t i = 0; i < 500; ++i) {
      network.party(Address{0})
          .send({.to = Address{1}, .step = i, .payload = Buffer(static_cast<std::size_t>(i % 7))});
    }
  });
  Message message;
  for (std::int64_t i = 0; i < 500; ++i) {
    ASSERT_TRUE(network.party(Address{1}).receive(message));
    EXPECT_EQ(message.step, i);
    EXPECT_EQ(message.from, Address{0});
  }
  sender.join();
}

TEST(InProcess, ALinkTakesItsTime) {
  InProcess network({std::nullopt, Link{8_Mbps, 5ms}});
  const auto started = std::chrono::steady_clock::now();
  network.party(Address{0}).send({.to = Address{1}, .payload = Buffer(10'000)});  // 10 ms on the wire
  Message message;
  ASSERT_TRUE(network.party(Address{1}).receive(message));
  EXPECT_GE(std::chrono::steady_clock::now() - started, 15ms);
  EXPECT_EQ(message.payload.size(), 10'000u);
}

TEST(InProcess, WhatIsDueEarlierOvertakesWhatIsWaitedFor) {
  InProcess network({Link{10_Gbps, 1h}, std::nullopt, std::nullopt});
  network.party(Address{0}).send({.to = Address{2}});
  std::thread sender([&] {
    std::this_thread::sleep_for(5ms);  // by now the receiver waits for the late one
    for (std::int64_t i = 0; i < 50; ++i) network.party(Address{1}).send({.to = Address{2}, .step = i});
  });
  Message message;
  for (std::int64_t i = 0; i < 50; ++i) {
    ASSERT_TRUE(network.party(Address{2}).receive(message));
    EXPECT_EQ(message.from, Address{1});
    EXPECT_EQ(message.step, i);
  }
  sender.join();
}

TEST(InProcess, CloseWakesThoseWhoWait) {
  InProcess network({std::nullopt});
  std::thread closer([&] { network.close(); });
  Message message;
  EXPECT_FALSE(network.party(Address{0}).receive(message));
  closer.join();
}

}  // namespace
}  // namespace overture::rpc
