#include "overture/cli/train_flags.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "overture/base/testing.h"
#include "overture/cli/commands.h"
#include "overture/cli/testing.h"
#include "overture/setup/train_setup.h"

namespace overture::cli {
namespace {

// Flags as they are given after `train`.
void give(const Words& flags, TrainFlags& into) {
  Words words{"train"};
  words.insert(words.end(), flags.begin(), flags.end());
  const Ran ran = run_words(words, [&](Command& root) {
    Command command = root.add("train", "Train");
    add_train_flags(command, into);
    command.runs([] { return 0; });
  });
  EXPECT_EQ(ran.code, 0) << ran.err;
}
Words assignments_of(const Words& words) {
  TrainFlags flags;
  give(words, flags);
  return flags.assignments();
}

TEST(TrainFlagsTable, EveryFlagIsOneKey) {
  const std::vector<std::pair<std::string, std::string>> flags{
      {"--data", "data.file"},
      {"--processed-csv", "data.file"},
      {"--max-ind-range", "data.max_ind_range"},
      {"--synthetic", "data.synthetic"},
      {"--samples", "data.samples"},
      {"--max-bad-rows", "data.max_bad_rows"},
      {"--scale", "data.scale"},
      {"--model", "model.kind"},
      {"--arch-mlp-bot", "model.mlp_bottom"},
      {"--arch-mlp-top", "model.mlp_top"},
      {"--arch-interaction-op", "model.interaction"},
      {"--arch-sparse-feature-size", "tables.dim"},
      {"--emb-size", "tables.dim"},
      {"--arch-embedding-size", "tables.rows"},
      {"--mini-batch-size", "batch_size"},
      {"--learning-rate", "optimizer.learning_rate"},
      {"--lr-num-warmup-steps", "optimizer.warmup_steps"},
      {"--lr-decay-start-step", "optimizer.decay_start"},
      {"--lr-num-decay-steps", "optimizer.decay_steps"},
      {"--weight-decay", "optimizer.weight_decay"},
      {"--nepochs", "data.epochs"},
      {"--num-batches", "steps"},
      {"--stop-iter", "steps"},
      {"--seed", "seed"},
      {"--numpy-rand-seed", "seed"},
      {"--lookahead-value", "cache.lookahead"},
      {"--lookahead-val", "cache.lookahead"},
      {"--prefetch-depth", "cache.prefetch_depth"},
      {"--cache-size", "cache.capacity"},
      {"--cleanup-batch-proportion", "cache.cleanup_proportion"},
      {"--trainers", "trainers"},
      {"--servers", "servers"},
      {"--sharding", "tables.sharding"},
      {"--threads", "threads"},
      {"--checkpoint-every", "checkpoint_every"},
      {"--keep-every", "keep_every"},
      {"--test-freq", "evaluate_every"},
      {"--patience", "patience"},
      {"--logging-prefix", "name"}};
  for (const auto& [flag, key] : flags) EXPECT_EQ(assignments_of({flag, "7"}), Words{key + "=7"}) << flag;
}

// A flag of a key that the setup does not have could never be given.
TEST(TrainFlagsTable, EveryKeyIsOneOfTheSetup) {
  std::vector<std::string> keys;
  for (const setup::Explanation& one : setup::explain_train_setup()) keys.push_back(one.key);
  TrainFlags flags;
  give({}, flags);
  for (const auto& flag : flags.given) EXPECT_EQ(std::ranges::count(keys, flag->key), 1) << flag->key;
}

TEST(TrainFlagsTable, FlagsThatAreNotGivenSayNothing) {
  EXPECT_TRUE(assignments_of({}).empty());
  TrainFlags flags;
  give({}, flags);
  EXPECT_TRUE(flags.notes().empty());
}

TEST(TrainFlagsTable, SeveralFlagsKeepTheOrderOfTheSetup) {
  EXPECT_EQ(assignments_of({"--trainers", "2", "--synthetic", "kaggle"}),
            (Words{"data.synthetic=kaggle", "trainers=2"}));
}

TEST(TrainFlagsTable, OptimizersOfDlrmHaveTheirNames) {
  EXPECT_EQ(assignments_of({"--optimizer", "rwsadagrad"}), Words{"optimizer.kind=adagrad"});
  EXPECT_EQ(assignments_of({"--optimizer", "sgd"}), Words{"optimizer.kind=sgd"});
}

TEST(TrainFlagsTable, TheFilterRangeIsEvenChannelsFromTwelveOn) {
  EXPECT_EQ(assignments_of({"--filter-range", "2-5"}),
            (Words{"model.channels=14-16-18-20", "model.kind=fgcnn"}));
  EXPECT_EQ(assignments_of({"--filter-range", "1-1"}), (Words{"model.channels=12", "model.kind=fgcnn"}));
  for (const char* range : {"5", "5-2", "0-2", "-2", "2-", "2-x", "1-100", "2-3-4"}) {
    TrainFlags flags;
    flags.filter_range = range;
    EXPECT_EQ(user_error([&] { flags.assignments(); }),
              "--filter-range: \"" + std::string(range) + "\" is not a range\n  such as 2-5");
  }
}

TEST(TrainFlagsTable, OnlyTheCpuAndOneLossAreThere) {
  EXPECT_TRUE(assignments_of({"--device", "cpu", "--loss-function", "bce"}).empty());
  TrainFlags cuda;
  cuda.device = "cuda";
  EXPECT_EQ(user_error([&] { cuda.assignments(); }),
            "--device: \"cuda\": training runs on the CPU\n  give cpu, or nothing");
  TrainFlags mse;
  mse.loss_function = "mse";
  EXPECT_EQ(user_error([&] { mse.assignments(); }),
            "--loss-function: \"mse\": the loss is the binary cross entropy\n  give bce, or nothing");
}

TEST(TrainFlagsTable, AFileOfTableSizesIsAListOfRows) {
  const TestFolder folder;
  EXPECT_EQ(assignments_of({"--emb-info-file", folder.write("info.txt", "5\n7\n900\n").string()}),
            Words{"tables.rows=5-7-900"});
}

TEST(TrainFlagsTable, TheNumberOfTrainersMayComeFromWhereTheyMeet) {
  TrainFlags flags;
  flags.take(std::nullopt);
  EXPECT_TRUE(flags.assignments().empty());
  flags.take(3);
  EXPECT_EQ(flags.assignments(), Words{"trainers=3"});
}

// Flags of Bagpipe's programs that need nothing here: with or without a value, each says why.
TEST(TrainFlagsTable, IdleFlagsSayWhyTheyDoNothing) {
  for (const char* flag : {"--prefetch", "--cache", "--dataset-multiprocessing", "--ragged",
                           "--delay-emb-sync", "--s3", "--memory-map", "--verbose"}) {
    TrainFlags flags;
    give({flag}, flags);
    EXPECT_TRUE(flags.assignments().empty()) << flag;
    ASSERT_EQ(flags.notes().size(), 1u) << flag;
    EXPECT_EQ(flags.notes()[0].rfind(std::string(flag) + " does nothing: ", 0), 0u) << flags.notes()[0];
  }
  for (const char* flag : {"--dataset-multi-num",
                           "--dist-worker-id",
                           "--dist-master-ip",
                           "--master-port-ccom",
                           "--dist-backend",
                           "--oracle-prefix",
                           "--worker-addresses",
                           "--log-file-path",
                           "--cleanup-proportion",
                           "--ln-emb",
                           "--dense-size",
                           "--data-generation",
                           "--data-set",
                           "--raw-data-file",
                           "--processed-data-file",
                           "--data-size",
                           "--data-randomize",
                           "--num-indices-per-lookup",
                           "--test-mini-batch-size",
                           "--additive-increase-param"}) {
    TrainFlags flags;
    give({flag, "4"}, flags);
    EXPECT_TRUE(flags.assignments().empty()) << flag;
    ASSERT_EQ(flags.notes().size(), 1u) << flag;
    EXPECT_EQ(flags.notes()[0].rfind(std::string(flag) + " does nothing: ", 0), 0u) << flags.notes()[0];
  }
}

TEST(TrainCommand, AFlagThatDoesNothingIsNotedAndMistakesAreRefused) {
  const Ran ran = run_words({"train", "--s3", "--device", "tpu"}, add_train);
  EXPECT_EQ(ran.code, 2);
  EXPECT_TRUE(has(ran.err, "note: --s3 does nothing: results stay in their folder\n")) << ran.err;
  EXPECT_TRUE(has(ran.err, "error: --device: \"tpu\": training runs on the CPU\n")) << ran.err;
}

TEST(TrainCommand, WithoutDataThereIsNothingToTrain) {
  EXPECT_EQ(
      refused({"train"}, add_train),
      "data: no data is given\n  give data.file (--data FILE), or data.synthetic (--synthetic kaggle)\n");
}

}  // namespace
}  // namespace overture::cli
