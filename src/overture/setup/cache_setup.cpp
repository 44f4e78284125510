#include "overture/setup/cache_setup.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "overture/base/check.h"
#include "overture/lookahead/trace.h"
#include "overture/train/row_traffic.h"
#include "overture/train/step_part.h"

namespace overture::setup {
namespace {

using lookahead::TrafficPlanner;

constexpr int kMostExact = 32;  // trainers whose every pair has a size of its own

class CacheConverter {
 public:
  CacheConverter(const CacheSetup& cache, const workload::DlrmTraining& training,
                 const CachedRunOptions& options)
      : cache_(cache), training_(training), options_(options) {
    require("lookahead", cache.lookahead >= 1 && cache.lookahead <= 100'000, "must be from 1 to 100000");
    require("servers", cache.servers >= 0, "is 0 or more");
    require("warm_up", cache.warm_up.value_or(0) >= 0, "is 0 or more");
    constexpr std::int64_t kMostBatches = 1'000'000'000;
    require("warm_up", std::int64_t{warm_up()} + cache.lookahead + options.steps <= kMostBatches,
            "with lookahead and passes, is at most 1000000000 batches");
    for (const model::EmbeddingTable& table : training.model.tables) {
      if (table.number != model::NumberType::fp32)
        throw UserError({.file = options.file, .key = "workload.dlrm.precision.rows"},
                        "the trainer's rows are fp32", "with a cache, leave it out");
    }
    place();
  }

  CachedRun make(PlannedTraffic* memo) {
    const auto plan = [&] { return planned(); };
    PlannedSteps planned = memo != nullptr ? *memo->find_or(key(), plan) : plan();
    widen(planned);
    const std::string said = note(planned);
    const workload::CachedTraining cached{.layers = layers(),
                                          .steps = std::move(planned.steps),
                                          .ranks = options_.ranks,
                                          .trainers = trainers_,
                                          .servers = servers_,
                                          .oracle = oracle_,
                                          .orders = cache_.orders,
                                          .messages = messages()};
    return {.graph = cached_dlrm_tasks(cached), .note = said};
  }

 private:
  [[noreturn]] void fail(const std::string& key, const std::string& what,
                         const std::string& hint = {}) const {
    throw UserError({.file = options_.file, .key = "workload.cache." + key}, what, hint);
  }
  void require(const std::string& key, bool holds, const std::string& what) const {
    if (!holds) fail(key, what);
  }

  // Apart, the servers have the ranks behind the trainers' and the oracle the last; otherwise they are spread
  // evenly over them.
  void place() {
    int trainers = options_.ranks;
    if (cache_.apart) {
      require("servers", cache_.servers >= 1, "apart, there is at least one");
      trainers = options_.ranks - cache_.servers - 1;
      if (trainers < 1) {
        fail("servers",
             fmt::format("{} servers and an oracle leave none of {} ranks to train", cache_.servers,
                         options_.ranks),
             "take fewer servers, a larger network, or apart: false");
      }
    }
    const int servers = cache_.servers == 0 ? trainers : cache_.servers;
    if (!cache_.apart && servers > trainers)
      fail("servers", fmt::format("{} servers are too many for {} trainers", servers, trainers),
           "use fewer servers");
    for (int t = 0; t < trainers; ++t) trainers_.push_back(Rank{t});
    for (int s = 0; s < servers; ++s)
      servers_.push_back(
          Rank{cache_.apart ? trainers + s : static_cast<int>(std::int64_t{s} * trainers / servers)});
    oracle_ = Rank{cache_.apart ? options_.ranks - 1 : 0};
  }

  workload::RowMessages messages() const {
    const bool exact = cache_.messages == CacheMessages::exact ||
                       (cache_.messages == CacheMessages::automatic && std::ssize(trainers_) <= kMostExact);
    return exact ? workload::RowMessages::exact : workload::RowMessages::even;
  }

  workload::Workload layers() const {
    workload::DlrmTraining replicated = training_;
    if (replicated.dense != workload::DenseParallelism::data_parallel)
      throw UserError({.file = options_.file, .key = "workload.dlrm.dense"},
                      "with a cache, dense layers are data-parallel", "write dense: data_parallel");
    replicated.sharding = workload::TableSharding::data_parallel;
    replicated.given = {};
    replicated.plan = {};
    replicated.memory_per_gpu = Bytes{std::int64_t{1} << 60};  // the cache is not the tables
    try {
      return dlrm_workload(replicated, static_cast<int>(trainers_.size()));
    } catch (const UserError& error) {
      throw at({.file = options_.file, .key = "workload.dlrm"}, error);
    }
  }

  train::TrainConfig train_config() const {
    train::TrainConfig config;
    for (const model::EmbeddingTable& table : training_.model.tables) {
      config.tables.tables.push_back({.rows = table.rows, .dim = static_cast<std::int32_t>(table.columns)});
    }
    config.tables.optimizer.kind = cache_.optimizer;
    config.cache = {.lookahead = cache_.lookahead,
                    .prefetch_depth = cache_.depth,
                    .cleanup_interval = cache_.cleanup_interval,
                    .capacity = cache_.capacity};
    config.trainers = static_cast<int>(trainers_.size());
    config.servers = static_cast<int>(servers_.size());
    config.division = cache_.sharding;
    return config;
  }

  // Rows of one width, of which a server holds all or nothing, are planned as if they were a number each: so
  // setups that differ in this width alone are planned once.
  bool any_width() const {
    const auto& tables = training_.model.tables;
    const auto other = [&](const model::EmbeddingTable& t) { return t.columns != tables.front().columns; };
    return cache_.sharding != embedding::Sharding::column_wise && !tables.empty() &&
           std::ranges::none_of(tables, other);
  }

  void widen(PlannedSteps& planned) const {
    if (!any_width()) return;
    const embedding::RowLayout layout = embedding::row_layout(
        cache_.optimizer, static_cast<std::int32_t>(training_.model.tables.front().columns));
    for (lookahead::StepTraffic& step : planned.steps) lookahead::widen(step, layout.dim, layout.used());
  }

  lookahead::TrafficConfig traffic_config() const {
    lookahead::TrafficConfig config = train::traffic_of(train_config());
    config.first = warm_up();
    config.steps = options_.steps;
    return any_width() ? of_one_number(std::move(config)) : config;
  }

  int warm_up() const { return cache_.warm_up.value_or(cache_.lookahead); }

  // Of all that the plan depends on.
  std::string key() const {
    std::string key = fmt::format(
        "{} {} {} {} {} {} {} {} {} {} {} {} {} {} {}|", cache_.lookahead, cache_.depth.value_or(-1),
        cache_.cleanup_interval, cache_.capacity.value_or(-1), trainers_.size(), servers_.size(),
        static_cast<int>(cache_.sharding), any_width() ? -1 : static_cast<int>(cache_.optimizer), warm_up(),
        options_.steps, options_.seed, training_.batch, cache_.trace, cache_.data.file, cache_.data.format);
    key += fmt::format("{} {} {} {} {} {} {} {} {} {}|", cache_.data.synthetic, cache_.data.scale,
                       cache_.data.skew, cache_.data.samples, cache_.data.dense_features, cache_.data.lookups,
                       cache_.data.weighted, cache_.data.test_every, cache_.data.epochs,
                       cache_.data.shuffle_block);
    for (const model::EmbeddingTable& table : training_.model.tables)
      key += fmt::format("{}x{} ", table.rows, any_width() ? 0 : table.columns);
    return key;
  }

  PlannedSteps planned() const {
    const lookahead::TrafficConfig config = traffic_config();
    try {
      lookahead::validate(for_many(config.planner));
      TrafficPlanner planner(config);
      feed_all(planner);
      return {.steps = planner.steps(), .totals = planner.totals()};
    } catch (const UserError& error) {
      throw at({.file = options_.file, .key = "workload.cache"}, error);
    }
  }
  // The trainer itself has fewer.
  static lookahead::PlannerConfig for_many(lookahead::PlannerConfig config) {
    config.trainers = 1;
    return config;
  }

  void feed_all(TrafficPlanner& planner) const {
    const std::int32_t needed = planner.batches_needed();
    if (!cache_.trace.empty()) return feed_trace(planner, needed);
    const std::unique_ptr<data::Batches> batches = open(needed);
    if (batches->shape().tables() != training_.model.tables.size()) {
      fail("data",
           fmt::format("has {} tables, the model has {}", batches->shape().tables(),
                       training_.model.tables.size()),
           "describe the tables of the data: tables: {list: ...} or {file: ...}");
    }
    data::Batch batch;
    std::int32_t added = 0;
    while (planner.wants_batch()) {
      if (added == needed) {
        planner.end_of_stream();
      } else if (batches->next(batch) && batch.samples == training_.batch) {
        train::feed(planner, batch);
        ++added;
      } else {
        too_short("data", added, needed);
      }
    }
  }

  [[noreturn]] void too_short(const std::string& key, std::int32_t has, std::int32_t needed) const {
    fail(
        key,
        fmt::format("has {} whole batches of {}; {} steps after {} of warm-up with a lookahead of {} need {}",
                    has, training_.batch, options_.steps, warm_up(), cache_.lookahead, needed),
        "take more data, a smaller batch, lookahead or warm_up");
  }

  // Synthetic samples follow from their number: there are as many as are needed.
  std::unique_ptr<data::Batches> open(std::int32_t needed) const {
    TrainSetup setup;
    setup.file = options_.file;
    setup.seed = options_.seed;
    setup.data = cache_.data;
    setup.batch_size = static_cast<int>(std::min<std::int64_t>(training_.batch, INT32_MAX));
    const int sources = !cache_.data.file.empty() + !cache_.data.synthetic.empty();
    if (sources != 1)
      fail("data", sources == 0 ? "no data is given" : "has more than one of file and synthetic",
           "give data.file, or data.synthetic such as kaggle");
    const auto held_out = static_cast<std::uint64_t>(std::max(cache_.data.test_every, 0));
    std::uint64_t samples = static_cast<std::uint64_t>(needed) * static_cast<std::uint64_t>(training_.batch);
    if (held_out > 1) samples += samples / (held_out - 1) + held_out;
    setup.data.samples = std::max(setup.data.samples, samples);
    return open_train_data(setup, data::Part::train, Wanted::lookups);
  }

  void feed_trace(TrafficPlanner& planner, std::int32_t needed) const {
    const std::filesystem::path path = std::filesystem::path(options_.file).parent_path() / cache_.trace;
    const lookahead::LookupTrace trace = lookahead::read_trace(path);
    std::int32_t added = 0;
    while (planner.wants_batch()) {
      if (added == needed) {
        planner.end_of_stream();
      } else if (added < std::ssize(trace.batches)) {
        train::feed(planner, batch_of(trace.batches[static_cast<std::size_t>(added++)]));
      } else {
        too_short("trace", added, needed);
      }
    }
  }

  data::Batch batch_of(const lookahead::TraceBatch& samples) const {
    data::Batch batch{.samples = std::ssize(samples)};
    batch.labels.resize(samples.size());
    batch.tables.resize(training_.model.tables.size());
    for (data::Bags& bags : batch.tables) bags.offsets.push_back(0);
    for (const lookahead::TraceSample& sample : samples) {
      if (sample.size() != batch.tables.size())
        fail("trace", fmt::format("has {} tables, the model has {}", sample.size(), batch.tables.size()));
      for (std::size_t t = 0; t < sample.size(); ++t) {
        data::Bags& bags = batch.tables[t];
        bags.ids.insert(bags.ids.end(), sample[t].begin(), sample[t].end());
        bags.offsets.push_back(static_cast<std::uint32_t>(bags.ids.size()));
      }
    }
    return batch;
  }

  std::string note(const PlannedSteps& planned) const {
    const TrafficPlanner::Totals& totals = planned.totals;
    const auto steps = static_cast<double>(planned.steps.size());
    const auto percent = [&](std::int64_t part) {
      return totals.rows == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(totals.rows);
    };
    workload::CachedStepBytes sum;
    for (const lookahead::StepTraffic& step : planned.steps) {
      const workload::CachedStepBytes one = workload::bytes_of(step);
      sum.orders += one.orders;
      sum.fetches += one.fetches;
      sum.stores += one.stores;
      sum.urgent_round += one.urgent_round;
      sum.late_round += one.late_round;
    }
    const auto megabytes = [&](Bytes bytes) { return static_cast<double>(bytes.count()) / steps / 1e6; };
    return fmt::format(
        "the planner's own row traffic: {:.0f} rows a step, {:.1f} % in the cache already; {:.1f} % are "
        "needed now, {:.1f} % later, {:.1f} % by nobody else. MB a step: {:.3g} fetched, {:.3g} stored, "
        "{:.3g} in the urgent round, {:.3g} in the late one, {:.3g} of orders{}",
        static_cast<double>(totals.rows) / steps, percent(totals.hits), percent(totals.by_sync[0]),
        percent(totals.by_sync[1]), percent(totals.by_sync[2]), megabytes(sum.fetches), megabytes(sum.stores),
        megabytes(sum.urgent_round), megabytes(sum.late_round), megabytes(sum.orders),
        messages() == workload::RowMessages::even
            ? "; every pair of a round carries as much as its busiest party on the average"
            : "");
  }

  const CacheSetup& cache_;
  const workload::DlrmTraining& training_;
  const CachedRunOptions& options_;
  std::vector<Rank> trainers_;
  std::vector<Rank> servers_;
  Rank oracle_{};
};

}  // namespace

CachedRun make_cached_run(const CacheSetup& cache, const workload::DlrmTraining& training,
                          const CachedRunOptions& options, PlannedTraffic* memo) {
  return CacheConverter(cache, training, options).make(memo);
}

}  // namespace overture::setup
