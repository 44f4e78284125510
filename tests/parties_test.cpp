// Training whose parties are processes: under mpirun and started by hand, against the threads of one process.
#include "parties.h"

#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace overture::testing {
namespace {

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
    {{3, 0},
     {"--lookahead-value", "0", "--sharding", "table_wise", "--optimizer", "adam", "--test-freq", "10"}},
};

Words threads(const Case& one, const std::string& folder) {
  Words words{"train", "-o", folder, "--trainers", std::to_string(one.world.trainers)};
  if (one.world.servers > 0) words = with(words, {"--servers", std::to_string(one.world.servers)});
  return with(with(words, kSmall), one.words);
}

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

TEST(Parties, EachThatIsStartedByHandPrintsJsonIfAsked) {
  const TemporaryFolder folder;
  const ByHand parties({1, 1}, folder.path());
  std::vector<Outcome> outcomes(3);
  std::vector<std::thread> threads;
  for (int worker = 0; worker < 3; ++worker)
    threads.emplace_back([&, worker] {
      const Words words = with(parties.command(worker, with(kSmall, {"-o", "run"})), {"--json"});
      outcomes[static_cast<std::size_t>(worker)] = run(words, {.folder = folder.path()});
    });
  for (std::thread& thread : threads) thread.join();
  for (const Outcome& outcome : outcomes) {
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
    EXPECT_TRUE(nlohmann::json::accept(outcome.out)) << outcome.text();
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

// Where the rows are does not matter: servers that share them, or the trainers themselves.
TEST(Parties, TrainersThatHoldTheTablesComeToTheModelOfTheCache) {
  const TemporaryFolder folder;
  const auto train = [&](const std::string& name, const Words& words) {
    const Outcome outcome = run_overture(with(with({"train", "-o", name, "--trainers", "2"}, kSmall), words),
                                         {.folder = folder.path()});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
    return outcome;
  };
  train("cached", {"--lookahead-value", "9", "--servers", "3"});
  const Outcome held = train("held", {"--lookahead-value", "0", "--sharding", "table_wise"});
  EXPECT_NE(held.out.find("pooled rows exchanged"), std::string::npos) << held.out;
  EXPECT_EQ(read_text(checkpoint(folder.path() / "cached") / "dense"),
            read_text(checkpoint(folder.path() / "held") / "dense"));
  const Outcome evaluated = run_overture({"evaluate", "held", "--json"}, {.folder = folder.path()});
  EXPECT_EQ(evaluated.exit_code, 0) << evaluated.text();
  const Outcome other = run_overture(
      with(with({"train", "--trainers", "2"}, kSmall), {"--lookahead-value", "0", "--sharding", "hash"}),
      {.folder = folder.path()});
  EXPECT_EQ(other.exit_code, 2) << other.text();
  EXPECT_NE(other.err.find("set tables.sharding to table_wise"), std::string::npos) << other.err;
}

TEST(Parties, ACacheWithoutServersIsRefusedOnEverySide) {
  const TemporaryFolder folder;
  const ByHand parties({1, 0}, folder.path());
  const auto outcomes = parties.run_all(with(kSmall, {"-o", "x", "--lookahead-value", "5"}));
  for (std::size_t worker = 0; worker < outcomes.size(); ++worker) {
    EXPECT_EQ(outcomes[worker].exit_code, worker == 0 ? 2 : 1) << outcomes[worker].text();
    EXPECT_NE(outcomes[worker].err.find("no server was started"), std::string::npos)
        << outcomes[worker].text();
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

#ifdef OVERTURE_MPI_MESSAGES
TEST(Parties, LargeMessagesGoOverMpiInParts) {
  if (!has_mpi()) GTEST_SKIP() << "no mpirun, or overture was built without MPI";
  for (const char* part : {"16385", "50000"}) {  // small ones go with their header
    const Outcome outcome = run(with(kMpirun, {"-n", "2", OVERTURE_MPI_MESSAGES, part}));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  }
}
#endif

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

// As on another machine, where the file of the oracle's setup is not.
TEST(Parties, OnlyTheOracleHasTheDataAlsoWhenARunIsResumed) {
  const World world{1, 1};
  const TemporaryFolder folder;
  fs::create_directory(folder.path() / "elsewhere");
  ASSERT_EQ(run_overture({"generate", "dataset", "--like", "kaggle", "--scale", "0.001", "--samples", "2000",
                          "-o", "clicks.ovd"},
                         {.folder = folder.path()})
                .exit_code,
            0);
  const Words words{"--data",
                    "clicks.ovd",
                    "--arch-mlp-bot",
                    "13-8",
                    "--arch-mlp-top",
                    "8-1",
                    "--emb-size",
                    "8",
                    "--mini-batch-size",
                    "100",
                    "--no-report",
                    "-o",
                    (folder.path() / "run").string()};
  for (const Words& more : {Words{"--num-batches", "5"}, Words{"--resume"}}) {
    const ByHand parties(world, folder.path());
    const auto there = [](int worker) {
      return worker == 0 ? Words() : Words{"sh", "-c", "cd elsewhere && exec \"$@\"", "sh"};
    };
    for (const Outcome& outcome : parties.run_with(with(words, more), 0, there))
      EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  }
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
    const std::string after = "0." + std::to_string(1 + victim % 2 * 2);  // seconds from the first step on
    const auto outcomes =
        parties.run_all(with(words, {"-o", results}), victim, victim,
                        {"sh", "-c",
                         "\"$@\" & party=$!; while [ ! -e " + results +
                             "/metrics.jsonl ] && kill -0 $party; do sleep 0.02; done; sleep " + after +
                             "; kill -9 $party; wait $party",
                         "sh"});
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

TEST(Parties, ProcessesOfSrunWithoutMpiDoNotTrainEachForItself) {
  const Outcome outcome = run_overture(with({"train"}, kSmall), {.variables = {"SLURM_STEP_NUM_TASKS=4"}});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.text();
  EXPECT_NE(outcome.err.find("srun --mpi=pmix"), std::string::npos) << outcome.err;
}

// One more than --world-size is sent away; the others train on.
TEST(Parties, WhoComesWhenAllAreThereIsSentAway) {
  const TemporaryFolder folder;
  const ByHand parties({1, 1}, folder.path());
  const Words words = with(kSmall, {"-o", "x", "--lookahead-value", "5", "--nepochs", "12"});
  std::vector<Outcome> outcomes;
  std::thread run_of_all([&] { outcomes = parties.run_all(words); });
  while (!fs::exists(folder.path() / "x/metrics.jsonl"))
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const Outcome late = run(parties.command(2, {}), {.folder = folder.path()});
  run_of_all.join();
  EXPECT_EQ(late.exit_code, 2) << late.text();
  EXPECT_NE(late.err.find("the run has begun with all its 3 processes"), std::string::npos) << late.text();
  for (const Outcome& outcome : outcomes) EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
}

// Said before a row is made.
TEST(Parties, AServerThatCannotHoldItsRowsIsNamedOnEverySide) {
  const TemporaryFolder folder;
  const ByHand parties({1, 2}, folder.path());
  const auto outcomes =
      parties.run_all(with(kSmall, {"-o", "x", "--lookahead-value", "5", "-s", "tables.rows=" + [] {
                                      std::string rows = "900000000000";
                                      for (int t = 1; t < 26; ++t) rows += "-1000000";
                                      return rows;
                                    }()}));
  int named = 0;
  for (const Outcome& outcome : outcomes) {
    EXPECT_NE(outcome.exit_code, 0) << outcome.text();
    EXPECT_NE(outcome.err.find("of memory"), std::string::npos) << outcome.text();
    named += outcome.err.find("is gone: tables: take") != std::string::npos ? 1 : 0;
    EXPECT_LT(outcome.cpu, std::chrono::seconds(5));
  }
  EXPECT_GE(named, 2);
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

// Bagpipe's CASER: lists of items taken and not taken, and a table info of two lines.
TEST(Parties, BagpipesLaunchLinesOfCaserAreTaken) {
  const TemporaryFolder folder;
  std::string lines;
  for (int i = 0; i < 60; ++i) {
    const std::string item = std::to_string(i);
    lines += "{\"label\": [" + item + ", 3], \"dense\": [7.0], \"sparse\": [[" + std::to_string(i % 9) +
             "], [1, " + item + ", 5, 8]]}\n";
  }
  folder.write("caser.txt", lines);
  folder.write("info.txt", "9\n60\n");
  const std::string program = overture_binary().string();
  const std::string all =
      " --world-size 4 --master-port " + std::to_string(free_port()) + " --emb-info-file info.txt ";
  const std::string trainer = program +
                              " trainer --model caser --lookahead-val 20 --cache-size 8000 --device cpu" +
                              all + "--world-size-trainers 2 ";
  const Outcome outcome =
      run({"sh", "-c",
           trainer + "--worker-id 1 & " + trainer + "--worker-id 2 & " + program +
               " server --emb-size 10 --worker-id 3" + all + "& " + program +
               " oracle --prefetch --lookahead-value 20 --mini-batch-size=32 --worker-id 0 --cache " +
               "--world-size-trainers 2 --processed-csv caser.txt --cache-size 8000 --no-report -o out" +
               all + "; code=$?; wait; exit $code"},
          {.folder = folder.path()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_NE(outcome.out.find("held-out samples"), std::string::npos) << outcome.text();
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

// As over `ssh -tt`: the parties have terminals, and rewrite their lines.
TEST(Launch, ShowsWhatTerminalsWouldWithoutTheirCommands) {
  const TemporaryFolder folder;
  const auto ssh =
      folder.write("ssh", "#!/bin/sh\nprintf 'step 1\\r\\033[Kstep 2\\r\\033[K\\033[1mdone\\033[0m\\r\\n'\n");
  fs::permissions(ssh, fs::perms::owner_all);
  folder.write("hosts.txt", "a oracle\nb trainer\nc server\n");
  folder.write("setup.yaml", "batch_size: 128\n");
  const Outcome outcome =
      run_overture({"launch", "hosts.txt", "setup.yaml", "--ssh", ssh.string()}, {.folder = folder.path()});
  EXPECT_NE(outcome.out.find("[oracle] done\n"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find('\033'), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find('\r'), std::string::npos) << outcome.out;
}

TEST(Launch, AHostThatCannotBeReachedIsTold) {
  const TemporaryFolder folder;
  const auto ssh = folder.write("ssh", "#!/bin/sh\necho ssh: Could not resolve hostname $1\nexit 255\n");
  fs::permissions(ssh, fs::perms::owner_all);
  folder.write("hosts.txt", "a oracle\nb trainer\nc server\n");
  folder.write("setup.yaml", "batch_size: 128\n");
  const Outcome outcome =
      run_overture({"launch", "hosts.txt", "setup.yaml", "--ssh", ssh.string()}, {.folder = folder.path()});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.text();
  EXPECT_TRUE(outcome.err.starts_with("error: ssh did not reach the host of oracle")) << outcome.text();
  EXPECT_NE(outcome.out.find("[trainer 0] ssh: Could not resolve hostname b"), std::string::npos);
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
  EXPECT_NE(outcome.out.find("[oracle] interrupted after step"), std::string::npos) << outcome.text();
  EXPECT_TRUE(fs::exists(checkpoint(folder.path() / "out") / "manifest.json"));
}

}  // namespace
}  // namespace overture::testing
