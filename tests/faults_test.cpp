// Parties that are killed at random moments, in every transport between processes. A few here; by hand as
// many as OVERTURE_KILLS says.
#include <chrono>
#include <cstdlib>
#include <random>

#include "parties.h"
#include <gtest/gtest.h>

namespace overture::testing {
namespace {

constexpr World kWorld{2, 2};
const Words kRun{"--synthetic",
                 "kaggle",
                 "--scale",
                 "0.001",
                 "--samples",
                 "40000",
                 "--arch-mlp-bot",
                 "13-32-8",
                 "--arch-mlp-top",
                 "32-1",
                 "--emb-size",
                 "8",
                 "--mini-batch-size",
                 "100",
                 "--no-report",
                 "--lookahead-value",
                 "10",
                 "--checkpoint-every",
                 "60",
                 "--test-freq",
                 "90",
                 "--optimizer",
                 "adagrad"};

int kills() {
  const char* const asked = std::getenv("OVERTURE_KILLS");
  return asked == nullptr ? 3 : std::atoi(asked);
}

struct Kill {
  int victim;
  std::string after;  // seconds
};

Kill draw(int seed) {
  std::mt19937 random(static_cast<unsigned>(seed));
  const int victim = static_cast<int>(random() % static_cast<unsigned>(kWorld.count()));
  return {victim, std::to_string(0.2 + static_cast<double>(random() % 1000) / 400)};
}

// Finished checkpoints are whole: the run goes on from the newest, to the bytes of a run never killed.
void expect_resumes(const fs::path& folder, const std::string& results) {
  bool saved = false;
  std::error_code none_yet;
  for (const auto& entry : fs::directory_iterator(folder / results / "checkpoints", none_yet)) {
    const bool part = entry.path().extension() == ".part";
    EXPECT_TRUE(part || fs::exists(entry.path() / "manifest.json")) << entry.path();
    saved = saved || !part;
  }
  const Words threads{"train",      "-o", results,     saved ? "--resume" : "--overwrite",
                      "--trainers", "2",  "--servers", "2"};
  const Outcome resumed = run_overture(with(threads, kRun), {.folder = folder});
  ASSERT_EQ(resumed.exit_code, 0) << resumed.text();
  expect_same_bytes(folder / "whole", folder / results);
  for (const auto& entry : fs::directory_iterator(folder / results / "checkpoints"))
    EXPECT_NE(entry.path().extension(), ".part") << "it is of no use any more";
}

// Everything that was started has the results folder among its words.
void expect_no_orphans(const std::string& results) {
  const Outcome left = run({"sh", "-c", "ps -eo args | grep -c '[o]verture.* " + results + "'"});
  EXPECT_EQ(lines_of(left.out).at(0), "0");
}

void train_whole(const fs::path& folder) {
  const Outcome whole = run_overture(
      with({"train", "-o", "whole", "--trainers", "2", "--servers", "2"}, kRun), {.folder = folder});
  ASSERT_EQ(whole.exit_code, 0) << whole.text();
}

// In front of the victim's command; notes when it began and when it has died.
Words killed(const Kill& kill) {
  return {
      "sh", "-c",
      "rm -f died; date +%s.%N > began; timeout --foreground -s KILL \"$@\"; code=$?; date +%s.%N > died; "
      "exit $code",
      "sh", kill.after};
}

// mpirun may end the shell, too, before it has noted the death: then it counts from when that was due.
double seconds_since_death(const fs::path& folder, const Kill& kill) {
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  const std::string died = fs::exists(folder / "died") ? read_text(folder / "died") : std::string();
  return now.count() -
         (died.empty() ? std::stod(read_text(folder / "began")) + std::stod(kill.after) : std::stod(died));
}

TEST(Faults, AProcessKilledAtAnyMomentEndsTheRunStartedByHand) {
  const TemporaryFolder folder;
  train_whole(folder.path());
  for (int seed = 0; seed < kills(); ++seed) {
    const Kill kill = draw(seed);
    SCOPED_TRACE(kWorld.name(kill.victim) + " after " + kill.after + " s");
    const std::string results = "hand-" + std::to_string(getpid()) + "-" + std::to_string(seed);
    const ByHand parties(kWorld, folder.path());
    const auto outcomes =
        parties.run_all(with(kRun, {"-o", results}), kill.victim, kill.victim, killed(kill));
    const double took = seconds_since_death(folder.path(), kill);
    const std::string& said = outcomes[kill.victim == 0 ? 1 : 0].err;
    if (said.find(" did not come within ") != std::string::npos ||
        said.find("no oracle has answered") != std::string::npos)
      continue;  // it died before it was there, and all have been told who is missing
    EXPECT_LT(took, 10);
    int others_failed = 0;
    for (int worker = 0; worker < kWorld.count(); ++worker)
      others_failed += worker != kill.victim && outcomes[static_cast<std::size_t>(worker)].exit_code != 0;
    // It may be killed when all is done: then the others have ended well.
    const bool died = outcomes[static_cast<std::size_t>(kill.victim)].exit_code != 0 && others_failed > 0;
    for (int worker = 0; worker < kWorld.count(); ++worker) {
      const Outcome& outcome = outcomes[static_cast<std::size_t>(worker)];
      if (worker == kill.victim) continue;
      EXPECT_EQ(outcome.exit_code, died ? 1 : 0) << kWorld.name(worker) << ": " << outcome.text();
      if (!died) continue;
      EXPECT_NE(outcome.err.find("error: " + kWorld.name(kill.victim) + " is gone: "), std::string::npos)
          << kWorld.name(worker) << ": " << outcome.text();
    }
    expect_no_orphans(results);
    if (died) expect_resumes(folder.path(), results);
    if (HasFailure()) return;
  }
}

// mpirun ends the others, too, and has an exit code of its own; what they say comes before.
TEST(Faults, AProcessKilledAtAnyMomentEndsTheRunUnderMpirun) {
  if (!has_mpi()) GTEST_SKIP() << "no mpirun, or overture was built without MPI";
  const TemporaryFolder folder;
  train_whole(folder.path());
  for (int seed = 100; seed < 100 + kills(); ++seed) {
    const Kill kill = draw(seed);
    SCOPED_TRACE(kWorld.name(kill.victim) + " after " + kill.after + " s");
    const std::string results = "mpi-" + std::to_string(getpid()) + "-" + std::to_string(seed);
    const Words one =
        with({overture_binary().string(), "train", "-o", results, "--trainers", "2", "--servers", "2"}, kRun);
    Words words = kMpirun;
    for (int worker = 0; worker < kWorld.count(); ++worker) {
      words = with(words, worker == 0 ? Words{"-n", "1"} : Words{":", "-n", "1"});
      if (worker == kill.victim) words = with(words, killed(kill));
      words = with(words, one);
    }
    const Outcome outcome = run(words, {.folder = folder.path()});
    EXPECT_LT(seconds_since_death(folder.path(), kill), 10);
    expect_no_orphans(results);
    if (outcome.exit_code == 0) continue;
    const std::string said = outcome.err + outcome.out;
    if (said.find("results: " + results) != std::string::npos) {  // it died when all was done
      expect_same_bytes(folder.path() / "whole", folder.path() / results);
      continue;
    }
    // Before all have met, only mpirun knows.
    const bool begun = fs::exists(folder.path() / results / "metrics.jsonl");
    const std::string names = begun ? "error: " + kWorld.name(kill.victim) + " is gone: " : "exit";
    // After the last checkpoint the others have ended well, while the oracle writes its report.
    const fs::path last = checkpoint(folder.path() / "whole").filename();
    if (!fs::exists(folder.path() / results / "checkpoints" / last)) {
      EXPECT_NE(said.find(names), std::string::npos) << outcome.text();
    }
    expect_resumes(folder.path(), results);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace overture::testing
