#include "overture/cli/train_flags.h"

#include <charconv>
#include <map>
#include <utility>

#include "overture/base/error.h"
#include "overture/data/bagpipe.h"
#include "overture/setup/train_setup.h"

namespace overture::cli {
namespace {

struct Flag {
  const char* name;
  const char* key;
  const char* help;
};

constexpr Flag kFlags[] = {
    {"--data,--processed-csv FILE", "data.file",
     "Dataset; raw Criteo, or any format that `overture convert` reads"},
    {"--max-ind-range N", "data.max_ind_range",
     "Take ids of raw data modulo this number, instead of one row per id"},
    {"--synthetic NAME", "data.synthetic",
     "Synthetic data in place of a dataset: like kaggle, avazu or terabyte"},
    {"--samples N", "data.samples", "Samples of the synthetic data"},
    {"--max-bad-rows N", "data.max_bad_rows", "Number of unreadable rows that may be skipped"},
    {"--scale NUMBER", "data.scale", "Factor for the rows of the synthetic tables"},
    {"--model KIND", "model.kind",
     "Model to train, such as dlrm or deep_fm; `overture explain model.kind` lists all"},
    {"--arch-mlp-bot SIZES", "model.mlp_bottom", "Layers on the dense features, such as 13-512-256-64-16"},
    {"--arch-mlp-top SIZES", "model.mlp_top", "Layers behind the interaction, such as 512-256-1"},
    {"--arch-interaction-op KIND", "model.interaction", "dot or cat"},
    {"--arch-sparse-feature-size,--emb-size N", "tables.dim", "Columns of an embedding row"},
    {"--arch-embedding-size SIZES", "tables.rows",
     "Rows of each table, such as 1460-583 (default: as the data has)"},
    {"--mini-batch-size N", "batch_size", "Samples per step, over all trainers"},
    {"--learning-rate NUMBER", "optimizer.learning_rate", "Learning rate; one optimizer step per batch"},
    {"--lr-num-warmup-steps N", "optimizer.warmup_steps", "Number of steps in which the learning rate rises"},
    {"--lr-decay-start-step N", "optimizer.decay_start", "Step at which the learning rate begins to fall"},
    {"--lr-num-decay-steps N", "optimizer.decay_steps",
     "Number of steps in which the learning rate falls; 0: it never falls"},
    {"--weight-decay NUMBER", "optimizer.weight_decay", "Decay of weights per step, times the learning rate"},
    {"--nepochs N", "data.epochs", "How often the data is read from start to end"},
    {"--num-batches,--stop-iter N", "steps", "Largest number of steps; 0: until the data ends"},
    {"--seed,--numpy-rand-seed N", "seed", "Seed of every random choice"},
    {"--lookahead-value,--lookahead-val N", "cache.lookahead",
     "Batches that the planner looks ahead; 1: no cache; 0: no servers"},
    {"--prefetch-depth N", "cache.prefetch_depth", "Number of batches by which a row may be fetched early"},
    {"--cache-size N", "cache.capacity", "Rows that the cache holds"},
    {"--cleanup-batch-proportion NUMBER", "cache.cleanup_proportion",
     "Batches between clean-ups, as a share of the lookahead"},
    {"--trainers N", "trainers", "Trainers; each takes an equal share of every batch"},
    {"--servers N", "servers", "Embedding servers; each holds a share of the rows"},
    {"--sharding KIND", "tables.sharding",
     "How servers divide the rows: hash, range, table_wise or column_wise"},
    {"--plan FILE", "tables.plan",
     "planned.yaml of `overture plan --for train`: each table on servers of its own, instead of --sharding"},
    {"--threads N", "threads", "Threads of each trainer; the result is the same for any number"},
    {"--checkpoint-every N", "checkpoint_every", "Steps between checkpoints; 0: only at the end"},
    {"--keep-every N", "keep_every",
     "Also keep the checkpoint of every N-th step, beside the two newest and the best; 0: none"},
    {"--test-freq N", "evaluate_every",
     "Steps between evaluations on the held-out samples; 0: only at the end"},
    {"--patience N", "patience", "Stop when the held-out AUC has not improved in N evaluations; 0: never"},
};

// Flags of Bagpipe's programs that need nothing here, and why.
struct Idle {
  const char* name;
  bool takes_value;
  const char* why;
};

constexpr Idle kIdle[] = {
    {"--prefetch", false, "rows are always fetched ahead; --prefetch-depth says how far"},
    {"--cache", false, "there is always a cache; --lookahead-value 1 does without"},
    {"--dataset-multiprocessing", false, "the data is read in one order, whatever reads it"},
    {"--dataset-multi-num", true, "the parts of a folder are counted"},
    {"--ragged", false, "samples with several lookups are recognised in the data"},
    {"--dist-worker-id", true, "the number of a trainer follows from --worker-id"},
    {"--dist-master-ip", true, "trainers meet where all others do, at --master-ip"},
    {"--master-port-ccom", true, "trainers meet where all others do, at --master-port"},
    {"--dist-backend", true, "trainers speak as all others do: MPI under mpirun, ZeroMQ by hand"},
    {"--delay-emb-sync", false, "rows that the next batch does not use are always exchanged behind it"},
    {"--oracle-prefix", true, "parties are known by their numbers"},
    {"--trainer-prefix", true, "parties are known by their numbers"},
    {"--emb-prefix", true, "parties are known by their numbers"},
    {"--worker-addresses", true, "the oracle tells everybody where the others are"},
    {"--log-file-path", true, "everything is in the results folder"},
    {"--s3", false, "results stay in their folder"},
    {"--cleanup-proportion", true, "--cleanup-batch-proportion is the one that counts"},
    {"--ln-emb", true, "the data or --emb-info-file says how many rows tables have"},
    {"--dense-size", true, "the data says how many dense features there are"},
    {"--verbose,-v", false, "everything is in the results folder"},
    {"--data-generation", true, "--processed-csv and --synthetic say what the data is"},
    {"--data-set", true, "--processed-csv and --synthetic say what the data is"},
    {"--raw-data-file", true, "--data reads raw data"},
    {"--processed-data-file", true, "--processed-csv names the data"},
    {"--data-size", true, "all of the data is read; --stop-iter ends earlier"},
    {"--data-randomize", true, "the data keeps its order; data.shuffle_block changes it"},
    {"--data-trace-enable-padding", true, "there are no traces to pad"},
    {"--data-sub-sample-rate", true, "no sample is left out"},
    {"--num-indices-per-lookup", true, "the data says what a sample looks up"},
    {"--num-indices-per-lookup-fixed", true, "the data says what a sample looks up"},
    {"--memory-map", false, "our own format is always mapped; `overture convert` writes it"},
    {"--test-mini-batch-size", true, "held-out samples come in batches of --mini-batch-size"},
    {"--multiplicative-decrease-param", true, "the window shrinks as far as --cache-size needs"},
    {"--additive-increase-param", true, "the window grows as far as --cache-size allows"},
};

// "2-5" are the convolutions of 14 to 20 channels, as in Bagpipe.
std::string channels_of(const std::string& range) {
  const auto fail = [&] {
    throw UserError({.key = "--filter-range"}, "\"" + range + "\" is not a range", "such as 2-5");
  };
  const std::size_t dash = range.find('-');
  int first = 0;
  int last = 0;
  const char* const end = range.data() + range.size();
  if (dash == std::string::npos ||
      std::from_chars(range.data(), range.data() + dash, first).ptr != range.data() + dash ||
      std::from_chars(range.data() + dash + 1, end, last).ptr != end || first < 1 || last < first ||
      last > 99)
    fail();
  std::string channels;
  for (int i = first; i <= last; ++i) channels += (i == first ? "" : "-") + std::to_string(10 + 2 * i);
  return channels;
}

std::string rows_of(const std::string& file) {
  std::string rows;
  for (const std::int64_t count : data::read_table_info(file))
    rows += (rows.empty() ? "" : "-") + std::to_string(count);
  return rows;
}

}  // namespace

namespace {

// As help shows it: what the key of the setup has when nobody sets it.
std::string default_of(const Flag& flag) {
  static const std::map<std::string, std::string> initial = [] {
    std::map<std::string, std::string> values;
    for (const setup::Explanation& e : setup::explain_train_setup()) values[e.key] = e.initial;
    return values;
  }();
  const auto found = initial.find(flag.key);
  return found == initial.end() || found->second.empty() ? "" : " (default: " + found->second + ")";
}

}  // namespace

void add_train_flags(Command& command, TrainFlags& flags) {
  for (const Flag& flag : kFlags) {
    flags.given.push_back(std::make_unique<TrainFlags::Given>(TrainFlags::Given{flag.key, {}}));
    command.option(flag.name, flags.given.back()->value, flag.help + default_of(flag));
  }
  command
      .flag("--arch-interaction-itself", flags.interaction_itself,
            "With dot: also multiply every vector with itself")
      .option("--optimizer KIND", flags.optimizer,
              "sgd, adagrad (row-wise on tables; also rwsadagrad) or adam")
      .option("--emb-info-file FILE", flags.emb_info_file,
              "File with the rows of each table, one number a line, as in Bagpipe")
      .option("--filter-range RANGE", flags.filter_range,
              "Channels of FGCNN, as in Bagpipe: 2-5 is 14-16-18-20")
      .option("--device NAME", flags.device, "Device; only cpu is supported")
      .option("--loss-function NAME", flags.loss_function, "Loss function; only bce is supported")
      .option("--logging-prefix NAME", flags.logging_prefix, "Name of the run; the same as the key `name`");
  for (const Idle& idle : kIdle) {
    const std::string help = std::string("Bagpipe's; does nothing: ") + idle.why;
    flags.idle.push_back(std::make_unique<TrainFlags::IdleFlag>());
    if (idle.takes_value) {
      command.option(idle.name, flags.idle.back()->value, help);
    } else {
      command.flag(idle.name, flags.idle.back()->given, help);
    }
  }
}

std::vector<std::string> TrainFlags::notes() const {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < idle.size(); ++i) {
    const std::string names = kIdle[i].name;
    if (idle[i]->given || !idle[i]->value.empty())
      result.push_back(names.substr(0, names.find(',')) + " does nothing: " + kIdle[i].why);
  }
  return result;
}

void TrainFlags::take(const std::optional<int>& trainers) {
  if (trainers) given.push_back(std::make_unique<Given>(Given{"trainers", std::to_string(*trainers)}));
}

std::vector<std::string> TrainFlags::assignments() const {
  std::vector<std::string> result;
  for (const auto& flag : given) {
    if (!flag->value.empty()) result.push_back(flag->key + "=" + flag->value);
  }
  if (!device.empty() && device != "cpu")
    throw UserError({.key = "--device"}, "\"" + device + "\": training runs on the CPU",
                    "give cpu, or nothing");
  if (!loss_function.empty() && loss_function != "bce")
    throw UserError({.key = "--loss-function"},
                    "\"" + loss_function + "\": the loss is the binary cross entropy",
                    "give bce, or nothing");
  if (!emb_info_file.empty()) result.push_back("tables.rows=" + rows_of(emb_info_file));
  if (!logging_prefix.empty()) result.push_back("name=" + logging_prefix);
  if (!filter_range.empty()) {
    result.push_back("model.channels=" + channels_of(filter_range));
    result.emplace_back("model.kind=fgcnn");
  }
  if (interaction_itself) result.emplace_back("model.interaction_itself=true");
  if (!optimizer.empty())
    result.push_back("optimizer.kind=" + (optimizer == "rwsadagrad" ? "adagrad" : optimizer));
  return result;
}

std::vector<std::string> RunFlags::words() const {
  std::vector<std::string> result;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) result.insert(result.end(), {name, value});
  };
  for (const std::string& one : overrides) add("-s", one);
  add("-o", output.folder);
  add("--weights", weights);
  for (const auto& [name, given] : {std::pair("--resume", resume), std::pair("--overwrite", output.overwrite),
                                    std::pair("--no-report", output.no_report),
                                    std::pair("--tensorboard", tensorboard), std::pair("--record", record)}) {
    if (given) result.emplace_back(name);
  }
  return result;
}

void add_run_flags(Command& command, RunFlags& flags) {
  add_output(command, flags.output, "results/<setup name>");
  command.option("-s,--set KEY=VALUE", flags.overrides, "Change one key of the setup; may be repeated")
      .flag("--resume", flags.resume, "Continue the run in the results folder where it stopped")
      .option("--weights FILE", flags.weights, "Start from the weights in a file: npz, torch or safetensors")
      .flag("--tensorboard", flags.tensorboard, "Also write curves for TensorBoard, into tensorboard/")
      .flag("--record", flags.record,
            "Record what every party does and sends, into recording/; see docs/guides/loop.md");
}

}  // namespace overture::cli
