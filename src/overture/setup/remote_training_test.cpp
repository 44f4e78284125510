#include "overture/setup/remote_training.h"

#include <gtest/gtest.h>

#include "overture/base/testing.h"
#include "overture/rpc/in_process.h"
#include "overture/rpc/wire.h"
#include "overture/train/driver.h"

namespace overture::setup {
namespace {

const std::string kYaml = "data: {synthetic: kaggle, scale: 0.0001}\nbatch_size: 64\n";

// What parties other than the oracle say when they come, in the order of their numbers.
struct Hello {
  std::string version = "1.0";
  std::string yaml;
  std::vector<std::string> assignments;
};

// As join() packs it.
rpc::Message hello_of(const Hello& hello) {
  rpc::Message message = train::make_message(train::Kind::hello, rpc::Address{0}, 0);
  rpc::WireWriter out(message.payload);
  out.put(hello.version);
  out.put(hello.yaml);
  out.put(static_cast<std::uint64_t>(hello.assignments.size()));
  for (const std::string& one : hello.assignments) out.put(one);
  return message;
}

TrainSetup gathered(const train::Parties& parties, const Started& oracle, const std::vector<Hello>& others) {
  rpc::InProcess network(std::vector<std::optional<rpc::Link>>(static_cast<std::size_t>(parties.count())));
  for (std::size_t i = 0; i < others.size(); ++i)
    network.party(rpc::Address{static_cast<int>(i) + 1}).send(hello_of(others[i]));
  const Meeting meeting{.transport = &network.party(rpc::Address{0}), .parties = parties};
  TrainSetup own = parse_train_setup(oracle.yaml.empty() ? kYaml : oracle.yaml, "", oracle.assignments);
  return gather(meeting, own, oracle);
}

std::string error_of(const train::Parties& parties, const Started& oracle, const std::vector<Hello>& others) {
  return user_error([&] { gathered(parties, oracle, others); });
}

const Started kOracle{.version = "1.0", .yaml = kYaml, .assignments = {}};

TEST(Gather, TheOraclesSetupIsThatOfAll) {
  const TrainSetup setup = gathered({2, 1}, kOracle, {{}, {}, {}});
  EXPECT_EQ(setup.batch_size, 64);
  EXPECT_EQ(setup.trainers, 2) << "as many as were started";
  EXPECT_EQ(setup.servers, 1);
}

TEST(Gather, WithoutAFileTheFlagsOfAllTogetherMakeTheSetup) {
  const Started oracle{.version = "1.0", .yaml = "", .assignments = {"steps=5"}};
  const TrainSetup setup = gathered(
      {1, 1}, oracle,
      {{.yaml = "", .assignments = {"cache.lookahead=7"}}, {.yaml = "", .assignments = {"steps=5"}}});
  EXPECT_EQ(setup.steps, 5);
  EXPECT_EQ(setup.cache.lookahead, 7);
}

TEST(Gather, TwoPartiesMustNotSayDifferentThingsOfAKey) {
  const Started oracle{.version = "1.0", .yaml = "", .assignments = {"steps=5"}};
  EXPECT_EQ(error_of({1, 1}, oracle, {{.yaml = "", .assignments = {"steps=6"}}, {}}),
            "steps: the oracle says 5, trainer 0 says 6\n  start all with the same value");
}

TEST(Gather, AnotherVersionIsRefused) {
  EXPECT_EQ(error_of({1, 1}, kOracle, {{}, {.version = "2.0", .yaml = "", .assignments = {}}}),
            "server 0 is overture 2.0, the oracle is 1.0\n  run the same version everywhere");
}

TEST(Gather, AnotherFileIsRefusedWithTheFirstLineThatDiffers) {
  EXPECT_EQ(
      error_of(
          {1, 1}, kOracle,
          {{.yaml = "data: {synthetic: kaggle, scale: 0.0001}\nbatch_size: 32\n", .assignments = {}}, {}}),
      "trainer 0 was started with another setup: \"batch_size: 32\" there, \"batch_size: 64\" at the oracle\n"
      "  give all the same file, or none to those who are not the oracle");
}

TEST(Gather, AFlagThatChangesTheOraclesSetupIsRefused) {
  EXPECT_EQ(
      error_of({1, 1}, kOracle, {{.yaml = "", .assignments = {"batch_size=128"}}, {}}),
      "trainer 0 was started with batch_size=128, which the oracle's setup does not say\n  give it to the "
      "oracle, too");
  EXPECT_EQ(error_of({1, 1}, kOracle, {{.yaml = "", .assignments = {"batch_size=64"}}, {}}), "");
}

TEST(Gather, WhatTheSetupCountsMustBeWhatWasStarted) {
  Started three = kOracle;
  three.yaml += "trainers: 3\n";
  EXPECT_EQ(error_of({2, 1}, three, {{}, {}, {}}), "trainers: the setup has 3, but 2 were started");
  Started servers = kOracle;
  servers.yaml += "servers: 3\n";
  EXPECT_EQ(error_of({1, 1}, servers, {{}, {}}), "servers: the setup has 3, but 1 were started");
}

TEST(Gather, ACacheNeedsAServer) {
  EXPECT_EQ(error_of({2, 0}, kOracle, {{}, {}}),
            "servers: no server was started, and the cache needs one\n  start a server, or set "
            "cache.lookahead to 0 "
            "and tables.sharding to table_wise");
}

TEST(Gather, WithoutACacheTrainersHoldWholeTablesAndNoServerIsStarted) {
  Started whole = kOracle;
  whole.yaml += "cache: {lookahead: 0}\ntables: {sharding: table_wise}\n";
  EXPECT_EQ(gathered({2, 0}, whole, {{}, {}}).trainers, 2);
  EXPECT_EQ(error_of({1, 1}, whole, {{}, {}}),
            "servers: 1 were started, but the trainers hold the tables\n  start none, or set cache.lookahead "
            "to 1 or "
            "more");
  Started hashed = kOracle;
  hashed.yaml += "cache: {lookahead: 0}\n";
  EXPECT_EQ(
      error_of({1, 0}, hashed, {{}}).rfind("cache.lookahead: 0 needs neither servers nor other processes", 0),
      0u);
}

TEST(Gather, AnythingButAHelloBreaksTheProtocol) {
  rpc::InProcess network({std::nullopt, std::nullopt, std::nullopt});
  network.party(rpc::Address{1}).send(train::make_message(train::Kind::ready, rpc::Address{0}, 0));
  const Meeting meeting{.transport = &network.party(rpc::Address{0}), .parties = {1, 1}};
  EXPECT_THROW(gather(meeting, parse_train_setup(kYaml, ""), kOracle), train::BadPeer);
}

TEST(Gather, APartyThatIsGoneIsNamed) {
  rpc::InProcess network({std::nullopt, std::nullopt, std::nullopt});
  network.party(rpc::Address{2}).fail("its disk is full");
  const Meeting meeting{.transport = &network.party(rpc::Address{0}), .parties = {1, 1}};
  try {
    gather(meeting, parse_train_setup(kYaml, ""), kOracle);
    FAIL() << "nobody noticed";
  } catch (const train::PartyGone& gone) {
    EXPECT_STREQ(gone.what(), "server 0 is gone: its disk is full");
  }
}

}  // namespace
}  // namespace overture::setup
