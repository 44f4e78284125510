#include "overture/setup/training_setup.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "overture/formats/recording/recorded_run.h"
#include "overture/setup/machine_file.h"
#include "overture/study/calibrate/fit.h"
#include "overture/train/model_work.h"
#include "overture/train/row_traffic.h"
#include "overture/train/step_part.h"

namespace overture::setup {
namespace {

using lookahead::RowLoad;
using lookahead::StepTraffic;
using model::Machine;
using workload::Chore;
using workload::TrainedRun;
using workload::TrainedStep;

constexpr int kUsualSteps = 20;
constexpr auto kRounds = lookahead::kRounds;

// Prices what the planner decides, for one train setup on one machine.
class RunPredictor {
 public:
  // `batches` that the data has, as far as it was read.
  RunPredictor(const TrainSetup& setup, const train::TrainConfig& config, const Machine& machine,
               std::int64_t batches)
      : setup_(setup), config_(config), machine_(machine), batches_(batches) {
    std::int64_t width = 0;
    for (const embedding::TableConfig& table : config.tables.tables) width += table.dim;
    columns_ = static_cast<double>(width) / static_cast<double>(config.tables.tables.size());
    for (int t = 0; t < config.trainers; ++t) {
      const train::Block block = train::block_of(setup.batch_size, t, config.trainers);
      work_.push_back(train::model_work(config, block.end - block.begin));
    }
  }

  TrainedRun predict(const std::vector<StepTraffic>& steps) const {
    TrainedRun run{.trainers = config_.trainers,
                   .servers = config_.servers,
                   .dense = Bytes{4 * work_.front().parameters}};
    for (const StepTraffic& step : steps) run.steps.push_back(predict(step));
    return run;
  }

 private:
  Duration time(Work work, std::int64_t a, std::int64_t b = 0, std::int64_t c = 0) const {
    return machine_.time(work, {a, b, c});
  }
  Duration sending(Bytes payload) const { return time(Work::send, payload.count()); }
  Duration taking(Bytes payload) const { return time(Work::take, payload.count()); }

  TrainedStep predict(const StepTraffic& traffic) const {
    TrainedStep step{.batch = traffic.batch};
    step.oracle = oracle(traffic);
    for (int t = 0; t < traffic.trainers; ++t) step.trainers.push_back(trainer(traffic, t));
    if (traffic.clean_up) add_stores(traffic, step);
    for (const auto& [batch, loads] : traffic.fetches) add_requests(batch, loads, traffic, step);
    for (const lookahead::Round round : kRounds) {
      const auto r = static_cast<std::size_t>(round);
      for (int from = 0; from < traffic.trainers; ++from) {
        for (int to = 0; to < traffic.trainers; ++to) {
          step.gradients[r].push_back(traffic.gradient_message(round, from, to));
          step.updates[r].push_back(traffic.update_message(round, from, to));
        }
      }
    }
    return step;
  }

  Duration oracle(const StepTraffic& traffic) const {
    std::int64_t lookups = 0;
    std::int64_t rows = 0;
    Duration packing{};
    for (int t = 0; t < traffic.trainers; ++t) {
      const auto i = static_cast<std::size_t>(t);
      lookups += traffic.lookups[i];
      rows += traffic.rows[i];
    }
    for (int t = 0; t < traffic.trainers; ++t) {
      const Bytes order = traffic.order_message(t);
      packing += time(Work::pack_order, order.count(), rows) + sending(order);
    }
    Duration reading{};  // the batch that comes into the window
    if (traffic.batch + config_.cache.lookahead <= batches_)
      reading = time(Work::read_data, setup_.batch_size, lookups) + time(Work::look_ahead, lookups);
    return reading + time(Work::plan, lookups, rows) + packing;
  }

  TrainedStep::Trainer trainer(const StepTraffic& traffic, int t) const {
    const auto i = static_cast<std::size_t>(t);
    TrainedStep::Trainer one{.order = traffic.order_message(t)};
    const std::int64_t rows = traffic.rows[i];
    one.begin = taking(one.order) + time(Work::begin_step, rows) + packing(traffic, t);
    one.chores = chores(traffic, t);
    one.dense = time(Work::update_dense, work_[i].parameters / traffic.trainers);
    one.end = time(Work::end_step, rows);
    if (traffic.trainers > 1) add_sharing(traffic, t, one);
    return one;
  }

  // Rows that leave, and requests for rows to come.
  Duration packing(const StepTraffic& traffic, int t) const {
    const auto i = static_cast<std::size_t>(t);
    Duration sum{};
    for (int s = 0; traffic.clean_up && s < traffic.servers; ++s) {
      const RowLoad& load = traffic.stores[StepTraffic::pair(t, s, traffic.servers)];
      sum += time(Work::pack_rows, load.rows, load.numbers, traffic.evicted[i]);
      sum += sending(traffic.store_message(t, s));
    }
    for (const auto& [batch, loads] : traffic.fetches) {
      std::int64_t scanned = 0;
      for (int s = 0; s < traffic.servers; ++s)
        scanned += loads[StepTraffic::pair(t, s, traffic.servers)].rows;
      for (int s = 0; s < traffic.servers; ++s) {
        const RowLoad& load = loads[StepTraffic::pair(t, s, traffic.servers)];
        if (load.rows == 0) continue;
        sum += time(Work::ask_rows, load.rows, scanned) + sending(Bytes{lookahead::fetch_size(load.rows)});
      }
    }
    return sum;
  }

  std::vector<Chore> chores(const StepTraffic& traffic, int t) const {
    const auto i = static_cast<std::size_t>(t);
    const auto numbers = static_cast<std::int64_t>(columns_ * static_cast<double>(traffic.lookups[i]));
    const WorkNumbers looked_up{traffic.lookups[i], numbers, traffic.rows[i]};
    std::vector<Chore> list;
    const auto add = [&](Work work, const WorkNumbers& size) {
      list.push_back({work, size, machine_.time(work, size)});
    };
    add(Work::gather, looked_up);
    for (const train::ModelPiece& piece : work_[i].pieces) add(piece.work, piece.numbers);
    if (traffic.trainers == 1) {
      add(Work::update_rows, looked_up);
      return list;
    }
    add(Work::pack_dense, {work_[i].parameters, 0, 0});
    add(Work::sum_rows, looked_up);
    add(Work::pack_gradients, {traffic.rows[i], traffic.given[0][i], 0});
    const Bytes share{4 * work_[i].parameters / traffic.trainers};
    for (int to = 0; to < traffic.trainers; ++to) {
      if (to == t) continue;
      const Bytes bytes = traffic.gradient_message(lookahead::Round::at_once, t, to);
      list.push_back({Work::send, {bytes.count(), 0, 0}, sending(bytes) + sending(share)});
    }
    return list;
  }

  void add_sharing(const StepTraffic& traffic, int t, TrainedStep::Trainer& one) const {
    const auto i = static_cast<std::size_t>(t);
    const std::int64_t parameters = work_[i].parameters;
    const Bytes share{4 * parameters / traffic.trainers};
    one.dense += time(Work::add_dense, parameters) + time(Work::take_dense, parameters);
    one.end += time(Work::pack_gradients, traffic.rows[i], traffic.given[1][i]);
    for (const lookahead::Round round : kRounds) {
      const auto r = static_cast<std::size_t>(round);
      std::int64_t sent = 0;
      std::int64_t received = 0;
      for (int peer = 0; peer < traffic.trainers; ++peer) {
        if (peer == t) continue;
        sent += traffic.update_message(round, t, peer).count();
        received += traffic.update_message(round, peer, t).count();
        one.apply[r] += sending(traffic.update_message(round, t, peer)) +
                        taking(traffic.gradient_message(round, peer, t));
        one.take[r] += taking(traffic.update_message(round, peer, t));
        if (round == lookahead::Round::late) one.end += sending(traffic.gradient_message(round, t, peer));
        if (round == lookahead::Round::at_once) one.dense += sending(share) + taking(share) + taking(share);
      }
      const RowLoad& owned = traffic.owned[r][i];
      one.apply[r] += time(Work::apply_gradients, owned.rows, owned.numbers, sent / 4);
      one.take[r] += time(Work::take_updates, received / 4);
    }
  }

  void add_stores(const StepTraffic& traffic, TrainedStep& step) const {
    for (int t = 0; t < traffic.trainers; ++t) {
      for (int s = 0; s < traffic.servers; ++s) {
        const RowLoad& load = traffic.stores[StepTraffic::pair(t, s, traffic.servers)];
        const Bytes size = traffic.store_message(t, s);
        step.stores.push_back({.trainer = t,
                               .server = s,
                               .size = size,
                               .length = taking(size) + time(Work::store_rows, load.rows, load.numbers)});
      }
    }
  }

  void add_requests(std::int64_t batch, const std::vector<RowLoad>& loads, const StepTraffic& traffic,
                    TrainedStep& step) const {
    for (int s = 0; s < traffic.servers; ++s) {
      for (int t = 0; t < traffic.trainers; ++t) {
        const RowLoad& load = loads[StepTraffic::pair(t, s, traffic.servers)];
        if (load.rows == 0) continue;
        const Bytes ask{lookahead::fetch_size(load.rows)};
        const Bytes answer{lookahead::numbers_size(load.numbers)};
        step.requests.push_back(
            {.trainer = t,
             .server = s,
             .for_batch = batch,
             .ask = ask,
             .answer = answer,
             .serve = taking(ask) + time(Work::serve_rows, load.rows, load.numbers) + sending(answer),
             .take = taking(answer) + time(Work::take_rows, load.rows, load.numbers)});
      }
    }
  }

  const TrainSetup& setup_;
  const train::TrainConfig& config_;
  const Machine& machine_;
  std::int64_t batches_;
  double columns_ = 0;                  // of a row, in the mean
  std::vector<train::ModelWork> work_;  // by trainer
};

[[noreturn]] void too_short(const TrainSetup& setup, std::int64_t has, int first, int steps) {
  const std::string few = has < 2 ? "take more data, or smaller batches"
                          : has > steps
                              ? fmt::format("set workload.training.first to at most {}", has - steps)
                              : fmt::format(
                                    "set workload.training.first to 0 and workload.training.steps to at "
                                    "most {}, or take more data",
                                    has);
  throw UserError({.file = setup.file, .key = has == setup.steps ? "steps" : "data"},
                  fmt::format("{} batches of {} are there; {} steps from step {} on need {}", has,
                              setup.batch_size, steps, first, first + steps),
                  few);
}

// Where the caller says nothing: past the beginning of the run, and no further than it goes (`all`; 0: not
// known).
struct Played {
  int first = 0;
  int steps = 0;
};
Played played(const TrainSetup& setup, int all, std::optional<int> first, int steps) {
  if (all == 0) return {first.value_or(setup.cache.lookahead), steps == 0 ? kUsualSteps : steps};
  const int usual = std::min(kUsualSteps, std::max(1, all - first.value_or(warm_up(setup, all))));
  Played result{.first = 0, .steps = steps == 0 ? usual : steps};
  result.first = first.value_or(std::min(setup.cache.lookahead, std::max(0, all - result.steps)));
  return result;
}

// The planner sees what it would see in training: the end of the data, too.
struct PlannedBatches {
  std::vector<StepTraffic> steps;
  std::int64_t batches = 0;  // that were read
};
PlannedBatches planned_steps(const TrainSetup& setup, const train::TrainConfig& config, int first,
                             int steps) {
  lookahead::TrafficConfig traffic = train::traffic_of(config);
  traffic.first = first;
  traffic.steps = steps;
  lookahead::TrafficPlanner planner(traffic);
  const std::unique_ptr<data::Batches> batches = open_train_data(setup, data::Part::train, Wanted::lookups);
  const int most = setup.steps > 0 ? setup.steps : std::numeric_limits<int>::max();
  data::Batch batch;
  std::int32_t added = 0;
  while (!planner.done() && planner.wants_batch()) {
    if (added < planner.batches_needed() && added < most && batches->next(batch)) {
      train::feed(planner, batch);
      ++added;
    } else if (added < first + steps) {
      too_short(setup, added, first, steps);
    } else {
      planner.end_of_stream();
    }
  }
  return {.steps = planner.steps(), .batches = added};
}

TrainSetup changed(TrainSetup setup, const TrainingSetup& by) {
  setup.trainers = by.trainers.value_or(setup.trainers);
  setup.servers = by.servers.value_or(setup.servers);
  setup.cache.lookahead = by.lookahead.value_or(setup.cache.lookahead);
  setup.batch_size = by.batch_size.value_or(setup.batch_size);
  return setup;
}

class TrainingConverter {
 public:
  TrainingConverter(const std::string& recording, const TrainingSetup& training, const std::string& file,
                    int ranks)
      : folder_(recording.empty() ? "" : beside(file, recording)),
        training_(training),
        file_(file),
        ranks_(ranks) {
    if (training.steps < 0) fail("steps", "is negative");
    if (training.first.value_or(0) < 0) fail("first", "is negative");
    if (training.cores < 0) fail("cores", "is negative");
  }

  TrainingGraph make() {
    if (folder_.empty() && training_.setup.empty())
      fail("setup", "is missing", "name the setup of `overture train`, or write workload: {recording: DIR}");
    if (!folder_.empty()) recording_ = recording::read_recording(folder_);
    const bool replays =
        recording_ && !training_.changes() && training_.machine.empty() && training_.setup.empty();
    TrainedRun run = replays ? replayed() : predicted();
    host_.cores = training_.cores;
    try {
      TrainingGraph made{
          .graph = trained_tasks(run, ranks_), .note = note_, .steps = static_cast<int>(run.steps.size())};
      if (training_.cores > 0) made.graph.share_cores(host_);
      return made;
    } catch (const UserError& error) {
      throw at({.file = file_, .key = "workload"}, error);
    }
  }

 private:
  static std::string beside(const std::string& setup, const std::string& file) {
    return (std::filesystem::path(setup).parent_path() / file).string();
  }
  [[noreturn]] void fail(const std::string& key, const std::string& what,
                         const std::string& hint = {}) const {
    throw UserError({.file = file_, .key = "workload.training." + key}, what, hint);
  }

  TrainSetup train_setup() const {
    TrainSetup setup;
    if (!training_.setup.empty()) {
      setup = load_train_setup(beside(file_, training_.setup));
    } else if (recording_->setup.empty()) {
      fail("setup", "is missing, and the recording has none", "name the setup of `overture train`");
    } else {
      setup = parse_train_setup(recording_->setup, recording::setup_file(folder_).string());
    }
    setup = changed(std::move(setup), training_);
    if (setup.cache.lookahead < 1)
      fail("lookahead", "is 0: training without a cache is not played", "set it to 1 or more");
    return setup;
  }

  void carries_as(const Machine& machine) {
    host_.message = machine.message_cpu;
    host_.per_million = machine.message_cpu_per_million;
    host_.interrupts_per_million = machine.message_interrupts_per_million;
  }

  TrainedRun replayed() {
    if (training_.cores > 0) carries_as(study::fit_machine({&*recording_, 1}).machine);
    formats::RecordedRun recorded = formats::recorded_run(*recording_, folder_);
    const int all = static_cast<int>(recorded.run.steps.size());
    const int first = training_.first.value_or(
        recording_->setup.empty() ? 0 : warm_up(parse_train_setup(recording_->setup, folder_), all));
    const int steps = training_.steps == 0 ? all - first : training_.steps;
    if (first + steps > all || steps < 1)
      fail("steps", fmt::format("{} steps from step {} on; the recording has {}", steps, first, all));
    const auto from = static_cast<std::size_t>(std::max(first - 1, 0));
    note_ =
        fmt::format("recorded on {}: {:.4g} ms a step over these steps", recording_->head().machine.text(),
                    1e3 * recorded.seconds_per_step(from, static_cast<std::size_t>(first + steps - 1)));
    auto& list = recorded.run.steps;
    list.erase(list.begin() + first + steps, list.end());
    list.erase(list.begin(), list.begin() + first);
    return std::move(recorded.run);
  }

  Machine machine() {
    Machine machine;
    if (!training_.machine.empty()) {
      machine = read_machine(beside(file_, training_.machine));
    } else if (recording_) {
      machine = study::fit_machine({&*recording_, 1}).machine;
    } else {
      fail("machine", "is missing", "name the machine.yaml that `overture calibrate` wrote");
    }
    carries_as(machine);
    note_ = "computing costs what it costs on " + machine.name.text();
    if (const std::string other = of_another_machine(machine); !other.empty()) note_ = other;
    return machine;
  }

  // That the run has: as it says, or as many as go through the data that was recorded; 0: not known.
  int known_steps(const TrainSetup& setup) const {
    if (setup.steps > 0 || !recording_ || recording_->setup.empty()) return setup.steps;
    const auto ends = [](const recording::Event& event) {
      const auto* piece = std::get_if<recording::Piece>(&event);
      return piece != nullptr && piece->work == Work::end_step;
    };
    const auto trainer =
        std::ranges::find_if(recording_->parties, [](const auto& party) { return party.head.is_trainer(); });
    if (trainer == recording_->parties.end()) return 0;
    const std::int64_t steps = std::ranges::count_if(trainer->events, ends);
    const int batch = parse_train_setup(recording_->setup, folder_).batch_size;
    return static_cast<int>(steps * batch / setup.batch_size);
  }

  TrainedRun predicted() {
    const TrainSetup setup = train_setup();
    const Played steps = played(setup, known_steps(setup), training_.first, training_.steps);
    return predicted_run(setup, machine(), steps.first, steps.steps);
  }

  std::string folder_;
  const TrainingSetup& training_;
  const std::string& file_;
  int ranks_;
  std::optional<recording::Recording> recording_;
  workload::SharedHost host_;
  std::string note_;
};

}  // namespace

int warm_up(const TrainSetup& setup, int steps) {
  constexpr int kFew = 5;  // until the oracle is as far ahead as it goes
  return std::min(std::max(kFew, std::min(setup.cache.lookahead, steps / 4)), steps / 2);
}

TrainedRun predicted_run(const TrainSetup& setup, const Machine& machine, int first, int steps) {
  const data::Shape shape = open_train_data(setup, data::Part::train)->shape();
  const train::TrainConfig config = make_train_config(setup, shape);
  const PlannedBatches planned = planned_steps(setup, config, first, steps);
  return RunPredictor(setup, config, machine, planned.batches).predict(planned.steps);
}

TrainingGraph make_training_graph(const std::string& recording, const TrainingSetup& training,
                                  const std::string& file, int ranks) {
  return TrainingConverter(recording, training, file, ranks).make();
}

}  // namespace overture::setup
