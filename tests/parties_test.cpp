// Training whose parties are processes: under mpirun and started by hand, against the threads of one process.
#include <atomic>
#include <thread>

#include "program.h"
#include <gtest/gtest.h>
#include <unistd.h>

namespace overture::testing {
namespace {

namespace fs = std::filesystem;

struct World {
  int trainers = 1;
  int servers = 1;
  int count() const { return 1 + trainers + servers; }
  std::string role(int worker) const {
    return worker == 0 ? "oracle" : worker <= trainers ? "trainer" : "server";
  }
  std::string name(int worker) const {
    if (worker == 0) return "the oracle";
    return role(worker) + " " + std::to_string(worker <= trainers ? worker - 1 : worker - 1 - trainers);
  }
};

const Words kSmall{"--synthetic",       "kaggle",  "--scale",        "0.001", "--samples",  "4000",
                   "--arch-mlp-bot",    "13-32-8", "--arch-mlp-top", "32-1",  "--emb-size", "8",
                   "--mini-batch-size", "128",     "--no-report"};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

int free_port() {
  static std::atomic<int> next{0};
  return 20000 + (getpid() * 7 + next++ * 131) % 20000;
}

// All parties by hand, started in the order of `first`, `first`+1 and so on, round.
class ByHand {
 public:
  ByHand(World world, fs::path folder) : world_(world), folder_(std::move(folder)), port_(free_port()) {}

  Words command(int worker, const Words& oracle_words) const {
    Words words{overture_binary().string(),
                world_.role(worker),
                "--worker-id",
                std::to_string(worker),
                "--world-size",
                std::to_string(world_.count()),
                "--world-size-trainers",
                std::to_string(world_.trainers),
                "--master-port",
                std::to_string(port_),
                "--timeout",
                "20"};
    return worker == 0 ? with(words, oracle_words) : words;
  }

  // `before` is put in front of the command of party `victim`.
  std::vector<Outcome> run_all(const Words& oracle_words, int first = 0, int victim = -1,
                               const Words& before = {}) const {
    std::vector<Outcome> outcomes(static_cast<std::size_t>(world_.count()));
    std::vector<std::thread> threads;
    for (int i = 0; i < world_.count(); ++i) {
      const int worker = (first + i) % world_.count();
      const Words words = command(worker, oracle_words);
      threads.emplace_back([&, worker, words] {
        outcomes[static_cast<std::size_t>(worker)] =
            run(worker == victim ? with(before, words) : words, {.folder = folder_});
      });
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    for (std::thread& thread : threads) thread.join();
    return outcomes;
  }

 private:
  World world_;
  fs::path folder_;
  int port_;
};

fs::path checkpoint(const fs::path& results) {
  fs::path newest;
  for (const auto& entry : fs::directory_iterator(results / "checkpoints")) {
    const auto rank = [](const fs::path& path) { return std::pair(path.string().size(), path.string()); };
    if (rank(newest) < rank(entry.path())) newest = entry.path();
  }
  return newest;
}

void expect_same_bytes(const fs::path& one, const fs::path& other) {
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(checkpoint(one))) {
    const fs::path twin = checkpoint(other) / entry.path().filename();
    ASSERT_TRUE(fs::exists(twin)) << twin;
    EXPECT_TRUE(read_text(entry.path()) == read_text(twin)) << twin;
    ++files;
  }
  EXPECT_GE(files, 3u);
}

struct Case {
  World world;
  Words words;
};

const Case kCases[] = {
    {{1, 1}, {"--lookahead-value", "12"}},
    {{2, 2}, {"--lookahead-value", "1", "--optimizer", "adam", "--sharding", "column_wise"}},
    {{3, 2},
     {"--lookahead-value", "9", "--optimizer", "adagrad", "--sharding", "table_wise", "--test-freq", "10"}},
    {{4, 4}, {"--lookahead-value", "20", "--cache-size", "4000", "--sharding", "range", "--threads", "2"}},
};

Words threads(const Case& one, const std::string& folder) {
  return with(with({"train", "-o", folder, "--trainers", std::to_string(one.world.trainers), "--servers",
                    std::to_string(one.world.servers)},
                   kSmall),
              one.words);
}

bool has_mpi() {
  try {
    return run({"mpirun", "--version"}).exit_code == 0 &&
           run({"sh", "-c", "ldd " + overture_binary().string() + " | grep -q libmpi"}).exit_code == 0;
  } catch (const std::runtime_error&) {
    return false;
  }
}

const Words kMpirun{"mpirun", "--allow-run-as-root", "--oversubscribe"};

TEST(Parties, StartedByHandTheyLeaveTheBytesThatThreadsLeave) {
  for (const Case& one : kCases) {
    const TemporaryFolder folder;
    const Outcome alone = run_overture(threads(one, "threads"), {.folder = folder.path()});
    ASSERT_EQ(alone.exit_code, 0) << alone.text();
    const ByHand parties(one.world, folder.path());
    for (const Outcome& outcome : parties.run_all(with(with(kSmall, one.words), {"-o", "hand"}), 2))
      ASSERT_EQ(outcome.exit_code, 0) << outcome.text();
    expect_same_bytes(folder.path() / "threads", folder.path() / "hand");
  }
}

TEST(Parties, UnderMpirunTheyLeaveTheBytesThatThreadsLeave) {
  if (!has_mpi()) GTEST_SKIP() << "no mpirun, or overture was built without MPI";
  for (const Case& one : kCases) {
    const TemporaryFolder folder;
    const Outcome alone = run_overture(threads(one, "threads"), {.folder = folder.path()});
    ASSERT_EQ(alone.exit_code, 0) << alone.text();
    const Words same =
        with({"-n", std::to_string(one.world.count()), overture_binary().string()}, threads(one, "mpi"));
    const Outcome mpi = run(with(kMpirun, same), {.folder = folder.path()});
    ASSERT_EQ(mpi.exit_code, 0) << mpi.text();
    expect_same_bytes(folder.path() / "threads", folder.path() / "mpi");
  }
}

TEST(Parties, MpirunStartsEachRoleAsItsOwnProgram) {
  if (!has_mpi()) GTEST_SKIP() << "no mpirun, or overture was built without MPI";
  const TemporaryFolder folder;
  const Case one{{2, 2}, {"--lookahead-value", "7"}};
  ASSERT_EQ(run_overture(threads(one, "threads"), {.folder = folder.path()}).exit_code, 0);
  const std::string program = overture_binary().string();
  Words words = with(kMpirun, {"-n", "1", program, "oracle", "-o", "mpi", "--lookahead-value", "7"});
  words = with(with(words, kSmall), {":", "-n", "2", program, "server", ":", "-n", "2", program, "trainer"});
  const Outcome mpi = run(words, {.folder = folder.path()});
  ASSERT_EQ(mpi.exit_code, 0) << mpi.text();
  expect_same_bytes(folder.path() / "threads", folder.path() / "mpi");
}

// Bagpipe's users give each process what concerns it.
TEST(Parties, FlagsOfAllMakeOneSetup) {
  const TemporaryFolder folder;
  const Case one{{1, 1}, {"--lookahead-value", "7"}};
  ASSERT_EQ(run_overture(threads(one, "threads"), {.folder = folder.path()}).exit_code, 0);
  const std::string port = std::to_string(free_port());
  const std::string all = "--world-size 3 --world-size-trainers 1 --master-port " + port;
  const std::string program = overture_binary().string();
  const Outcome outcome =
      run({"sh", "-c",
           program + " trainer --worker-id 1 --arch-mlp-bot 13-32-8 --arch-mlp-top 32-1 --lookahead-val 7 " +
               all + " & " + program + " server --worker-id 2 --emb-size 8 " + all + " & " + program +
               " oracle --worker-id 0 --synthetic kaggle --scale 0.001 --samples 4000 --mini-batch-size=128 "
               "--lookahead-value 7 --no-report -o hand " +
               all + "; code=$?; wait; exit $code"},
          {.folder = folder.path()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text();
  expect_same_bytes(folder.path() / "threads", folder.path() / "hand");
}

// Whoever is killed, everybody else ends soon, says who it was, and the run goes on from its checkpoint.
TEST(Parties, APartyThatIsKilledEndsTheRunAndItResumesToTheSameBytes) {
  const World world{2, 2};
  const Words more{"--lookahead-value", "10",  "--checkpoint-every", "100", "--samples", "80000",
                   "--mini-batch-size", "100", "--test-freq",        "0"};
  Words base = kSmall;
  base.resize(base.size() - 3);                    // without batch size
  base.erase(base.begin() + 4, base.begin() + 6);  // without samples
  const Words words = with(with(base, {"--no-report"}), more);
  const TemporaryFolder folder;
  ASSERT_EQ(run_overture(with({"train", "-o", "whole", "--trainers", "2", "--servers", "2"}, words),
                         {.folder = folder.path()})
                .exit_code,
            0);
  for (int victim = 0; victim < world.count(); ++victim) {
    SCOPED_TRACE(world.name(victim));
    const std::string results = "killed-" + std::to_string(victim);
    const ByHand parties(world, folder.path());
    const std::string after = "0." + std::to_string(7 + victim % 2 * 2);
    const auto outcomes = parties.run_all(with(words, {"-o", results}), victim, victim,
                                          {"timeout", "--foreground", "-s", "KILL", after});
    for (int worker = 0; worker < world.count(); ++worker) {
      const Outcome& outcome = outcomes[static_cast<std::size_t>(worker)];
      EXPECT_FALSE(outcome.timed_out) << outcome.text();
      if (worker == victim) continue;
      EXPECT_EQ(outcome.exit_code, 1) << outcome.text();
      EXPECT_NE(outcome.err.find("error: " + world.name(victim) + " is gone"), std::string::npos)
          << outcome.text();
    }
    bool saved = false;  // it may have been killed before the first checkpoint
    std::error_code none_yet;
    for (const auto& entry : fs::directory_iterator(folder.path() / results / "checkpoints", none_yet)) {
      const bool part = entry.path().extension() == ".part";
      EXPECT_TRUE(part || fs::exists(entry.path() / "manifest.json"));
      saved = saved || !part;
    }
    const ByHand again(world, folder.path());
    for (const Outcome& outcome :
         again.run_all(with(words, {"-o", results, saved ? "--resume" : "--overwrite"})))
      ASSERT_EQ(outcome.exit_code, 0) << outcome.text();
    expect_same_bytes(folder.path() / "whole", folder.path() / results);
  }
}

TEST(Parties, WhatDoesNotFitTogetherIsOneMessageOnEverySide) {
  const TemporaryFolder folder;
  const ByHand parties({1, 1}, folder.path());
  const Words words = with(kSmall, {"-o", "x", "--lookahead-value", "5"});
  // A trainer with another cache.
  auto outcomes = parties.run_all(words, 0, 1, {});
  for (const Outcome& outcome : outcomes) ASSERT_EQ(outcome.exit_code, 0) << outcome.text();
  std::vector<std::thread> threads;
  const std::string says = "cache.lookahead";
  for (int worker = 0; worker < 3; ++worker) {
    Words command = parties.command(worker, with(words, {"--overwrite"}));
    if (worker == 1) command = with(command, {"--lookahead-val", "6"});
    threads.emplace_back([command, says, worker, path = folder.path()] {
      const Outcome outcome = run(command, {.folder = path});
      EXPECT_EQ(outcome.exit_code, worker == 0 ? 2 : 1) << outcome.text();
      EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.text();
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Parties, WhoNeverComesIsNamedWhenTheTimeIsUp) {
  const TemporaryFolder folder;
  const std::string port = std::to_string(free_port());
  const Words all{"--world-size", "4", "--world-size-trainers", "2", "--master-port", port, "--timeout", "2"};
  Outcome trainer;
  std::thread other([&] {
    trainer = run_overture(with({"trainer", "--worker-id", "2"}, all), {.folder = folder.path()});
  });
  const Outcome oracle =
      run_overture(with(with({"oracle", "--worker-id", "0"}, all), kSmall), {.folder = folder.path()});
  other.join();
  for (const Outcome& outcome : {oracle, trainer}) {
    EXPECT_EQ(outcome.exit_code, 2) << outcome.text();
    EXPECT_NE(outcome.err.find("trainer 0 (worker-id 1), server 0 (worker-id 3) did not come within 2 s"),
              std::string::npos)
        << outcome.text();
  }
}

TEST(Parties, AnOracleThatIsKilledBeforeAllHaveComeIsMissedAtOnce) {
  const TemporaryFolder folder;
  const std::string port = std::to_string(free_port());
  const Words all{"--world-size", "4", "--world-size-trainers", "2", "--master-port", port,
                  "--timeout",    "30"};
  Outcome trainer;
  std::thread other([&] {
    trainer = run_overture(with({"trainer", "--worker-id", "2"}, all), {.folder = folder.path()});
  });
  const auto began = std::chrono::steady_clock::now();
  run(with(with({"timeout", "--foreground", "-s", "KILL", "1", overture_binary().string(), "oracle",
                 "--worker-id", "0"},
                all),
           kSmall),
      {.folder = folder.path()});
  other.join();
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10));
  EXPECT_EQ(trainer.exit_code, 1) << trainer.text();
  EXPECT_NE(trainer.err.find("the oracle is gone"), std::string::npos) << trainer.text();
}

TEST(Parties, NumbersThatMakeNoSenseAreUserErrors) {
  const auto error = [](const Words& words) {
    const Outcome outcome = run_overture(words);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.text();
    return outcome.err;
  };
  const Words all{"--world-size", "4", "--world-size-trainers", "2"};
  EXPECT_NE(error({"trainer"}).find("does not know the others"), std::string::npos);
  EXPECT_NE(error(with({"trainer", "--worker-id", "3"}, all)).find("from 1 to 2"), std::string::npos);
  EXPECT_NE(error(with({"server", "--worker-id", "4"}, all)).find("it is 3"), std::string::npos);
  EXPECT_NE(error({"server", "--worker-id", "1", "--world-size", "2"}).find("--world-size"),
            std::string::npos);
  EXPECT_NE(error({"server", "--worker-id", "1"}).find("--world-size: is missing"), std::string::npos);
}

TEST(Parties, TwoWithOneNumberEndTheRunForAll) {
  const TemporaryFolder folder;
  const std::string port = std::to_string(free_port());
  const Words all{"--world-size", "4", "--world-size-trainers", "2", "--master-port", port,
                  "--timeout",    "10"};
  std::vector<std::thread> threads;
  for (const char* role : {"oracle", "trainer", "trainer"}) {
    Words words{role, "--worker-id", role == std::string("oracle") ? "0" : "1"};
    words = with(words, all);
    if (role == std::string("oracle")) words = with(words, kSmall);
    threads.emplace_back([words, path = folder.path()] {
      const Outcome outcome = run_overture(words, {.folder = path});
      EXPECT_EQ(outcome.exit_code, 2) << outcome.text();
      EXPECT_NE(outcome.err.find("two processes have worker-id 1"), std::string::npos) << outcome.text();
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// As Bagpipe's README starts them, with all their flags.
TEST(Parties, BagpipesLaunchLinesAreTakenAndWhatDoesNothingSaysWhy) {
  const TemporaryFolder folder;
  const Outcome made = run_overture(
      {"generate", "dataset", "-o", "clicks/", "--like", "kaggle", "--scale", "0.001", "--samples", "3000"},
      {.folder = folder.path()});
  ASSERT_EQ(made.exit_code, 0) << made.text();
  const std::string program = overture_binary().string();
  const std::string all =
      " --world-size 4 --master-ip 127.0.0.1 --master-port " + std::to_string(free_port()) + " ";
  const std::string trainer =
      program +
      " trainer --arch-mlp-top 32-1 --arch-mlp-bot 13-32-8 --lookahead-val 20 "
      "--cache-size 500000 --world-size-trainers 2 --dist-master-ip 127.0.0.1 --device cpu "
      "--logging-prefix lookahead_20 --dist-backend gloo --emb-info-file clicks/emb_table_info.txt" +
      all;
  const std::string server = program + " server --worker-id 3 --emb-size 8" + all;
  const std::string oracle =
      program +
      " oracle --prefetch --lookahead-value 20 --mini-batch-size=128 --no-report "
      "--dataset-multiprocessing --worker-id 0 --cache --world-size-trainers 2 --processed-csv clicks "
      "--cache-size 500000 -o out" +
      all;
  const Outcome outcome =
      run({"sh", "-c",
           trainer + "--worker-id 1 --dist-worker-id 0 & " + trainer + "--worker-id 2 --dist-worker-id 1 & " +
               server + " & " + oracle + "; code=$?; wait; exit $code"},
          {.folder = folder.path()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_NE(outcome.err.find("note: --prefetch does nothing: rows are always fetched ahead"),
            std::string::npos);
  EXPECT_NE(outcome.err.find("note: --dist-backend does nothing"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.out.find("time per iteration"), std::string::npos) << outcome.out;
  EXPECT_NE(read_text(folder.path() / "out/setup.yaml").find("name: lookahead_20"), std::string::npos);
  EXPECT_NE(read_text(folder.path() / "out/metrics.jsonl").find("\"trainers\": [{"), std::string::npos);
  const Outcome gpu =
      run_overture({"trainer", "--device", "cuda:0", "--worker-id", "1", "--world-size", "4"});
  EXPECT_EQ(gpu.exit_code, 2);
  EXPECT_NE(gpu.err.find("training runs on the CPU"), std::string::npos) << gpu.text();
}

// With a stand-in for ssh that runs the command here.
TEST(Launch, StartsAllPartiesAndShowsWhoSaysWhat) {
  const TemporaryFolder folder;
  const auto ssh = folder.write("ssh", "#!/bin/sh\nshift\nexec sh -c \"$1\"\n");
  fs::permissions(ssh, fs::perms::owner_all);
  folder.write("hosts.txt", "# host role [count]\n127.0.0.1 oracle\n127.0.0.1 trainer 2\nlocalhost server\n");
  folder.write("setup.yaml",
               "data: {synthetic: kaggle, scale: 0.001, samples: 4000}\nbatch_size: 128\n"
               "model: {mlp_bottom: 13-32-16, mlp_top: 32-1}\ncache: {lookahead: 9}\n");
  const Words words{"launch", "hosts.txt",     "setup.yaml",
                    "--ssh",  ssh.string(),    "-o",
                    "out",    "--master-port", std::to_string(free_port())};
  const Outcome outcome = run_overture(words, {.folder = folder.path()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_NE(outcome.out.find("[oracle] results: out"), std::string::npos) << outcome.out;
  ASSERT_EQ(run_overture({"train", "setup.yaml", "--trainers", "2", "-o", "threads", "--no-report"},
                         {.folder = folder.path()})
                .exit_code,
            0);
  expect_same_bytes(folder.path() / "threads", folder.path() / "out");
  const Outcome again = run_overture(words, {.folder = folder.path()});
  EXPECT_EQ(again.exit_code, 2) << again.text();
  EXPECT_NE(again.out.find("[oracle] error: out: holds a training run already"), std::string::npos)
      << again.out;
  EXPECT_NE(again.out.find("[server 0] error: the oracle is gone"), std::string::npos) << again.out;
}

// The signal that `timeout` sends is the one of Ctrl-C.
TEST(Launch, CtrlCEndsAllAndLeavesACheckpoint) {
  const TemporaryFolder folder;
  const auto ssh = folder.write("ssh", "#!/bin/sh\nshift\nexec sh -c \"$1\"\n");
  fs::permissions(ssh, fs::perms::owner_all);
  folder.write("hosts.txt", "127.0.0.1 oracle\n127.0.0.1 trainer\n127.0.0.1 server\n");
  folder.write("setup.yaml",
               "data: {synthetic: kaggle, scale: 0.001, samples: 5000000}\nbatch_size: 128\n"
               "model: {mlp_bottom: 13-32-16, mlp_top: 32-1}\ncache: {lookahead: 9}\n");
  const Outcome outcome =
      run({"timeout", "--foreground", "-s", "INT", "2", overture_binary().string(), "launch", "hosts.txt",
           "setup.yaml", "--ssh", ssh.string(), "-o", "out", "--master-port", std::to_string(free_port())},
          {.folder = folder.path()});
  EXPECT_NE(outcome.out.find("[oracle] stopped after step"), std::string::npos) << outcome.text();
  EXPECT_TRUE(fs::exists(checkpoint(folder.path() / "out") / "manifest.json"));
}

}  // namespace
}  // namespace overture::testing
