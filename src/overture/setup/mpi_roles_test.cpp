#include "overture/setup/mpi_roles.h"

#include <set>

#include <gtest/gtest.h>

#include "overture/base/random.h"
#include "overture/base/testing.h"

namespace overture::setup {
namespace {

std::vector<int> said(const std::vector<Role>& roles) {
  std::vector<int> numbers;
  for (const Role role : roles) numbers.push_back(static_cast<int>(role));
  return numbers;
}
std::vector<int> all_train(int processes) {
  return std::vector<int>(static_cast<std::size_t>(processes), static_cast<int>(Role::any));
}
std::string error_of(const std::vector<int>& roles, int trainers = 1, int servers = 1) {
  return user_error([&] { parties_of_roles(roles, trainers, servers); });
}

TEST(MpiRoles, OneTrainerMeansAsManyAsThereAreProcesses) {
  const train::Parties parties = parties_of_roles(all_train(8), 1, 1);
  EXPECT_EQ(parties.trainers, 6);
  EXPECT_EQ(parties.servers, 1);
  EXPECT_EQ(parties_of_roles(all_train(8), 1, 0).trainers, 7) << "trainers hold the tables";
}

TEST(MpiRoles, WhatTheSetupSaysMustBeWhatWasStarted) {
  EXPECT_EQ(parties_of_roles(all_train(6), 3, 2).trainers, 3);
  EXPECT_EQ(error_of(all_train(5), 3, 2),
            "5 processes were started; 3 trainers, 2 servers and an oracle are 6\n  start 6, or change "
            "trainers and "
            "servers in the setup");
  EXPECT_NE(error_of(all_train(7), 3, 2), "");
  EXPECT_NE(error_of(all_train(2), 1, 1), "") << "an oracle and a server train nothing";
}

TEST(MpiRoles, WhoSaysWhatHeIsIsThat) {
  const std::vector<int> roles = said({Role::server, Role::trainer, Role::oracle, Role::trainer});
  const train::Parties parties = parties_of_roles(roles, 1, 1);
  EXPECT_EQ(parties.trainers, 2);
  EXPECT_EQ(parties.servers, 1);
  EXPECT_EQ(addresses_of_roles(roles, parties),
            (std::vector{parties.server(0), parties.trainer(0), parties.oracle(), parties.trainer(1)}));
}

TEST(MpiRoles, NamelessProcessesAmongNamedOnesAreRefused) {
  const std::string hint =
      "\n  a run has one oracle, at least one trainer, and servers; or all are `overture train`";
  EXPECT_EQ(error_of(said({Role::oracle, Role::trainer, Role::any})),
            "1 oracles, 0 servers and 1 trainers were started, 3 processes in all" + hint);
  EXPECT_EQ(error_of(said({Role::oracle, Role::oracle, Role::trainer})),
            "2 oracles, 0 servers and 1 trainers were started, 3 processes in all" + hint);
  EXPECT_EQ(error_of(said({Role::oracle, Role::server})),
            "1 oracles, 1 servers and 0 trainers were started, 2 processes in all" + hint);
  EXPECT_EQ(error_of(said({Role::trainer, Role::server})),
            "0 oracles, 1 servers and 1 trainers were started, 2 processes in all" + hint);
}

// Whatever the order of the processes, every party is there once, and each is what it said.
TEST(MpiRoles, EveryPartyIsOneProcess) {
  RandomStream random = RandomStreams(5).make("roles");
  for (int round = 0; round < 100; ++round) {
    std::vector<Role> roles{Role::oracle, Role::trainer};
    for (auto more = random.below(10); more > 0; --more)
      roles.push_back(random.below(2) == 0 ? Role::trainer : Role::server);
    for (std::size_t i = roles.size(); i > 1; --i) std::swap(roles[i - 1], roles[random.below(i)]);
    const train::Parties parties = parties_of_roles(said(roles), 1, 1);
    const auto addresses = addresses_of_roles(said(roles), parties);
    EXPECT_EQ(std::set(addresses.begin(), addresses.end()).size(), roles.size());
    for (std::size_t i = 0; i < roles.size(); ++i) {
      const std::string name = parties.name(addresses[i]);
      const std::string expected = roles[i] == Role::oracle    ? "the oracle"
                                   : roles[i] == Role::trainer ? "trainer"
                                                               : "server";
      EXPECT_EQ(name.rfind(expected, 0), 0u) << name;
    }
  }
}

}  // namespace
}  // namespace overture::setup
