#include <array>
#include <thread>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "overture/rpc/doorbell.h"
#include "overture/rpc/in_process.h"
#include "overture/rpc/local_processes.h"
#include "overture/rpc/silence.h"
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

TEST(Wire, LengthsOfAPeerAreNotTrusted) {
  for (const std::uint64_t count :
       {std::uint64_t{2}, std::uint64_t{1} << 60, ~std::uint64_t{0}, ~std::uint64_t{0} / 8}) {
    Buffer buffer;
    WireWriter out(buffer);
    out.put(count);
    out.put(std::uint64_t{7});
    EXPECT_THROW(WireReader(buffer).array<std::uint64_t>(), BadMessage) << count;
  }
  Buffer odd(13);
  EXPECT_THROW((WireReader(odd).get<std::array<char, 13>>()), BadMessage) << "the padding is missing";
  EXPECT_THROW(WireReader(Buffer()).get<char>(), BadMessage);
}

Message received(Transport& transport) {
  Received got = transport.receive();
  EXPECT_TRUE(std::holds_alternative<Message>(got));
  return std::get<Message>(std::move(got));
}

TEST(InProcess, MessagesOfAPairKeepTheirOrder) {
  InProcess network({std::nullopt, Link{10_Gbps, 10us}});
  std::thread sender([&] {
    for (std::int64_t i = 0; i < 500; ++i) {
      network.party(Address{0})
          .send({.to = Address{1}, .step = i, .payload = Buffer(static_cast<std::size_t>(i % 7))});
    }
  });
  for (std::int64_t i = 0; i < 500; ++i) {
    const Message message = received(network.party(Address{1}));
    EXPECT_EQ(message.step, i);
    EXPECT_EQ(message.from, Address{0});
  }
  sender.join();
}

TEST(InProcess, ALinkTakesItsTime) {
  InProcess network({std::nullopt, Link{8_Mbps, 5ms}});
  const auto started = std::chrono::steady_clock::now();
  network.party(Address{0}).send({.to = Address{1}, .payload = Buffer(10'000)});  // 10 ms on the wire
  const Message message = received(network.party(Address{1}));
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
  for (std::int64_t i = 0; i < 50; ++i) {
    const Message message = received(network.party(Address{2}));
    EXPECT_EQ(message.from, Address{1});
    EXPECT_EQ(message.step, i);
  }
  sender.join();
}

TEST(InProcess, WhoFailsFirstIsTheOneThatAllHearOf) {
  InProcess network({std::nullopt, std::nullopt, std::nullopt});
  network.party(Address{1}).send({.to = Address{0}});
  std::thread failing([&] {
    network.party(Address{2}).fail("the disk is full");
    network.party(Address{1}).fail("party 2 is gone");
  });
  failing.join();
  for (const int party : {0, 1, 0}) {
    const Received got = network.party(Address{party}).receive();
    ASSERT_TRUE(std::holds_alternative<Gone>(got));
    EXPECT_EQ(std::get<Gone>(got).who, Address{2});
    EXPECT_EQ(std::get<Gone>(got).why, "the disk is full");
  }
}

TEST(InProcess, AFailureWakesThoseWhoWait) {
  InProcess network({std::nullopt, std::nullopt});
  std::thread failing([&] { network.party(Address{1}).fail("no reason"); });
  EXPECT_TRUE(std::holds_alternative<Gone>(network.party(Address{0}).receive()));
  failing.join();
}

TEST(Doorbell, ARingIsNotLostAndWakesWhoWaits) {
  const Doorbell bell;
  EXPECT_FALSE(bell.wait(1ms));
  bell.ring();
  EXPECT_TRUE(bell.wait(10s));
  EXPECT_FALSE(bell.wait(1ms));
  EXPECT_TRUE(bell.ring(getpid()));
  EXPECT_TRUE(bell.wait(10s));
  std::thread ringing([&] { bell.ring(); });
  EXPECT_TRUE(bell.wait(10s));
  ringing.join();
}

TEST(Doorbell, AProcessThatHasNoneCannotBeReached) {
  const Doorbell bell;
  EXPECT_FALSE(bell.ring(1));
}

TEST(LocalProcesses, OneThatHasEndedIsTold) {
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  ProcessPlace far = ProcessPlace::here();
  far.machine += 1;
  LocalProcesses processes({ProcessPlace::here(), far, {ProcessPlace::here().machine, child}});
  EXPECT_EQ(processes.ended(), std::nullopt);
  kill(child, SIGKILL);
  siginfo_t info;
  waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);  // it stays a zombie
  EXPECT_EQ(processes.ended(), 2);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(processes.ended(), 2);
  processes.left(2);
  EXPECT_EQ(processes.ended(), std::nullopt);
}

// Where a message came it is read; the memory goes back once, however the buffer is moved.
TEST(Buffer, StartsInLentMemoryAndGivesItBackOnce) {
  std::array<std::byte, 64> memory{};
  memory[3] = std::byte{7};
  int given_back = 0;
  const auto release = [](void* owner) { ++*static_cast<int*>(owner); };
  const auto lent = [&] {
    return Buffer(memory.size(), Buffer::allocator_type({memory.data(), &given_back, release}));
  };
  {
    Buffer first = lent();
    EXPECT_EQ(first.data(), memory.data());
    Buffer second = std::move(first);
    EXPECT_EQ(second[3], std::byte{7});
    first.resize(100);  // has memory of its own
    Buffer third(10);
    third = std::move(second);
    EXPECT_EQ(third.data(), memory.data());
    const Buffer copy = third;
    EXPECT_NE(copy.data(), memory.data());
    std::swap(first, third);
    EXPECT_EQ(given_back, 0);
    first = Buffer(5);
    EXPECT_EQ(given_back, 1);
  }
  EXPECT_EQ(given_back, 1);
  {
    Buffer grows = lent();
    grows.resize(1000);
    EXPECT_EQ(given_back, 2);
    EXPECT_EQ(grows[3], std::byte{7});
  }
  EXPECT_EQ(given_back, 2);
}

TEST(SharedBytes, AllBuffersLieInTheSamePlaceUntilTheLastIsGone) {
  Buffer last;
  const std::byte* place = nullptr;
  {
    Buffer bytes(1000);
    bytes[7] = std::byte{9};
    place = bytes.data();
    const SharedBytes shared(std::move(bytes));
    const Buffer first = shared.lend();
    last = shared.lend();
    EXPECT_EQ(first.data(), place);
    EXPECT_EQ(first.size(), 1000u);
  }
  EXPECT_EQ(last.data(), place);
  EXPECT_EQ(last[7], std::byte{9});
  const Buffer copy = last;
  EXPECT_NE(copy.data(), place) << "a copy is the caller's own";
  EXPECT_EQ(copy, last);
  EXPECT_TRUE(SharedBytes(Buffer()).lend().empty());
}

TEST(Silence, TheOneThatHasBeenSilentLongestIsTold) {
  using namespace std::chrono_literals;
  const Silence::Time start{};
  Silence silence({false, true, true}, 6s, start);
  silence.heard(1, start + 1s);
  EXPECT_EQ(silence.silent(start + 5s), std::nullopt);
  EXPECT_EQ(silence.silent(start + 6s), 2);
  EXPECT_EQ(silence.silent(start + 8s), 2) << "rank 1 is silent, too, but not for so long";
  silence.left(2);
  EXPECT_EQ(silence.silent(start + 8s), 1);
  silence.heard(1, start + 8s);
  EXPECT_EQ(silence.silent(start + 9s), std::nullopt) << "rank 0 is not watched";
}

}  // namespace
}  // namespace overture::rpc
