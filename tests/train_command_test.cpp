// `overture train` and `overture evaluate` as a user runs them.
#include <thread>

#include "program.h"
#include <gtest/gtest.h>

namespace overture::testing {
namespace {

namespace fs = std::filesystem;

// A small model on made-up data: a second or so.
const Words kSmall{"--synthetic",       "kaggle",  "--scale",         "0.001", "--samples",  "6000",
                   "--arch-mlp-bot",    "13-32-8", "--arch-mlp-top",  "32-1",  "--emb-size", "8",
                   "--mini-batch-size", "128",     "--learning-rate", "0.1"};

Words train(const std::string& folder, const Words& more = {}) {
  Words words{"train"};
  words.insert(words.end(), kSmall.begin(), kSmall.end());
  words.insert(words.end(), {"-o", folder});
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// The checkpoint of the most steps.
fs::path newest(const fs::path& results) {
  const auto rank = [](const fs::path& path) { return std::pair(path.string().size(), path.string()); };
  fs::path best;
  for (const auto& entry : fs::directory_iterator(results / "checkpoints")) {
    if (rank(best) < rank(entry.path())) best = entry.path();
  }
  return best;
}

// The losses of all steps, without the times.
std::vector<std::string> losses(const fs::path& results) {
  std::vector<std::string> all;
  for (const std::string& line : lines_of(read_text(results / "metrics.jsonl"))) {
    const std::size_t from = line.find("\"loss\": ");
    if (from != std::string::npos) all.push_back(line.substr(from, line.find(',', from) - from));
  }
  return all;
}

void expect_same_model(const fs::path& one, const fs::path& other) {
  EXPECT_EQ(newest(one).filename(), newest(other).filename());
  for (const char* file : {"rows-0", "dense"})
    EXPECT_TRUE(read_text(newest(one) / file) == read_text(newest(other) / file)) << file;
  EXPECT_EQ(losses(one), losses(other));
}

TEST(Train, WithAndWithoutTheCacheTheModelIsTheSame) {
  const TemporaryFolder folder;
  const Outcome plain = run_overture(train("plain", {"--lookahead-value", "0"}), {.folder = folder.path()});
  ASSERT_EQ(plain.exit_code, 0) << plain.text();
  const Outcome cached =
      run_overture(train("cached", {"--lookahead-value", "20", "--cleanup-batch-proportion", "0.25",
                                    "--threads", "2", "--tensorboard"}),
                   {.folder = folder.path()});
  ASSERT_EQ(cached.exit_code, 0) << cached.text();
  expect_same_model(folder.path() / "plain", folder.path() / "cached");
  EXPECT_NE(cached.out.find("hit rate"), std::string::npos) << cached.out;
  EXPECT_NE(cached.out.find("AUC"), std::string::npos) << cached.out;
  const std::string curves =
      read_text(folder.path() / "cached" / "tensorboard" / "events.out.tfevents.0000000000.overture");
  EXPECT_NE(curves.find("held out/AUC"), std::string::npos);
  EXPECT_EQ(losses(folder.path() / "cached").size(), 43u);  // 5400 samples to train on
}

TEST(Train, RawClickLogsNeedNothingElseAndTheModelRemembersTheirIds) {
  const TemporaryFolder folder;
  const auto overture = [&](const Words& words) { return run_overture(words, {.folder = folder.path()}); };
  ASSERT_EQ(overture({"generate", "dataset", "--like", "kaggle", "--scale", "1e-4", "--samples", "2000", "-o",
                      "raw.tsv"})
                .exit_code,
            0);
  const Words raw{"train", "--data",     "raw.tsv", "--arch-mlp-bot",    "13-16-8", "--arch-mlp-top",
                  "16-1",  "--emb-size", "8",       "--mini-batch-size", "128",     "-o",
                  "run"};
  const Outcome trained = overture(raw);
  ASSERT_EQ(trained.exit_code, 0) << trained.text();
  EXPECT_NE(trained.err.find("note: raw.tsv is raw"), std::string::npos) << trained.err;
  EXPECT_TRUE(fs::exists(folder.path() / "run" / "ids.bin"));
  EXPECT_NE(read_text(folder.path() / "run" / "setup.yaml").find("ids: ids.bin"), std::string::npos);
  EXPECT_GT(lines_of(read_text(folder.path() / "run" / "roc.csv")).size(), 10U);
  EXPECT_EQ(lines_of(read_text(folder.path() / "run" / "calibration.csv")).size(), 21U);
  fs::rename(folder.path() / "run", folder.path() / "moved");  // the model is all that is needed
  const Outcome evaluated = overture({"evaluate", "moved", "--data", "raw.tsv"});
  EXPECT_EQ(evaluated.exit_code, 0) << evaluated.text();
  EXPECT_NE(evaluated.out.find("2,000"), std::string::npos) << evaluated.out;
  EXPECT_EQ(overture({"predict", "moved", "--data", "raw.tsv", "--out", "scores.csv"}).exit_code, 0);
  EXPECT_EQ(lines_of(read_text(folder.path() / "scores.csv")).size(), 2001U);
  const Outcome again = overture(raw);
  EXPECT_EQ(again.exit_code, 0) << again.text();
  expect_same_model(folder.path() / "run", folder.path() / "moved");
}

TEST(Train, RawClickLogsCanBeHashedInstead) {
  const TemporaryFolder folder;
  const auto overture = [&](const Words& words) { return run_overture(words, {.folder = folder.path()}); };
  ASSERT_EQ(overture({"generate", "dataset", "--like", "kaggle", "--scale", "1e-4", "--samples", "1000", "-o",
                      "raw.tsv"})
                .exit_code,
            0);
  const Outcome trained =
      overture({"train", "--data", "raw.tsv", "--max-ind-range", "1k", "--arch-mlp-bot", "13-8",
                "--arch-mlp-top", "8-1", "--emb-size", "8", "--mini-batch-size", "100", "-o", "run"});
  ASSERT_EQ(trained.exit_code, 0) << trained.text();
  EXPECT_FALSE(fs::exists(folder.path() / "run" / "ids.bin"));
  EXPECT_EQ(overture({"predict", "run", "--data", "raw.tsv", "--out", "scores.csv"}).exit_code, 0);
}

TEST(Train, StoppedAndResumedEqualsNeverStopped) {
  const TemporaryFolder folder;
  const Words cache{"--lookahead-value", "10", "--optimizer", "rwsadagrad"};
  ASSERT_EQ(run_overture(train("whole", cache), {.folder = folder.path()}).exit_code, 0);
  Words part = cache;
  part.insert(part.end(), {"--num-batches", "17"});
  ASSERT_EQ(run_overture(train("parts", part), {.folder = folder.path()}).exit_code, 0);
  Words rest = cache;
  rest.emplace_back("--resume");
  const Outcome resumed = run_overture(train("parts", rest), {.folder = folder.path()});
  ASSERT_EQ(resumed.exit_code, 0) << resumed.text();
  expect_same_model(folder.path() / "whole", folder.path() / "parts");
}

TEST(Train, CtrlCLeavesACheckpointThatGoesOnExactly) {
  const TemporaryFolder folder;
  const auto endless = [](const std::string& results, const Words& more) {
    Words words =
        train(results, {"--trainers", "2", "-s", "data.samples=100000000", "-s", "data.test_every=0"});
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  Words interrupted{
      "timeout", "--foreground", "--preserve-status", "-s", "INT", "1", overture_binary().string()};
  for (const std::string& word : endless("parts", {"--lookahead-value", "30"})) interrupted.push_back(word);
  const Outcome first = run(interrupted, {.folder = folder.path()});
  ASSERT_EQ(first.exit_code, 130) << first.text();
  EXPECT_NE(first.out.find("continue with --resume"), std::string::npos) << first.out;
  const std::size_t done = losses(folder.path() / "parts").size();
  ASSERT_GT(done, 0u);
  const std::string steps = std::to_string(done + 20);
  const Outcome rest =
      run_overture(endless("parts", {"--num-batches", steps, "--resume"}), {.folder = folder.path()});
  ASSERT_EQ(rest.exit_code, 0) << rest.text();
  ASSERT_EQ(run_overture(endless("whole", {"--num-batches", steps}), {.folder = folder.path()}).exit_code, 0);
  expect_same_model(folder.path() / "whole", folder.path() / "parts");
}

// A limit on the size of files stands for a full disk: writing fails in the same way, and no rights are
// needed.
TEST(Train, AFullDiskLeavesTheCheckpointBefore) {
  const TemporaryFolder folder;
  const Surroundings here{.folder = folder.path()};
  ASSERT_EQ(run_overture(train("whole"), here).exit_code, 0);
  ASSERT_EQ(run_overture(train("cut", {"--stop-iter", "10"}), here).exit_code, 0);
  const fs::path before = newest(folder.path() / "cut");
  Words full{"sh", "-c", "trap '' XFSZ; ulimit -f 200; exec \"$0\" \"$@\"", overture_binary().string()};
  const Words resume = train("cut", {"--resume"});
  full.insert(full.end(), resume.begin(), resume.end());
  const Outcome failed = run(full, here);
  EXPECT_EQ(failed.exit_code, 2) << failed.text();
  EXPECT_NE(failed.err.find("rows-0: cannot be written: File too large"), std::string::npos) << failed.err;
  EXPECT_TRUE(fs::exists(before / "manifest.json"));
  ASSERT_EQ(run_overture(resume, here).exit_code, 0);
  expect_same_model(folder.path() / "whole", folder.path() / "cut");
}

// The value of a key in every line that has it.
std::vector<std::string> values(const fs::path& file, const std::string& key) {
  std::vector<std::string> found;
  for (const std::string& line : lines_of(read_text(file))) {
    const std::size_t from = line.find('"' + key + "\": ");
    if (from != std::string::npos) found.push_back(line.substr(from, line.find_first_of(",}", from) - from));
  }
  return found;
}

TEST(Train, EvaluationsOnTheWayChangeNothingAndGoOnAfterResuming) {
  const TemporaryFolder folder;
  const Surroundings here{.folder = folder.path()};
  const Words cache{"--lookahead-value", "10", "--optimizer", "adagrad"};
  ASSERT_EQ(run_overture(train("without", cache), here).exit_code, 0);
  Words watched = cache;
  watched.insert(watched.end(), {"--test-freq", "10"});
  const Outcome whole = run_overture(train("whole", watched), here);
  ASSERT_EQ(whole.exit_code, 0) << whole.text();
  expect_same_model(folder.path() / "without", folder.path() / "whole");
  EXPECT_NE(whole.err.find("step 20: AUC 0."), std::string::npos) << whole.err;
  EXPECT_NE(whole.out.find("best AUC"), std::string::npos) << whole.out;

  // After 10, 20, 30, 40 and all 43 steps. The summary has them, the last as that of the run, and the best.
  const auto curve = values(folder.path() / "whole" / "metrics.jsonl", "held_out_auc");
  ASSERT_EQ(curve.size(), 5u);
  const std::string summary = read_text(folder.path() / "whole" / "summary.json");
  EXPECT_EQ(values(folder.path() / "whole" / "summary.json", "auc").size(), 7u) << summary;
  EXPECT_NE(curve.front(), curve.back());

  Words part = watched;
  part.insert(part.end(), {"--num-batches", "20"});
  ASSERT_EQ(run_overture(train("parts", part), here).exit_code, 0);
  watched.insert(watched.end(), {"--resume", "--tensorboard"});
  ASSERT_EQ(run_overture(train("parts", watched), here).exit_code, 0);
  expect_same_model(folder.path() / "without", folder.path() / "parts");
  EXPECT_EQ(values(folder.path() / "parts" / "metrics.jsonl", "held_out_auc"), curve);
  EXPECT_EQ(values(folder.path() / "parts" / "summary.json", "auc"),
            values(folder.path() / "whole" / "summary.json", "auc"));
  EXPECT_EQ(values(folder.path() / "parts" / "summary.json", "steps"),
            values(folder.path() / "whole" / "summary.json", "steps"));
  const std::string curves =
      read_text(folder.path() / "parts" / "tensorboard" / "events.out.tfevents.0000000020.overture");
  EXPECT_NE(curves.find("held out/AUC"), curves.rfind("held out/AUC")) << "one AUC only";

  const Outcome none = run_overture(train("none", {"--test-freq", "10", "-s", "data.test_every=0"}), here);
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("evaluate_every: there are no held-out samples"), std::string::npos) << none.err;
}

TEST(Train, BadRowsThatItPassesOverAreTold) {
  const TemporaryFolder folder;
  const std::string good = R"({"label": 1, "dense": [1], "sparse": [3]})";
  folder.write("a.jsonl", good + "\n{}\n" + good + "\n" + good + "\n");
  const Words words{"train",
                    "--data",
                    "a.jsonl",
                    "-o",
                    "r",
                    "--arch-mlp-bot",
                    "1-4",
                    "--emb-size",
                    "4",
                    "--arch-mlp-top",
                    "1",
                    "--arch-embedding-size",
                    "5",
                    "-s",
                    "data.test_every=0"};
  const Outcome refused = run_overture(words, {.folder = folder.path()});
  EXPECT_EQ(refused.exit_code, 2) << refused.text();
  EXPECT_NE(refused.err.find("--max-bad-rows"), std::string::npos) << refused.err;
  Words lenient = words;
  lenient.insert(lenient.end(), {"--max-bad-rows", "1", "--overwrite"});
  const Outcome outcome = run_overture(lenient, {.folder = folder.path()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_NE(outcome.err.find("skipped 1 bad rows:\n  a.jsonl:2: "), std::string::npos) << outcome.err;
}

TEST(Train, WeightedPoolingTakesTheWeightsOfTheData) {
  const TemporaryFolder folder;
  const Surroundings here{.folder = folder.path()};
  Words generate{"generate",  "dataset", "--like",    "kaggle",      "--scale", "0.001",
                 "--samples", "3000",    "--pooling", "geometric:3", "-o",      "plain.jsonl"};
  ASSERT_EQ(run_overture(generate, here).exit_code, 0);
  generate.back() = "weighted.jsonl";
  generate.emplace_back("--weighted");
  ASSERT_EQ(run_overture(generate, here).exit_code, 0);
  for (const char* name : {"plain", "weighted"}) {
    const std::string from = name;
    ASSERT_EQ(run_overture({"convert", from + ".jsonl", from + ".ovd"}, here).exit_code, 0);
  }
  const auto on = [&](const std::string& data, const std::string& results, const Words& more) {
    Words words{"train",
                "--data",
                data,
                "-o",
                results,
                "--arch-mlp-bot",
                "13-16-8",
                "--arch-mlp-top",
                "16-1",
                "--emb-size",
                "8",
                "--mini-batch-size",
                "128",
                "-s",
                "tables.pooling=weighted"};
    words.insert(words.end(), more.begin(), more.end());
    return run_overture(words, here);
  };
  const Outcome cached = on("weighted.ovd", "cached", {"--lookahead-value", "8"});
  ASSERT_EQ(cached.exit_code, 0) << cached.text();
  ASSERT_EQ(on("weighted.ovd", "local", {"--lookahead-value", "0"}).exit_code, 0);
  expect_same_model(folder.path() / "local", folder.path() / "cached");
  ASSERT_EQ(on("weighted.ovd", "sum", {"-s", "tables.pooling=sum"}).exit_code, 0);
  EXPECT_NE(losses(folder.path() / "sum"), losses(folder.path() / "cached"));
  const Outcome without = on("plain.ovd", "none", {});
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_NE(without.err.find("tables.pooling: weighted, but plain.ovd has no weights"), std::string::npos)
      << without.err;
  EXPECT_NE(without.err.find("take sum or mean"), std::string::npos) << without.err;
}

TEST(Evaluate, SaysWhatTrainSaid) {
  const TemporaryFolder folder;
  const Outcome trained = run_overture(train("a"), {.folder = folder.path()});
  ASSERT_EQ(trained.exit_code, 0) << trained.text();
  const Outcome evaluated = run_overture({"evaluate", "a"}, {.folder = folder.path()});
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated.text();
  const std::size_t from = evaluated.out.find("AUC");
  const std::string line = evaluated.out.substr(from, evaluated.out.find('\n', from) - from);
  EXPECT_NE(trained.out.find(line.substr(line.find_last_of(' ') + 1)), std::string::npos)
      << evaluated.out << trained.out;
  for (const std::string& said : lines_of(evaluated.out)) EXPECT_LE(said.size(), 80u) << said;
  EXPECT_NE(evaluated.out.find("report: a/evaluation/report.html"), std::string::npos) << evaluated.out;
  EXPECT_TRUE(fs::exists(folder.path() / "a" / "evaluation" / "report.html"));

  // A folder as every command leaves it, which goes with the others; the same predictions, the same digest.
  ASSERT_EQ(run_overture({"evaluate", "a", "-o", "b"}, {.folder = folder.path()}).exit_code, 0);
  const fs::path summary = folder.path() / "b" / "summary.json";
  for (const char* key : {"name", "overture", "kind", "seed", "log_loss", "auc", "digest", "setup_yaml"})
    EXPECT_EQ(values(summary, key).size(), 1u) << key;
  EXPECT_EQ(values(summary, "kind").front(), "\"kind\": \"evaluate\"");
  EXPECT_EQ(values(summary, "digest"), values(folder.path() / "a" / "evaluation" / "summary.json", "digest"));
  EXPECT_EQ(values(summary, "auc").front(), values(folder.path() / "a" / "summary.json", "auc").front())
      << "trained and evaluated at once, and apart";
}

TEST(Evaluate, OtherDataIsReadWithTheTablesOfTheModel) {
  const TemporaryFolder folder;
  const auto overture = [&](const Words& words) { return run_overture(words, {.folder = folder.path()}); };
  ASSERT_EQ(overture(train("a")).exit_code, 0);
  const auto generate = [&](const std::string& like, const std::string& scale, const std::string& file) {
    const Words words{"generate", "dataset",   "--like", like, "--scale",
                      scale,      "--samples", "500",    "-o", file};
    ASSERT_EQ(overture(words).exit_code, 0);
  };
  generate("kaggle", "0.0005", "fewer.ovd");  // as a test set that was converted alone
  const Outcome fewer = overture({"evaluate", "a", "--data", "fewer.ovd", "-o", "fewer"});
  EXPECT_EQ(fewer.exit_code, 0) << fewer.text();
  generate("kaggle", "0.01", "more.ovd");
  const Outcome more = overture({"evaluate", "a", "--data", "more.ovd", "-o", "more"});
  EXPECT_EQ(more.exit_code, 2) << more.text();
  EXPECT_NE(more.err.find("more.ovd: batch 0 looks up id "), std::string::npos) << more.text();
  const Outcome scores = overture({"predict", "a", "--data", "more.ovd", "--out", "scores.csv"});
  EXPECT_EQ(scores.exit_code, 2) << scores.text();
  EXPECT_NE(scores.err.find("more.ovd: batch 0 looks up id "), std::string::npos) << scores.text();
  generate("avazu", "0.001", "avazu.ovd");
  const Outcome other = overture({"evaluate", "a", "--data", "avazu.ovd", "-o", "other"});
  EXPECT_EQ(other.exit_code, 2) << other.text();
  EXPECT_NE(other.err.find("has 21 tables and 13 dense features; the model has 26 and 13"), std::string::npos)
      << other.text();
}

TEST(Predict, DoesNotReplaceItsData) {
  const TemporaryFolder folder;
  const auto overture = [&](const Words& words) { return run_overture(words, {.folder = folder.path()}); };
  ASSERT_EQ(overture(train("a")).exit_code, 0);
  ASSERT_EQ(overture({"generate", "dataset", "--like", "kaggle", "--scale", "0.001", "--samples", "50", "-o",
                      "clicks.ovd"})
                .exit_code,
            0);
  const std::string before = read_text(folder.path() / "clicks.ovd");
  const Outcome outcome = overture({"predict", "a", "--data", "clicks.ovd", "--out", "./clicks.ovd"});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.text();
  EXPECT_NE(outcome.err.find("is also the data"), std::string::npos) << outcome.text();
  EXPECT_TRUE(read_text(folder.path() / "clicks.ovd") == before);
}

TEST(Train, ADatasetWithoutSamplesIsRefused) {
  const TemporaryFolder folder;
  const auto overture = [&](const Words& words) { return run_overture(words, {.folder = folder.path()}); };
  ASSERT_EQ(overture({"generate", "dataset", "--like", "kaggle", "--scale", "0.001", "--samples", "0", "-o",
                      "none.ovd"})
                .exit_code,
            0);
  const Outcome outcome = overture({"train", "--data", "none.ovd", "-o", "run"});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.text();
  EXPECT_NE(outcome.err.find("none.ovd: has no samples to train with"), std::string::npos) << outcome.text();
}

TEST(Train, FilesThatDoNotSayHowManyRowsTheirTablesHaveAreCounted) {
  const TemporaryFolder folder;
  const auto overture = [&](const Words& words) { return run_overture(words, {.folder = folder.path()}); };
  ASSERT_EQ(overture({"generate", "dataset", "--like", "kaggle", "--scale", "1e-4", "--samples", "1000", "-o",
                      "clicks.jsonl"})
                .exit_code,
            0);
  const Outcome trained =
      overture({"train", "--data", "clicks.jsonl", "--arch-mlp-bot", "13-8", "--arch-mlp-top", "8-1",
                "--emb-size", "8", "--mini-batch-size", "100", "-o", "run", "--no-report"});
  ASSERT_EQ(trained.exit_code, 0) << trained.text();
  EXPECT_NE(trained.err.find("does not say how many rows"), std::string::npos) << trained.err;
  EXPECT_NE(read_text(folder.path() / "run" / "setup.yaml").find("rows: "), std::string::npos);
  EXPECT_EQ(overture({"evaluate", "run", "--no-report"}).exit_code, 0);
  EXPECT_EQ(overture({"predict", "run", "--data", "clicks.jsonl", "--out", "scores.csv"}).exit_code, 0);
}

TEST(Evaluate, ADamagedCheckpointIsOneMessageThatNamesTheFile) {
  const TemporaryFolder folder;
  const Surroundings here{.folder = folder.path()};
  ASSERT_EQ(run_overture(train("a", {"--num-batches", "3"}), here).exit_code, 0);
  const fs::path checkpoint = newest(folder.path() / "a");
  const auto expect_error = [&](const std::string& file, const std::string& text, const std::string& what) {
    const std::string sound = read_text(checkpoint / file);
    folder.write("a/checkpoints/step-3/" + file, text);
    const Outcome outcome = run_overture({"evaluate", "a"}, here);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.text();
    EXPECT_TRUE(outcome.err.starts_with("error: a/checkpoints/step-3/" + file + ": ")) << outcome.text();
    EXPECT_NE(outcome.err.find(what), std::string::npos) << outcome.text();
    EXPECT_EQ(outcome.out, "");
    EXPECT_FALSE(fs::exists(folder.path() / "a" / "evaluation"));
    folder.write("a/checkpoints/step-3/" + file, sound);
  };
  for (const char* file : {"rows-0", "dense"}) {
    std::string text = read_text(checkpoint / file);
    expect_error(file, text.substr(0, text.size() / 2), "cut short");
    expect_error(file, "", "");
    text[text.size() / 2] = static_cast<char>(text[text.size() / 2] ^ 1);
    expect_error(file, text, "damaged");
  }
  expect_error("manifest.json", "{\"format\": \"overt", "damaged");
  EXPECT_EQ(run_overture({"evaluate", "a"}, here).exit_code, 0) << "sound again";
  fs::remove(checkpoint / "dense");
  EXPECT_EQ(run_overture({"evaluate", "a"}, here).exit_code, 2);
}

TEST(Train, BadInputGetsOneMessageAndExitCodeTwo) {
  const TemporaryFolder folder;
  folder.write("bad.yaml", "data: {synthetic: kaggle}\nlookahead: 4\n");
  folder.write("no.tsv", "this is no dataset\n");
  ASSERT_EQ(run_overture(train("done", {"--num-batches", "3"}), {.folder = folder.path()}).exit_code, 0);
  fs::resize_file(newest(folder.path() / "done") / "rows-0", 1000);
  for (const Words& arguments :
       {Words{"train"}, Words{"train", "missing.yaml"}, Words{"train", "bad.yaml"},
        Words{"train", "--data", "missing.ovt"}, Words{"train", "--data", "no.tsv"},
        Words{"train", "--no-such-flag"}, train("x", {"--cache-size", "10"}), train("x", {"--emb-size", "9"}),
        train("x", {"--optimizer", "adm"}), train("x", {"--resume"}), train("done"),
        train("done", {"--resume"}), train("done", {"--resume", "--overwrite"}),
        train("x", {"--learning-rate", "1e5"}), train("x", {"--arch-embedding-size", "5-6"}),
        train("no.tsv/inside"), Words{"evaluate", "x"}, Words{"evaluate", "done"}, Words{"evaluate"}}) {
    const Outcome outcome = run_overture(arguments, {.folder = folder.path()});
    EXPECT_EQ(outcome.exit_code, 2) << outcome.text();
    EXPECT_TRUE(outcome.err.starts_with("error: ")) << outcome.text();
  }
}

TEST(Train, ResumeRefusesAnotherRunAndNotesAnotherLearningRate) {
  const TemporaryFolder folder;
  const Surroundings here{.folder = folder.path()};
  ASSERT_EQ(run_overture(train("run", {"--stop-iter", "10", "--no-report"}), here).exit_code, 0);
  const std::pair<Words, std::string> others[] = {
      {{"-s", "batch_size=64"}, "batch_size was 128, is 64"},
      {{"--seed", "7"}, "seed was 1, is 7"},
      {{"-s", "data.samples=7000"}, "data was kaggle"},
      {{"-s", "data.test_every=5"}, "data.test_every was 10, is 5"},
      {{"--optimizer", "adam"}, "optimizer.kind was sgd, is adam"},
      {{"-s", "model.mlp_top=16-1"}, "model was"}};
  for (const auto& [words, says] : others) {
    Words more = words;
    more.emplace_back("--resume");
    const Outcome refused = run_overture(train("run", more), here);
    EXPECT_EQ(refused.exit_code, 2) << refused.text();
    EXPECT_NE(refused.err.find(says), std::string::npos) << refused.text();
  }
  const Outcome slower = run_overture(
      train("run", {"--resume", "-s", "optimizer.learning_rate=0.05", "--stop-iter", "12"}), here);
  EXPECT_EQ(slower.exit_code, 0) << slower.text();
  EXPECT_NE(slower.err.find("note: optimizer.learning_rate was 0.1, is 0.05 from now on"), std::string::npos)
      << slower.text();
}

TEST(Train, ADamagedCheckpointIsSkippedWithAWarningAndTheResultIsTheSame) {
  const TemporaryFolder folder;
  const Surroundings here{.folder = folder.path()};
  ASSERT_EQ(run_overture(train("whole", {"--no-report"}), here).exit_code, 0);
  ASSERT_EQ(run_overture(train("run", {"--stop-iter", "20", "--checkpoint-every", "10", "--no-report"}), here)
                .exit_code,
            0);
  folder.write("run/checkpoints/step-20/manifest.json", std::string(400, '\0'));
  const Outcome resumed = run_overture(train("run", {"--resume", "--no-report"}), here);
  ASSERT_EQ(resumed.exit_code, 0) << resumed.text();
  EXPECT_NE(resumed.err.find("warning: run/checkpoints/step-20/manifest.json"), std::string::npos)
      << resumed.err;
  EXPECT_NE(resumed.err.find("resuming from run/checkpoints/step-10"), std::string::npos) << resumed.err;
  expect_same_model(folder.path() / "whole", folder.path() / "run");
  // Its time is told of the step before it, and in no other time.
  EXPECT_EQ(values(folder.path() / "whole/metrics.jsonl", "checkpoint_seconds").size(), 1u);
  EXPECT_EQ(values(folder.path() / "run/metrics.jsonl", "checkpoint_seconds").size(), 2u);
  EXPECT_EQ(values(folder.path() / "run/summary.json", "checkpoint_seconds").size(), 1u);
}

// A run that was killed has told of every step before its checkpoint, and loses no line when it goes on.
TEST(Train, AKilledRunResumesWithEveryLineOfItsMetrics) {
  const TemporaryFolder folder;
  const Surroundings here{.folder = folder.path()};
  const Words more{"--checkpoint-every", "5", "--test-freq", "5", "--no-report", "-s", "data.samples=60000"};
  for (const char* after : {"0.3", "0.4", "0.5"}) {
    Words words{"timeout", "--foreground", "-s", "KILL", after, overture_binary().string()};
    const Words killed = train("run", more);
    words.insert(words.end(), killed.begin(), killed.end());
    words.emplace_back("--overwrite");
    run(words, here);
    if (!fs::exists(folder.path() / "run/checkpoints")) continue;  // on a busy machine
    Words again = more;
    again.insert(again.end(), {"--resume", "--stop-iter", "200"});
    const Outcome resumed = run_overture(train("run", again), here);
    if (resumed.err.find("holds no checkpoint") != std::string::npos) continue;
    ASSERT_EQ(resumed.exit_code, 0) << resumed.text();
    const auto lines = lines_of(read_text(folder.path() / "run/metrics.jsonl"));
    for (std::size_t i = 0; i < lines.size(); ++i)
      ASSERT_TRUE(lines[i].starts_with("{\"step\": " + std::to_string(i) + ",") && lines[i].ends_with("}"))
          << lines[i];
    EXPECT_GE(lines.size(), 200u);
  }
}

TEST(Train, TwoRunsDoNotMixInOneFolder) {
  const TemporaryFolder folder;
  const Surroundings here{.folder = folder.path()};
  Outcome first;
  std::thread other([&] {
    first = run_overture(train("run", {"--no-report", "-s", "data.samples=200000"}), here);
  });
  while (!fs::exists(folder.path() / "run/metrics.jsonl"))
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const Outcome second = run_overture(train("run", {"--overwrite"}), here);
  EXPECT_EQ(second.exit_code, 2) << second.text();
  EXPECT_NE(second.err.find("run: is in use by another run"), std::string::npos) << second.text();
  other.join();
  EXPECT_EQ(first.exit_code, 0) << first.text();
}

}  // namespace
}  // namespace overture::testing
