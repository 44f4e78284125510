// Parties on machines of their own, as far as one machine can tell: each in a network namespace, joined by
// veth pairs to a bridge, with links that `tc tbf` limits. Skipped where namespaces are not allowed.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "parties.h"
#include <gtest/gtest.h>

namespace overture::testing {
namespace {

bool command(const std::string& line) {
  try {
    return run({"sh", "-c", line}).exit_code == 0;
  } catch (const std::runtime_error&) {
    return false;
  }
}

// A switch and so many hosts, 10.77.0.1 and on. What it made goes with it.
class Namespaces {
 public:
  Namespaces(int hosts, const std::string& rate)
      : prefix_("ovt" + std::to_string(getpid() % 100000)), hosts_(hosts) {
    made_ = command("ip netns add " + switch_name()) &&
            command("ip -n " + switch_name() + " link add br0 type bridge && ip -n " + switch_name() +
                    " link set br0 up");
    for (int host = 0; made_ && host < hosts; ++host) made_ = add(host, rate);
  }
  ~Namespaces() {
    for (int host = 0; host < hosts_; ++host) command("ip netns del " + name(host));
    command("ip netns del " + switch_name());
  }
  Namespaces(const Namespaces&) = delete;
  Namespaces& operator=(const Namespaces&) = delete;

  bool made() const { return made_; }
  Words in(int host) const { return {"ip", "netns", "exec", name(host)}; }
  static std::string address(int host) { return "10.77.0." + std::to_string(host + 1); }
  // A stand-in for ssh, for mpirun: every host has a name of its own, so that MPI takes it for a machine.
  std::string remote_shell() const {
    return "#!/bin/sh\nhost=$((${1##*.} - 1))\nshift\nexec ip netns exec " + prefix_ +
           "-$host unshare -u sh -c \"hostname " + prefix_ + "-$host; $*\"\n";
  }
  // Processes that are left on all hosts.
  std::string processes() const {
    std::string all;
    for (int host = 0; host < hosts_; ++host) all += run({"ip", "netns", "pids", name(host)}).out;
    return all;
  }
  bool cut(int host) const { return command("ip -n " + name(host) + " link set eth0 down"); }

 private:
  std::string name(int host) const { return prefix_ + "-" + std::to_string(host); }
  std::string switch_name() const { return prefix_ + "-sw"; }

  bool add(int host, const std::string& rate) const {
    const std::string port = "p" + std::to_string(host);
    const std::string limit = " root tbf rate " + rate + " burst 128kb latency 100ms";
    return command("ip netns add " + name(host)) &&
           command("ip link add eth0 netns " + name(host) + " type veth peer name " + port + " netns " +
                   switch_name()) &&
           command("ip -n " + switch_name() + " link set " + port + " master br0 up") &&
           command("ip -n " + name(host) + " addr add " + address(host) + "/24 dev eth0 && ip -n " +
                   name(host) + " link set eth0 up && ip -n " + name(host) + " link set lo up") &&
           command("tc -n " + name(host) + " qdisc add dev eth0" + limit) &&
           command("tc -n " + switch_name() + " qdisc add dev " + port + limit);
  }

  std::string prefix_;
  int hosts_;
  bool made_ = false;
};

constexpr const char* kNotAllowed = "network namespaces are not allowed here, or ip and tc are missing";

TEST(Namespaces, OverLimitedLinksPartiesLeaveTheBytesThatThreadsLeave) {
  const World world{2, 2};
  const Namespaces network(world.count(), "200mbit");
  if (!network.made()) GTEST_SKIP() << kNotAllowed;
  const TemporaryFolder folder;
  const Words more{"--lookahead-value", "12", "--optimizer", "adagrad", "--test-freq", "10"};
  ASSERT_EQ(
      run_overture(with(with({"train", "-o", "threads", "--trainers", "2", "--servers", "2"}, kSmall), more),
                   {.folder = folder.path()})
          .exit_code,
      0);
  const ByHand parties(world, folder.path(), Namespaces::address(0));
  const auto outcomes = parties.run_with(with(with(kSmall, more), {"-o", "far"}), 3,
                                         [&](int worker) { return network.in(worker); });
  for (const Outcome& outcome : outcomes) ASSERT_EQ(outcome.exit_code, 0) << outcome.text();
  expect_same_bytes(folder.path() / "threads", folder.path() / "far");
}

// The one that is cut off cannot tell who is to blame, and names whom it misses first. Batches are large
// enough that bytes are under way to and from it when its link is cut.
TEST(Namespaces, ALinkThatIsCutEndsTheRunForAllWithinTenSeconds) {
  const World world{1, 2};
  Words large = kSmall;
  std::replace(large.begin(), large.end(), std::string("4000"), std::string("40000"));
  std::replace(large.begin(), large.end(), std::string("128"), std::string("4096"));
  for (const int victim : {1, 3}) {
    const Namespaces network(world.count(), "200mbit");
    if (!network.made()) GTEST_SKIP() << kNotAllowed;
    const TemporaryFolder folder;
    const ByHand parties(world, folder.path(), Namespaces::address(0));
    std::chrono::steady_clock::time_point cut;
    std::atomic<bool> over = false;
    std::thread cutter([&] {
      while (!fs::exists(folder.path() / "cut/metrics.jsonl") && !over)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      EXPECT_TRUE(network.cut(victim));
      cut = std::chrono::steady_clock::now();
    });
    const auto outcomes =
        parties.run_with(with(large, {"-o", "cut", "--nepochs", "2000", "--lookahead-value", "8"}), 0,
                         [&](int worker) { return network.in(worker); });
    const auto ended = std::chrono::steady_clock::now();
    over = true;
    cutter.join();
    EXPECT_LT(ended - cut, std::chrono::seconds(10));
    for (int worker = 0; worker < world.count(); ++worker) {
      const Outcome& outcome = outcomes[static_cast<std::size_t>(worker)];
      EXPECT_EQ(outcome.exit_code, 1) << world.name(worker) << ": " << outcome.text();
      const std::string says =
          worker == victim ? std::string(" is gone: ") : "error: " + world.name(victim) + " is gone: ";
      EXPECT_NE(outcome.err.find(says), std::string::npos) << world.name(worker) << ": " << outcome.text();
    }
  }
}

// With one process on each machine, mpirun finds a machine that is cut off only if it is told to look.
TEST(Namespaces, UnderMpirunAMachineThatIsCutOffIsNamedByAllOthers) {
  if (!has_mpi()) GTEST_SKIP() << "no mpirun, or overture was built without MPI";
  const World world{1, 1};
  const Namespaces network(world.count(), "200mbit");
  if (!network.made()) GTEST_SKIP() << kNotAllowed;
  const TemporaryFolder folder;
  const auto shell = folder.write("shell", network.remote_shell());
  fs::permissions(shell, fs::perms::owner_all);
  const Words mpirun = with(network.in(0), {"unshare",
                                            "-u",
                                            "sh",
                                            "-c",
                                            "hostname master; exec \"$@\"",
                                            "sh",
                                            "mpirun",
                                            "--allow-run-as-root",
                                            "--host",
                                            "10.77.0.1,10.77.0.2,10.77.0.3",
                                            "--mca",
                                            "plm_rsh_agent",
                                            shell.string(),
                                            "--mca",
                                            "oob_tcp_if_include",
                                            "eth0",
                                            "--mca",
                                            "btl",
                                            "tcp,self",
                                            "--mca",
                                            "btl_tcp_if_include",
                                            "eth0",
                                            "--mca",
                                            "oob_tcp_keepalive_time",
                                            "1",
                                            "--mca",
                                            "oob_tcp_keepalive_intvl",
                                            "1",
                                            "--mca",
                                            "oob_tcp_keepalive_probes",
                                            "2",
                                            "--mca",
                                            "odls_base_sigkill_timeout",
                                            "2",
                                            "-n",
                                            "3"});
  const Words train = with({overture_binary().string(), "train", "-o", "cut", "--nepochs", "20000"}, kSmall);
  std::atomic<bool> over = false;
  std::thread cutter([&] {
    while (!fs::exists(folder.path() / "cut/metrics.jsonl") && !over)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_TRUE(network.cut(2));
  });
  const Outcome outcome = run(with(mpirun, train), {.folder = folder.path()});
  over = true;
  cutter.join();
  EXPECT_NE(outcome.exit_code, 0) << outcome.text();
  const std::string says = "error: server 0 is gone: ";
  const std::size_t first = outcome.err.find(says);
  ASSERT_NE(first, std::string::npos) << outcome.text();
  EXPECT_NE(outcome.err.find(says, first + 1), std::string::npos)
      << "of oracle and trainer: " << outcome.text();
  EXPECT_EQ(network.processes(), "");
}

}  // namespace
}  // namespace overture::testing
