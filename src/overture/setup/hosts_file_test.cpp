#include "overture/setup/hosts_file.h"

#include <gtest/gtest.h>

#include "overture/base/testing.h"

namespace overture::setup {
namespace {

using Words = std::vector<std::string>;

std::string error_of(const std::string& text) {
  return user_error([&] { parse_hosts(text, "hosts.txt"); });
}

constexpr const char* kShape = "\n  a line is: host role [count], with role oracle, trainer or server";

TEST(HostsFile, AHostStandsAsOftenAsItHasProcesses) {
  const HostsFile hosts =
      parse_hosts("a oracle\nb trainer 2\nc server\nb server 1\na trainer\n", "hosts.txt");
  EXPECT_EQ(hosts.oracle, "a");
  EXPECT_EQ(hosts.trainers, (Words{"b", "b", "a"}));
  EXPECT_EQ(hosts.servers, (Words{"c", "b"}));
}

TEST(HostsFile, CommentsBlanksAndEmptyLinesCountAsNothing) {
  const HostsFile hosts =
      parse_hosts("# machines\n\n  a   oracle  # the fast one\n\tb\ttrainer\r\n", "hosts.txt");
  EXPECT_EQ(hosts.oracle, "a");
  EXPECT_EQ(hosts.trainers, Words{"b"});
  EXPECT_TRUE(hosts.servers.empty());
}

TEST(HostsFile, MistakesHaveTheirLine) {
  EXPECT_EQ(error_of("a oracle\nb\n"), std::string("hosts.txt:2: names no role") + kShape);
  EXPECT_EQ(error_of("-oProxyCommand=x oracle\n"),
            std::string("hosts.txt:1: \"-oProxyCommand=x\" is no host") + kShape);
  EXPECT_EQ(error_of("a oracel\n"), std::string("hosts.txt:1: unknown role \"oracel\"") + kShape);
  EXPECT_EQ(error_of("a oracle\nb oracle\n"), std::string("hosts.txt:2: a run has one oracle") + kShape);
  EXPECT_EQ(error_of("a oracle 2\n"), std::string("hosts.txt:1: a run has one oracle") + kShape);
  EXPECT_EQ(error_of("a trainer 1 2\n"), std::string("hosts.txt:1: has 4 words") + kShape);
}

TEST(HostsFile, ACountIsAWholeNumberFromOneTo64) {
  EXPECT_EQ(parse_hosts("a oracle\nb trainer 64\n", "hosts.txt").trainers.size(), 64u);
  for (const char* count : {"0", "-1", "65", "two", "2x", "1.5", "99999999999999999999"})
    EXPECT_EQ(
        error_of("a oracle\nb trainer " + std::string(count) + "\n"),
        "hosts.txt:2: \"" + std::string(count) + "\" is not a number of processes from 1 to 64" + kShape);
}

TEST(HostsFile, ARunHasAnOracleAndATrainer) {
  const std::string missing = "hosts.txt: a run has an oracle, at least one trainer, and servers";
  EXPECT_EQ(error_of(""), missing);
  EXPECT_EQ(error_of("a oracle\n"), missing);
  EXPECT_EQ(error_of("a trainer\nb server\n"), missing);
}

TEST(HostsFile, AFileThatIsNotThereIsNamed) {
  EXPECT_EQ(user_error([] { read_hosts("nowhere.txt"); }),
            "nowhere.txt: cannot be read: No such file or directory");
}

}  // namespace
}  // namespace overture::setup
