#include "overture/setup/by_hand.h"

#include <gtest/gtest.h>

#include "overture/base/testing.h"

namespace overture::setup {
namespace {

ByHand given(int worker, int world, std::optional<int> trainers = std::nullopt) {
  ByHand numbers;
  numbers.worker_id = worker;
  numbers.world_size = world;
  numbers.world_size_trainers = trainers;
  return numbers;
}

std::string error_of(Role role, const ByHand& numbers) {
  return user_error([&] { parties_of(role, numbers); });
}

// Bagpipe's own numbers: an oracle, trainers and one server.
TEST(ByHand, WithoutANumberOfTrainersThereIsOneServer) {
  const train::Parties parties = parties_of(Role::trainer, given(1, 5));
  EXPECT_EQ(parties.trainers, 3);
  EXPECT_EQ(parties.servers, 1);
}

TEST(ByHand, WhatIsNeitherOracleNorTrainerIsAServer) {
  const train::Parties parties = parties_of(Role::server, given(6, 8, 3));
  EXPECT_EQ(parties.trainers, 3);
  EXPECT_EQ(parties.servers, 4);
  EXPECT_EQ(parties.count(), 8);
}

// In a world of 1 oracle, 2 trainers and 2 servers, every number belongs to one role.
TEST(ByHand, EveryNumberIsOfOneRole) {
  for (int id = 0; id < 5; ++id) {
    EXPECT_EQ(error_of(Role::oracle, given(id, 5, 2)).empty(), id == 0) << id;
    EXPECT_EQ(error_of(Role::trainer, given(id, 5, 2)).empty(), id == 1 || id == 2) << id;
    EXPECT_EQ(error_of(Role::server, given(id, 5, 2)).empty(), id == 3 || id == 4) << id;
  }
}

TEST(ByHand, ANumberOfAnotherRoleIsAnsweredWithTheRange) {
  const std::string order = "\n  the oracle is 0, then come the trainers, then the servers";
  EXPECT_EQ(error_of(Role::oracle, given(1, 5, 2)),
            "--worker-id: 1 is wrong for this process: it is 0" + order);
  EXPECT_EQ(error_of(Role::trainer, given(0, 5, 2)),
            "--worker-id: 0 is wrong for this process: it is from 1 to 2" + order);
  EXPECT_EQ(error_of(Role::server, given(5, 5, 2)),
            "--worker-id: 5 is wrong for this process: it is from 3 to 4" + order);
  EXPECT_EQ(error_of(Role::trainer, given(-1, 5, 2)),
            "--worker-id: -1 is wrong for this process: it is from 1 to 2" + order);
}

TEST(ByHand, ANumberThatIsMissingIsNamed) {
  ByHand no_id;
  no_id.world_size = 3;
  ByHand no_size;
  no_size.worker_id = 1;
  const std::string hint = ": is missing\n  processes started by hand need both, and --world-size-trainers";
  EXPECT_EQ(error_of(Role::trainer, no_id), "--worker-id" + hint);
  EXPECT_EQ(error_of(Role::trainer, no_size), "--world-size" + hint);
}

TEST(ByHand, ErrorsCallTheNumbersWhatTheyWereCalledWhereTheyWereGiven) {
  ByHand numbers = given(7, 3, 1);
  numbers.names.worker_id = "worker_id";
  EXPECT_EQ(error_of(Role::trainer, numbers).rfind("worker_id: 7 is wrong", 0), 0u);
}

TEST(ByHand, AWorldWithoutTrainersOrServersIsRefused) {
  const std::string hint = "\n  it counts the oracle, the trainers and the servers";
  EXPECT_EQ(error_of(Role::trainer, given(1, 2)),
            "--world-size: 2 processes with 0 trainers leave 1 servers" + hint);
  EXPECT_EQ(error_of(Role::server, given(2, 3, 2)),
            "--world-size: 3 processes with 2 trainers leave 0 servers" + hint);
  EXPECT_EQ(error_of(Role::oracle, given(0, 3, 5)),
            "--world-size: 3 processes with 5 trainers leave 0 servers" + hint);
  EXPECT_EQ(error_of(Role::oracle, given(0, 3, 2)), "") << "trainers may hold the tables themselves";
}

TEST(ByHand, PortsAreFromOneTo65535) {
  ByHand numbers = given(0, 3);
  for (const int port : {1, 18000, 65535}) {
    numbers.master_port = port;
    EXPECT_EQ(error_of(Role::oracle, numbers), "") << port;
  }
  for (const int port : {0, -1, 65536}) {
    numbers.master_port = port;
    EXPECT_EQ(error_of(Role::oracle, numbers), "--master-port: " + std::to_string(port) + " is not a port");
  }
}

}  // namespace
}  // namespace overture::setup
