#include "overture/setup/train_setup.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <tuple>

#include <fmt/format.h>

#include "overture/base/files.h"
#include "overture/data/bagpipe_sequences.h"
#include "overture/data/checksum.h"
#include "overture/data/dataset.h"
#include "overture/data/presets.h"
#include "overture/data/synthetic.h"
#include "overture/setup/lines.h"
#include "overture/setup/setup_kind.h"

namespace overture::setup {

namespace {

template <class V, class Config>
void describe_own(V& v, Config& config) {
  if constexpr (requires { Config::keys(v, config); }) Config::keys(v, config);
}

template <class V>
void describe(V& v, TrainModel& m) {
  v.from("the models' papers and facebookresearch/dlrm; docs/reference/train.md names them");
  v.field("kind", m.kind,
          "What is trained; docs/reference/train.md has the layers. external: a model of your own, computed "
          "by the program that starts the trainers (docs/guides/python.md)");
  v.field("mlp_bottom", m.mlp_bottom,
          "Layers on the dense features, such as 13-512-256-64-16; the model's own unless given");
  v.field("mlp_top", m.mlp_top, "Layers that end in the logit, without their inputs; the last is 1");
  std::apply([&](auto&... model) { (describe_own(v, model), ...); }, m.own);
}

template <class V>
void describe(V& v, TrainTables& t) {
  v.from("facebookresearch/dlrm's Kaggle example: 16 columns, sums");
  v.field("dim", t.dim, "Columns of an embedding row");
  v.field("dims", t.dims, "Columns of each table, such as 16-8-16; not with the interaction dot");
  v.field("rows", t.rows, "Rows of each table, such as 1460-583; as in the data if left out");
  v.field("pooling", t.pooling,
          "How several lookups of a sample in a table are joined; weighted: a sum with the data's weights, "
          "which the "
          "others ignore");
  v.field("sharding", t.sharding,
          "How servers divide the rows: by id modulo servers, ranges of ids, whole tables, or columns");
  describe_plan(
      v, t.plan,
      "Sharding of each table on its own, in the order of the tables, in place of sharding; or the name "
      "of planned.yaml, which `overture plan --for train` writes, beside the setup");
  v.field("file", t.file,
          "File that holds the tables when they are larger than memory; every run creates it again");
}

template <class V>
void describe(V& v, embedding::OptimizerConfig& o) {
  v.from("PyTorch's optimizers, but for the rate: ours");
  v.field("kind", o.kind, "adagrad is row-wise on tables, adam leaves rows alone that are not looked up");
  v.field("learning_rate", o.learning_rate, "Learning rate; one optimizer step per batch");
  v.from("facebookresearch/dlrm's LRPolicyScheduler");
  v.field("warmup_steps", o.schedule.warmup_steps,
          "Steps in which the learning rate rises to its full value");
  v.field("decay_start", o.schedule.decay_start, "Step at which the learning rate begins to fall");
  v.field("decay_steps", o.schedule.decay_steps,
          "Steps in which the learning rate falls, with the square of what is left; 0: it never falls");
  v.from("PyTorch's optimizers");
  v.field("weight_decay", o.weight_decay,
          "Every update first multiplies weights by 1 - learning_rate * this, as AdamW; rows only when they "
          "are looked up");
  v.field("epsilon", o.epsilon, "adagrad, adam: added to the root");
  v.field("beta1", o.beta1, "adam: decay of the mean");
  v.field("beta2", o.beta2, "adam: decay of the square");
}

template <class V>
void describe(V& v, TrainCache& c) {
  v.from("Bagpipe (SOSP 2023): 200 batches ahead");
  v.field("lookahead", c.lookahead,
          "Batches that the planner sees; 1: rows are fetched for every batch; 0: no servers, tables in the "
          "trainer, or, with table_wise sharding, in the trainers");
  v.field("prefetch_depth", c.prefetch_depth,
          "Batches by which a row may be fetched early; the lookahead if left out");
  v.field("cleanup_interval", c.cleanup_interval, "Batches between clean-ups; 1 if left out");
  v.field("cleanup_proportion", c.cleanup_proportion,
          "Batches between clean-ups, as a share of the lookahead");
  v.field("capacity", c.capacity, "Rows that the cache holds; as many as the lookahead needs if left out");
}

template <class V>
void describe(V& v, TrainSetup& s) {
  v.from("ours; facebookresearch/dlrm and Bagpipe where they have the key");
  v.field("name", s.name, "Name of the run, shown in results");
  v.field("seed", s.seed, "Seed of every random choice");
  v.group("data", "A file, or synthetic data", [&](auto& g) { describe(g, s.data); });
  v.field("batch_size", s.batch_size, "Samples per step, over all trainers");
  v.field("steps", s.steps, "Largest number of steps; 0: until the data ends");
  v.group("model", "The dense part", [&](auto& g) { describe(g, s.model); });
  v.group("tables", "Embedding tables", [&](auto& g) { describe(g, s.tables); });
  v.group("optimizer", "Optimizer of everything that is trained", [&](auto& g) { describe(g, s.optimizer); });
  v.optional_group("table_optimizer", s.table_optimizer, "Optimizer of the tables, if it is another one",
                   [](auto& g, embedding::OptimizerConfig& o) { describe(g, o); });
  v.group("cache", "The trainers' cache of rows", [&](auto& g) { describe(g, s.cache); });
  v.field("trainers", s.trainers, "Trainers; each takes an equal share of every batch");
  v.field("servers", s.servers, "Embedding servers; each holds a share of the rows");
  v.field("threads", s.threads, "Threads of each trainer; the result is the same for any number");
  v.optional_group("link", s.link, "Slows down what goes to and from servers, as a network would",
                   [](auto& g, TrainLink& l) {
                     g.field("rate", l.rate, "Rate of the link in one direction");
                     g.field("delay", l.delay, "Delay of every message");
                   });
  v.field("checkpoint_every", s.checkpoint_every, "Steps between checkpoints; 0: only at the end");
  v.field("keep_every", s.keep_every,
          "Also keep the checkpoint of every n-th step, beside the two newest and the best; 0: none");
  v.field("evaluate_every", s.evaluate_every,
          "Steps between evaluations on the held-out samples; 0: only at the end");
  v.field("patience", s.patience,
          "Stop when the held-out AUC has not improved in this many evaluations; 0: never");
  v.field("record", s.record,
          "Folder for a recording of what every party does, as `train --record` makes it");
}

[[noreturn]] void fail(const TrainSetup& setup, const std::string& key, const std::string& what,
                       const std::string& hint = {}) {
  throw UserError({.file = setup.file, .key = key}, what, hint);
}

template <class T>
std::vector<T> sizes(const TrainSetup& setup, const std::string& key, const std::string& text) {
  const auto found = parse_sizes(text, std::numeric_limits<T>::max());
  if (!found) fail(setup, key, fmt::format("\"{}\" is not a list of sizes", text), "such as 512-256-1");
  return {found->begin(), found->end()};
}

void check_least(const TrainSetup& setup, const std::string& key, std::int64_t value, std::int64_t least) {
  if (value < least) fail(setup, key, fmt::format("{} is less than {}", value, least));
}

// A step waits for its messages, and a signal for the step.
void check_link(const TrainSetup& setup) {
  constexpr Bandwidth kLeast = Bandwidth::bits_per_second(1'000'000);
  constexpr Duration kMost = std::chrono::seconds(10);
  if (setup.link->rate < kLeast)
    fail(setup, "link.rate", fmt::format("{} is less than {}", exact(setup.link->rate), exact(kLeast)));
  if (setup.link->delay > kMost)
    fail(setup, "link.delay", fmt::format("{} is more than {}", exact(setup.link->delay), exact(kMost)));
}

void check_sound(const TrainSetup& setup) {
  check_least(setup, "batch_size", setup.batch_size, 1);
  check_least(setup, "steps", setup.steps, 0);
  check_least(setup, "checkpoint_every", setup.checkpoint_every, 0);
  check_least(setup, "keep_every", setup.keep_every, 0);
  check_least(setup, "evaluate_every", setup.evaluate_every, 0);
  check_least(setup, "cache.lookahead", setup.cache.lookahead, 0);
  check_least(setup, "data.epochs", setup.data.epochs, 1);
  check_least(setup, "data.max_ind_range", setup.data.max_ind_range, 0);
  if (!setup.data.ids.empty() && setup.data.max_ind_range > 0)
    fail(setup, "data.max_ind_range", "cannot be combined with data.ids", "leave one of the two out");
  check_least(setup, "data.lookups", setup.data.lookups, 1);
  check_least(setup, "data.test_every", setup.data.test_every, 0);
  if (setup.data.test_every == 1)
    fail(setup, "data.test_every", "1 holds every sample out, and nothing is left to train with",
         "such as 10; 0 holds nothing out");
  if (!setup.data.synthetic.empty() && !(setup.data.scale > 0))
    fail(setup, "data.scale", fmt::format("{} is not above 0", setup.data.scale), "such as 0.01");
  check_least(setup, "data.shuffle_block", setup.data.shuffle_block, 0);
  check_least(setup, "tables.dim", setup.tables.dim, 1);
  const int sources = !setup.data.file.empty() + !setup.data.synthetic.empty() + setup.data.own;
  if (sources != 1)
    fail(setup, "data", sources == 0 ? "no data is given" : "has more than one of file, synthetic and own",
         "give data.file (--data FILE), or data.synthetic (--synthetic kaggle)");
  if (!setup.data.synthetic.empty() && setup.data.samples == 0)
    fail(setup, "data.samples", "is 0, so there is nothing to train with", "such as data.samples: 100k");
  if (setup.cache.cleanup_interval && setup.cache.cleanup_proportion)
    fail(setup, "cache.cleanup_proportion", "cannot be combined with cleanup_interval", "choose one");
  if (setup.cache.lookahead == 0 && setup.trainers > 1 && !has_whole_tables(setup))
    fail(setup, "trainers", "several trainers without a cache can only hold whole tables",
         "set tables.sharding to table_wise, or cache.lookahead to 1 or more");
  if (setup.link) check_link(setup);
  check_least(setup, "patience", setup.patience, 0);
  if (setup.patience > 0 && setup.evaluate_every == 0)
    fail(setup, "patience", "there are no evaluations, so patience has nothing to count",
         "set evaluate_every, for example to 1000");
  if (setup.evaluate_every > 0 && setup.data.test_every == 0)
    fail(setup, "evaluate_every", "there are no held-out samples", "set data.test_every, for example to 10");
}

// With the layers that the setup names, or the model's own, which start with the data's dense features.
template <class Config>
train::ModelConfig with_layers(Config config, const TrainSetup& setup, const data::Shape& shape) {
  if constexpr (requires { config.end_bottom_with(int{}); }) config.end_bottom_with(setup.tables.dim);
  if constexpr (requires { Config::kBottom; }) {
    std::vector<int>& layers = config.*Config::kBottom;
    layers.front() = static_cast<int>(shape.dense_features);
    if (!setup.model.mlp_bottom.empty())
      layers = sizes<int>(setup, "model.mlp_bottom", setup.model.mlp_bottom);
  }
  if constexpr (requires { Config::kTop; }) {
    if (!setup.model.mlp_top.empty())
      config.*Config::kTop = sizes<int>(setup, "model.mlp_top", setup.model.mlp_top);
  }
  return config;
}

train::ModelConfig model(const TrainSetup& setup, const data::Shape& shape) {
  train::ModelConfig chosen;
  const auto take = [&]<class Config>(const Config& config) {
    if (setup.model.is<Config>()) chosen = with_layers(config, setup, shape);
  };
  std::apply([&](const auto&... own) { (take(own), ...); }, setup.model.own);
  return chosen;
}

void check_weights(const TrainSetup& setup, const data::Shape& shape) {
  if (setup.tables.pooling != embedding::Pooling::weighted || shape.weighted) return;
  const bool made_up = !setup.data.synthetic.empty();
  fail(setup, "tables.pooling",
       fmt::format("weighted, but {} has no weights", made_up ? "the synthetic data" : setup.data.file),
       made_up
           ? "set data.weighted to true, or take sum or mean"
           : "take sum or mean, or data with a weight for every lookup: JSON lines with \"weights\", or what "
             "`overture generate dataset --weighted` makes");
}

std::vector<embedding::TableConfig> tables(const TrainSetup& setup, const data::Shape& shape) {
  check_weights(setup, shape);
  std::vector<std::int64_t> rows = shape.table_rows;
  if (!setup.tables.rows.empty()) rows = sizes<std::int64_t>(setup, "tables.rows", setup.tables.rows);
  // Bagpipe's table info names users and items; every place in a sequence has a table.
  if (setup.model.is<train::CaserConfig>() && rows.size() == 2 && shape.tables() > 2)
    rows = data::sequence_table_rows(rows, shape.tables());
  if (rows.size() != shape.table_rows.size()) {
    fail(setup, "tables.rows",
         fmt::format("names {} tables; the data has {}", rows.size(), shape.table_rows.size()));
  }
  std::vector<int> dims(rows.size(), setup.tables.dim);
  if (setup.model.is<train::CaserConfig>() && !dims.empty())
    dims.back() = train::caser_item_dim(setup.tables.dim);
  if (!setup.tables.dims.empty()) dims = sizes<int>(setup, "tables.dims", setup.tables.dims);
  if (dims.size() != rows.size())
    fail(setup, "tables.dims", fmt::format("names {} tables; the data has {}", dims.size(), rows.size()));
  std::vector<embedding::TableConfig> result;
  for (std::size_t t = 0; t < rows.size(); ++t) {
    if (rows[t] == 0) {
      fail(setup, "tables.rows", fmt::format("how many rows table {} has is not known before all is read", t),
           "give tables.rows, or data.max_ind_range, or convert the data with `overture convert`");
    }
    result.push_back({.rows = rows[t], .dim = dims[t], .pooling = setup.tables.pooling});
  }
  return result;
}

train::CacheConfig cache(const TrainSetup& setup) {
  const TrainCache& c = setup.cache;
  train::CacheConfig result{.lookahead = std::max(c.lookahead, 1), .prefetch_depth = c.prefetch_depth};
  if (c.cleanup_interval) result.cleanup_interval = *c.cleanup_interval;
  if (c.cleanup_proportion)
    result.cleanup_interval = lookahead::cleanup_interval(result.lookahead, *c.cleanup_proportion);
  if (c.capacity) result.capacity = *c.capacity;
  return result;
}

embedding::Division division_of(const TrainSetup& setup, std::size_t tables) {
  embedding::Division division = setup.tables.sharding;
  if (!setup.tables.plan.empty())
    division.plan = plan_of(setup.tables.plan, tables, {.file = setup.file, .key = "tables.plan"});
  return division;
}

data::Batches::Open synthetic(const TrainSetup& setup, Wanted wanted) {
  const TrainData& d = setup.data;
  const data::Likeness likeness = data::parse_likeness(d.synthetic, "data.synthetic");
  const data::SyntheticConfig config{
      .tables = d.skew == "fitted"
                    ? data::scaled_tables(likeness, d.scale)
                    : data::scaled_tables(likeness, d.scale, data::parse_skew(d.skew, "data.skew")),
      .dense_features = d.dense_features,
      .seed = setup.seed,
      .pooling = {.mean = static_cast<double>(d.lookups)},
      .weighted = d.weighted,
      .lookups_alone = wanted == Wanted::lookups};
  const auto samples = static_cast<std::int64_t>(d.samples);
  return [config, samples] { return std::make_unique<data::SyntheticReader>(config, samples); };
}

// A file is known by its name and size: it may have moved.
std::string data_name(const TrainSetup& setup) {
  const TrainData& d = setup.data;
  if (d.own) return "the program's own";
  if (d.file.empty())
    return fmt::format("{} x{} {} {} samples, {} dense, {} lookups{}", d.synthetic, d.scale, d.skew,
                       d.samples, d.dense_features, d.lookups, d.weighted ? ", weighted" : "");
  const std::filesystem::path file = std::filesystem::path(setup.file).parent_path() / d.file;
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  return error ? file.filename().string() : fmt::format("{}, {} bytes", file.filename().string(), size);
}

// Of the first megabyte, as the file says it: other data of the same size hardly begins with the same.
std::string data_start(const TrainSetup& setup) {
  const std::filesystem::path file = std::filesystem::path(setup.file).parent_path() / setup.data.file;
  std::error_code error;
  if (setup.data.file.empty() || !std::filesystem::is_regular_file(file, error)) return "";
  std::string start(1 << 20, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(start.data(), std::ssize(start));
  return fmt::format("{:016x}", data::checksum(start.data(), static_cast<std::size_t>(in.gcount())));
}

// What a resumed run must not change, beside model, tables and optimizers.
std::map<std::string, std::string> fixed(const TrainSetup& setup) {
  return {{"data", data_name(setup)},
          {"the first megabyte of the data", data_start(setup)},
          {"data.max_ind_range", fmt::format("{}", setup.data.max_ind_range)},
          {"data.test_every", fmt::format("{}", setup.data.test_every)},
          {"data.shuffle_block", fmt::format("{}", setup.data.shuffle_block)},
          {"batch_size", fmt::format("{}", setup.batch_size)},
          {"seed", fmt::format("{}", setup.seed)}};
}

}  // namespace

TrainSetup parse_train_setup(std::string_view text, const std::string& file,
                             const std::vector<std::string>& overrides) {
  Value root = parse_yaml(text, file);
  for (const std::string& assignment : overrides) override_value(root, assignment);
  require_kind(root, file, SetupKind::train);
  const Value* const tables = root.find("tables");
  const Value* const plan = tables == nullptr ? nullptr : tables->find("plan");
  if (plan != nullptr && plan->kind == Value::Kind::scalar) open_plan(root.at("tables").at("plan"), file);
  return with_lines(root, file, [&] {
    TrainSetup setup;
    setup.file = file;
    Reader reader(&root, file, "");
    describe(reader, setup);
    reader.finish();
    check_sound(setup);
    return setup;
  });
}

bool has_whole_tables(const TrainSetup& setup) {
  if (setup.tables.plan.empty()) return setup.tables.sharding == embedding::Sharding::table_wise;
  return std::ranges::all_of(setup.tables.plan, [](const PlannedTables& alike) {
    return alike.sharding == model::TableSharding::table_wise;
  });
}

TrainSetup load_train_setup(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  if (file.empty()) return parse_train_setup("{}", "", overrides);
  return parse_train_setup(read_file(file), file.string(), overrides);
}

std::string write_train_setup(const TrainSetup& setup) {
  TrainSetup copy = setup;
  return to_yaml(Writer::without_defaults(copy, [](Writer& w, TrainSetup& s) { describe(w, s); }));
}

std::vector<Explanation> explain_train_setup() {
  std::vector<Explanation> explanations;
  TrainSetup initial;
  Explainer explainer(explanations, "");
  describe(explainer, initial);
  return explanations;
}

data::DatasetOptions dataset_options(const TrainSetup& setup) {
  const TrainData& d = setup.data;
  data::DatasetOptions dataset{.max_bad_rows = d.max_bad_rows};
  if (!d.format.empty()) dataset.format = data::parse_format(d.format, "data.format");
  dataset.ids.max_ind_range = d.max_ind_range;
  if (!d.ids.empty())
    dataset.ids.dictionary = std::make_shared<const data::IdDictionary>(
        data::IdDictionary::load(std::filesystem::path(setup.file).parent_path() / d.ids));
  return dataset;
}

std::unique_ptr<data::Batches> open_train_data(const TrainSetup& setup, data::Part part, Wanted wanted) {
  const TrainData& d = setup.data;
  if (d.own)
    fail(setup, "data.own", "only a program that brings its batches can train with this", "give data.file");
  const bool training = part == data::Part::train;
  const data::BatchOptions options{.batch_size = setup.batch_size,
                                   .part = d.test_every == 0 ? data::Part::all : part,
                                   .split = {.test_every = d.test_every},
                                   .shuffle_block = training ? d.shuffle_block : 0,
                                   .seed = setup.seed,
                                   .epochs = training ? d.epochs : 1};
  if (!d.synthetic.empty()) return std::make_unique<data::Batches>(synthetic(setup, wanted), options);
  return data::open_batches(std::filesystem::path(setup.file).parent_path() / d.file, dataset_options(setup),
                            options);
}

namespace {

train::TrainConfig config_of(const TrainSetup& setup, const data::Shape& shape) {
  train::TrainConfig config{
      .tables = {.tables = tables(setup, shape),
                 .optimizer = setup.table_optimizer.value_or(setup.optimizer),
                 .seed = setup.seed,
                 .file = setup.tables.file},
      .dense_optimizer = setup.optimizer,
      .model = model(setup, shape),
      .dense_features = shape.dense_features,
      .seed = setup.seed,
      .cache = cache(setup),
      .trainers = setup.trainers,
      // trainers that hold the tables hold whole ones; else one process does all
      .servers = setup.cache.lookahead == 0 && has_whole_tables(setup) ? 0 : setup.servers,
      .division = division_of(setup, shape.tables()),
      .threads = setup.threads,
      .record = setup.record,
      .fixed = fixed(setup)};
  if (setup.link) config.server_link = rpc::Link{setup.link->rate, setup.link->delay};
  train::validate(config);
  return config;
}

}  // namespace

train::TrainConfig make_train_config(const TrainSetup& setup, const data::Shape& shape) {
  try {
    return config_of(setup, shape);
  } catch (const UserError& error) {
    throw at({.file = setup.file}, error);
  }
}

}  // namespace overture::setup
