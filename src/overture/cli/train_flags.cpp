#include "overture/cli/train_flags.h"

#include "overture/base/error.h"

namespace overture::cli {
namespace {

struct Flag {
  const char* name;
  const char* key;
  const char* help;
};

constexpr Flag kFlags[] = {
    {"--data", "data.file", "Dataset of any format that `overture convert` reads"},
    {"--synthetic", "data.synthetic", "Instead: data like kaggle, avazu or terabyte"},
    {"--samples", "data.samples", "Of the synthetic data"},
    {"--max-bad-rows", "data.max_bad_rows", "Rows that cannot be read and may be passed over"},
    {"--scale", "data.scale", "Of the synthetic tables"},
    {"--model", "model.kind", "dlrm, wide_and_deep, dcn, deep_fm, fgcnn or caser"},
    {"--arch-mlp-bot", "model.mlp_bottom", "Layers on the dense features, such as 13-512-256-64-16"},
    {"--arch-mlp-top", "model.mlp_top", "Layers behind the interaction, such as 512-256-1"},
    {"--arch-interaction-op", "model.interaction", "dot or cat"},
    {"--arch-sparse-feature-size,--emb-size", "tables.dim", "Columns of a row"},
    {"--arch-embedding-size", "tables.rows", "Rows of each table, such as 1460-583; the data's unless given"},
    {"--mini-batch-size", "batch_size", "Samples of a step, over all trainers"},
    {"--learning-rate", "optimizer.learning_rate", "Of a step"},
    {"--nepochs", "data.epochs", "How often the data is gone through"},
    {"--num-batches,--stop-iter", "steps", "At most so many steps; 0: until the data ends"},
    {"--seed,--numpy-rand-seed", "seed", "Of every random choice"},
    {"--lookahead-value,--lookahead-val", "cache.lookahead",
     "Batches that the planner sees; 1: no cache; 0: no servers"},
    {"--prefetch-depth", "cache.prefetch_depth", "Batches that a row may come early"},
    {"--cache-size", "cache.capacity", "Rows that the cache holds"},
    {"--cleanup-batch-proportion", "cache.cleanup_proportion",
     "Batches between clean-ups, as a share of the lookahead"},
    {"--trainers", "trainers", "That share every batch"},
    {"--servers", "servers", "That share the rows"},
    {"--sharding", "tables.sharding", "How servers divide the rows: hash, range, table_wise or column_wise"},
    {"--threads", "threads", "Of each trainer; the result is the same for any number"},
    {"--checkpoint-every", "checkpoint_every", "Steps; 0: only at the end"},
    {"--keep-every", "keep_every",
     "Steps whose checkpoints stay, beside the two newest and the best; 0: none"},
    {"--test-freq", "evaluate_every",
     "Steps between evaluations on the held-out samples; 0: only at the end"},
};

}  // namespace

void add_train_flags(Command& command, TrainFlags& flags) {
  for (const Flag& flag : kFlags) {
    flags.given.push_back(std::make_unique<TrainFlags::Given>(TrainFlags::Given{flag.key, {}}));
    command.option(flag.name, flags.given.back()->value, flag.help);
  }
  command.flag("--arch-interaction-itself", flags.interaction_itself, "dot: also every vector with itself")
      .option("--optimizer", flags.optimizer, "sgd, adagrad (row-wise on tables; also rwsadagrad) or adam");
}

void TrainFlags::take(const std::optional<int>& trainers) {
  if (trainers) given.push_back(std::make_unique<Given>(Given{"trainers", std::to_string(*trainers)}));
}

std::vector<std::string> TrainFlags::assignments() const {
  std::vector<std::string> result;
  for (const auto& flag : given) {
    if (!flag->value.empty()) result.push_back(flag->key + "=" + flag->value);
  }
  if (interaction_itself) result.emplace_back("model.interaction_itself=true");
  if (!optimizer.empty())
    result.push_back("optimizer.kind=" + (optimizer == "rwsadagrad" ? "adagrad" : optimizer));
  return result;
}

}  // namespace overture::cli
