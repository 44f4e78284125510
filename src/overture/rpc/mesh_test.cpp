// Parties over ZeroMQ, each in a process or a thread of this one.
#include "overture/rpc/mesh.h"

#include <chrono>
#include <future>
#include <thread>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "overture/base/error.h"

namespace overture::rpc {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

int mesh_port() {
  static int next = 0;
  return 40000 + (getpid() * 11 + next++ * 37) % 20000;
}

struct MeshPlace {
  int count = 3;
  int port = mesh_port();

  MeshConfig config(int self) const {
    return {.self = Address{self},
            .count = count,
            .master_ip = "127.0.0.1",
            .master_port = port,
            .timeout = std::chrono::seconds(60),
            .terms = "tests",
            .names = [](Address party) { return "party " + std::to_string(index(party)); }};
  }
};

// All parties of a place, made at once.
std::vector<std::unique_ptr<Mesh>> meet(const MeshPlace& place) {
  std::vector<std::future<std::unique_ptr<Mesh>>> coming;
  for (int self = 0; self < place.count; ++self)
    coming.push_back(
        std::async(std::launch::async, [&, self] { return std::make_unique<Mesh>(place.config(self)); }));
  std::vector<std::unique_ptr<Mesh>> parties;
  for (auto& one : coming) parties.push_back(one.get());
  return parties;
}

TEST(Mesh, MessagesOfAPairKeepTheirOrderAndTheirBytes) {
  const auto parties = meet({});
  constexpr std::int64_t kMessages = 200;
  for (std::int64_t i = 0; i < kMessages; ++i) {
    for (const int from : {0, 1}) {
      Buffer payload(static_cast<std::size_t>(i * 997 % 5000));
      for (std::byte& one : payload) one = static_cast<std::byte>(from + i);
      parties[static_cast<std::size_t>(from)]->send(
          {.to = Address{2}, .kind = 7, .step = i, .payload = std::move(payload)});
    }
  }
  std::vector<std::int64_t> next(2);
  for (std::int64_t i = 0; i < 2 * kMessages; ++i) {
    const Received got = parties[2]->receive();
    ASSERT_TRUE(std::holds_alternative<Message>(got));
    const auto& message = std::get<Message>(got);
    const auto from = static_cast<std::size_t>(index(message.from));
    ASSERT_LT(from, 2u);
    EXPECT_EQ(message.kind, 7u);
    EXPECT_EQ(message.step, next[from]++);
    EXPECT_EQ(message.payload.size(), static_cast<std::size_t>(message.step * 997 % 5000));
    for (const std::byte one : message.payload)
      ASSERT_EQ(one, static_cast<std::byte>(static_cast<std::int64_t>(from) + message.step));
  }
}

TEST(Mesh, WhoFailsIsNamedToAllWithItsReasonAndNobodyElseIs) {
  auto parties = meet({.count = 4});
  parties[2]->fail("the disk is full");
  parties[2].reset();  // and ends at once
  for (const std::size_t self : {0, 1, 3}) {
    for (int again = 0; again < 2; ++again) {
      const Received got = parties[self]->receive();
      ASSERT_TRUE(std::holds_alternative<Gone>(got));
      EXPECT_EQ(std::get<Gone>(got).who, Address{2});
      EXPECT_EQ(std::get<Gone>(got).why, "the disk is full");
    }
  }
}

// One that has said good-bye is not missed, whatever else happens.
TEST(Mesh, WhoLeavesInGoodOrderIsNotMissed) {
  auto parties = meet({.count = 4});
  parties[1].reset();
  parties[2]->send({.to = Address{0}, .step = 1});
  ASSERT_TRUE(std::holds_alternative<Message>(parties[0]->receive()));
  std::thread later([&] {
    std::this_thread::sleep_for(1s);  // longer than last words are waited for
    parties[2]->send({.to = Address{0}, .step = 2});
  });
  EXPECT_TRUE(std::holds_alternative<Message>(parties[0]->receive()));
  later.join();
  parties[3]->fail("no reason");
  const Received got = parties[0]->receive();
  ASSERT_TRUE(std::holds_alternative<Gone>(got));
  EXPECT_EQ(std::get<Gone>(got).who, Address{3});
}

// What a party said last is longer on its way than its connection takes to close.
TEST(Mesh, LastWordsArriveBeforeAPartyIsMissed) {
  auto parties = meet({.count = 2});
  for (int i = 0; i < 64; ++i)
    parties[1]->send({.to = Address{0}, .step = i, .payload = Buffer(4 * kMegabyte)});
  std::thread ending([&] { parties[1].reset(); });
  for (int i = 0; i < 64; ++i) {
    const Received got = parties[0]->receive();
    ASSERT_TRUE(std::holds_alternative<Message>(got)) << i << ": " << std::get<Gone>(got).why;
    EXPECT_EQ(std::get<Message>(got).step, i);
    if (i == 0) std::this_thread::sleep_for(500ms);  // it computes
  }
  ending.join();
}

// A machine that stops takes nothing and says nothing: neither a heartbeat behind bytes that do not leave
// nor those bytes may keep the others from ending.
class StoppedParty : public ::testing::TestWithParam<int> {};

TEST_P(StoppedParty, IsNoticedAndNobodyWaitsForWhatCannotLeave) {
  const MeshPlace place;
  const pid_t stopped = fork();
  if (stopped == 0) {
    const Mesh mesh(place.config(1));
    raise(SIGSTOP);
    _exit(0);
  }
  const auto ends = [&](int self) {
    auto mesh = std::make_unique<Mesh>(place.config(self));
    int status = 0;
    if (self == 0) waitpid(stopped, &status, WUNTRACED);
    for (int i = 0; i < GetParam(); ++i) mesh->send({.to = Address{1}, .payload = Buffer(kMegabyte)});
    const auto began = Clock::now();
    const Received got = mesh->receive();
    EXPECT_TRUE(std::holds_alternative<Gone>(got));
    EXPECT_EQ(std::get<Gone>(got).who, Address{1});
    mesh.reset();
    return Clock::now() - began;
  };
  auto other = std::async(std::launch::async, ends, 2);
  EXPECT_LT(ends(0), 10s);
  EXPECT_LT(other.get(), 10s);
  kill(stopped, SIGKILL);
  waitpid(stopped, nullptr, 0);
}

INSTANTIATE_TEST_SUITE_P(WithMegabytesUnderWay, StoppedParty, ::testing::Values(0, 40));

TEST(Mesh, TwoWithOneNumberAreToldSoOnEverySide) {
  const MeshPlace place;
  std::vector<std::future<std::string>> said;
  for (const int self : {0, 1, 1}) {
    said.push_back(std::async(std::launch::async, [&, self]() -> std::string {
      try {
        const Mesh mesh(place.config(self));
      } catch (const UserError& error) {
        return error.what();
      }
      return "nothing";
    }));
  }
  for (auto& one : said) EXPECT_NE(one.get().find("two processes have worker-id 1"), std::string::npos);
}

TEST(Mesh, OtherTermsAndAnotherWorldAreToldSoOnEverySide) {
  for (const bool other_world : {false, true}) {
    const MeshPlace place{.count = 2};
    std::vector<std::future<std::string>> said;
    for (const int self : {0, 1}) {
      said.push_back(std::async(std::launch::async, [&, self]() -> std::string {
        MeshConfig config = place.config(self);
        if (self == 1 && other_world) config.count = 3;
        if (self == 1 && !other_world) config.terms = "other tests";
        try {
          const Mesh mesh(config);
        } catch (const UserError& error) {
          return error.what();
        }
        return "nothing";
      }));
    }
    const std::string what = other_world ? "was started with world-size 3, the oracle with 2"
                                         : "was started with other tests, the oracle with tests";
    for (auto& one : said) EXPECT_NE(one.get().find(what), std::string::npos);
  }
}

}  // namespace
}  // namespace overture::rpc
