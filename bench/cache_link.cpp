// What the cache is worth when rows come over a network: training behind a link of 10 Gbps and 100 us to the
// embedding server, with growing lookahead, on data with the skew of Criteo Kaggle. Oracle, trainer and
// server are the real ones, each on a machine of its own: their work takes the CPU time of one core here,
// their messages take what the link makes of them, and a clock that is only counted puts both together. So
// other programs on this machine change little, and less so since the quietest of many short stretches
// counts. Without a link, no cache can be faster; "cpu ms" is the work of all together.
// One core is slow for a trainer behind such a link, and then computing hides what the cache saves; so the
// table also shows a trainer whose work takes a quarter of the time.
//   bench_cache_link [samples per batch [steps [scale of the tables [number of the only case]]]]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "overture/base/table.h"
#include "overture/data/presets.h"
#include "overture/data/synthetic.h"
#include "overture/train/embedding_server.h"
#include "overture/train/local_training.h"
#include "overture/train/oracle.h"
#include "overture/train/trainer.h"

namespace overture::train {
namespace {

using namespace literals;

constexpr std::int32_t kLongest = 200;  // lookahead
constexpr std::int64_t kWarmUp = 20;    // steps
constexpr std::int64_t kStretch = 5;

struct Options {
  std::int64_t samples = 2048;
  std::int64_t steps = 100;
  double scale = 0.25;
};

struct Case {
  const char* name;
  ModelConfig model;
  embedding::OptimizerKind optimizer;
  int dim;
  double lookups;  // of a sample in a table
};

// Goes round in batches that are more than any window holds.
class Round : public data::BatchSource {
 public:
  explicit Round(const std::vector<data::Batch>& batches) : batches_(batches) {}
  bool next(data::Batch& batch) override {
    batch = batches_[next_++ % batches_.size()];
    return true;
  }

 private:
  const std::vector<data::Batch>& batches_;
  std::size_t next_ = 0;
};

std::vector<data::Batch> make_batches(const Options& options, const data::SyntheticConfig& synthetic) {
  std::vector<data::Batch> batches(kLongest + 20);
  data::SyntheticReader reader(synthetic, std::ssize(batches) * options.samples);
  for (data::Batch& batch : batches) reader.read(batch, options.samples);
  return batches;
}

using Seconds = double;

Seconds cpu_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// The roles of one training run, the link between them, and what the time is at each.
class Machines {
 public:
  Machines(const TrainConfig& config, double trainer_speed, data::BatchSource& source,
           const RunOptions& options)
      : trainer_speed_(trainer_speed),
        link_(config.server_link),
        oracle_(config, source, options, 0, 0),
        trainer_(config, 0, 0),
        server_(config.tables, parties_, {}, trainer_.learner().workers()) {}

  // The time at the oracle, which hears of finished steps, and the work of all so far.
  Seconds now() const { return clocks_[kOracle]; }
  Seconds worked() const { return worked_; }

  void run() {
    work(kOracle);
    while (!oracle_.done()) {
      const int next = next_to_act();
      clocks_[next] = acts_at(next);
      rpc::Message message = std::move(inboxes_[next].front().message);
      inboxes_[next].pop_front();
      Outbox out;
      timed(next, [&] { take(next, std::move(message), out); });
      send(next, out);
      work(next);
    }
  }

 private:
  static constexpr int kOracle = 0;
  static constexpr int kTrainer = 1;
  static constexpr int kServer = 2;
  struct Arriving {
    Seconds due;
    rpc::Message message;
  };

  template <class Work>
  void timed(int role, Work work) {
    const Seconds started = cpu_time();
    work();
    const Seconds took = cpu_time() - started;
    clocks_[role] += took / (role == kTrainer ? trainer_speed_ : 1);
    worked_ += took;
  }
  void take(int role, rpc::Message message, Outbox& out) {
    if (role == kOracle) oracle_.take(std::move(message), out);
    if (role == kTrainer) trainer_.take(std::move(message), out);
    if (role == kServer) server_.take(std::move(message), out);
  }
  bool advance(int role, Outbox& out) {
    return role == kOracle ? oracle_.advance(out) : role == kTrainer && trainer_.advance(out);
  }
  // All that a role can do before it hears more.
  void work(int role) {
    for (bool busy = true; busy;) {
      Outbox out;
      timed(role, [&] { busy = advance(role, out); });
      send(role, out);
    }
  }

  // One message after the other in each direction of the server's link, as rpc/in_process.h has it.
  void send(int from, Outbox& out) {
    for (rpc::Message& message : out) {
      const int to = rpc::index(message.to);
      message.from = rpc::Address{from};
      Seconds due = clocks_[from];
      if (link_ && (from == kServer || to == kServer)) {
        Seconds& free = from == kServer ? out_free_ : in_free_;
        const Bytes size{static_cast<std::int64_t>(message.payload.size()) + rpc::kHeaderBytes};
        free = std::max(free, due) + seconds(transfer_time(size, link_->rate));
        due = free + seconds(link_->delay);
      }
      inboxes_[to].push_back({due, std::move(message)});
      std::stable_sort(inboxes_[to].begin(), inboxes_[to].end(),
                       [](const Arriving& a, const Arriving& b) { return a.due < b.due; });
    }
  }
  static Seconds seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

  // Who acts first cannot be too early: what the others send arrives later.
  Seconds acts_at(int role) const {
    return inboxes_[role].empty() ? std::numeric_limits<double>::infinity()
                                  : std::max(clocks_[role], inboxes_[role].front().due);
  }
  int next_to_act() const {
    int first = kOracle;
    for (const int role : {kTrainer, kServer}) first = acts_at(role) < acts_at(first) ? role : first;
    return first;
  }

  Parties parties_;
  double trainer_speed_;
  std::optional<rpc::Link> link_;
  Oracle oracle_;
  Trainer trainer_;
  EmbeddingServer server_;
  Seconds clocks_[3] = {};
  Seconds worked_ = 0;
  Seconds out_free_ = 0;
  Seconds in_free_ = 0;
  std::deque<Arriving> inboxes_[3];
};

// The quietest stretch, given the time after each step, in milliseconds a step.
double quietest(const std::vector<Seconds>& times) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = kStretch; i < times.size(); ++i)
    least = std::min(least, 1e3 * (times[i] - times[i - kStretch]) / kStretch);
  return least;
}

struct Figures {
  double step_ms = 0;
  double cpu_ms = 0;  // of all roles
  double hit_rate = 0;
  double megabytes = 0;  // both ways
};

// The first steps of a run find fewer rows in the cache than later ones, and do not count.
Figures measure(const TrainConfig& config, double trainer_speed, const std::vector<data::Batch>& batches,
                std::int64_t steps) {
  Round source(batches);
  std::vector<Seconds> times;
  std::vector<Seconds> work;
  std::int64_t rows = 0;
  std::int64_t hits = 0;
  std::int64_t bytes = 0;
  const Machines* clock = nullptr;
  const RunOptions options{.stop = [&] { return std::ssize(times) > steps; },
                           .on_step =
                               [&](const StepReport& report) {
                                 if (report.step < config.cache.lookahead + kWarmUp) return;
                                 times.push_back(clock->now());
                                 work.push_back(clock->worked());
                                 rows += report.rows;
                                 hits += report.hits;
                                 bytes += report.fetched_bytes + report.stored_bytes;
                               }};
  Machines machines(config, trainer_speed, source, options);
  clock = &machines;
  machines.run();
  return {.step_ms = quietest(times),
          .cpu_ms = quietest(work),
          .hit_rate = static_cast<double>(hits) / static_cast<double>(rows),
          .megabytes = 1e-6 * static_cast<double>(bytes) / static_cast<double>(times.size())};
}

// Without oracle, server and cache: all rows at hand.
Figures measure_plain(const TrainConfig& config, const std::vector<data::Batch>& batches,
                      std::int64_t steps) {
  LocalTraining training(config);
  std::vector<Seconds> times;
  for (std::int64_t step = 0; step <= steps; ++step) {
    training.train(batches[static_cast<std::size_t>(step) % batches.size()], step);
    times.push_back(cpu_time());
  }
  return {.step_ms = quietest(times), .cpu_ms = quietest(times), .hit_rate = 1};
}

// One line for each lookahead, one without a link, and one without a server.
void add_lines(Table& table, const Case& one, TrainConfig config, double trainer_speed,
               const std::vector<data::Batch>& batches, std::int64_t steps) {
  double uncached_ms = 0;
  const auto add_line = [&](const std::string& how, const Figures& figures) {
    if (config.cache.lookahead == 1) uncached_ms = figures.step_ms;
    table.add({one.name, fmt::format("{}x", trainer_speed), how, fmt::format("{:.2f}", figures.step_ms),
               fmt::format("{:.2f}", figures.cpu_ms), fmt::format("{:.2f}x", uncached_ms / figures.step_ms),
               fmt::format("{:.1f} %", 100 * figures.hit_rate), fmt::format("{:.2f}", figures.megabytes)});
  };
  config.server_link = rpc::Link{10_Gbps, 100us};
  for (const std::int32_t lookahead : {1, 10, 50, kLongest}) {
    config.cache.lookahead = lookahead;
    add_line(fmt::format("L = {}", lookahead), measure(config, trainer_speed, batches, steps));
  }
  config.server_link.reset();
  add_line("no link", measure(config, trainer_speed, batches, steps));
  if (trainer_speed == 1) add_line("in memory", measure_plain(config, batches, steps));
}

void run(const Case& one, const Options& options) {
  const data::SyntheticConfig synthetic{.tables = data::scaled_tables(data::Likeness::kaggle, options.scale),
                                        .seed = 1,
                                        .pooling = {.mean = one.lookups}};
  const std::vector<data::Batch> batches = make_batches(options, synthetic);
  TrainConfig config{
      .tables = {.optimizer = {.kind = one.optimizer}, .seed = 1}, .model = one.model, .seed = 1};
  for (const data::Skew& skew : synthetic.tables)
    config.tables.tables.push_back({.rows = skew.rows(), .dim = one.dim});
  Table table({"model", "trainer", "lookahead", "ms/step", "cpu ms", "against L = 1", "hits", "MB/step"});
  for (const double trainer_speed : {1, 4})
    add_lines(table, one, config, trainer_speed, batches, options.steps);
  fmt::print("{}\n", table.text());
  std::fflush(stdout);
}

}  // namespace
}  // namespace overture::train

int main(int argc, char** argv) {
  overture::train::Options options;
  if (argc > 1) options.samples = std::atoll(argv[1]);
  if (argc > 2) options.steps = std::atoll(argv[2]);
  if (argc > 3) options.scale = std::atof(argv[3]);
  using namespace overture::train;
  using overture::embedding::OptimizerKind;
  const WideAndDeepConfig wide_and_deep{.deep = {13, 64, 64}};
  const DlrmConfig dlrm{.bottom = {13, 32, 48}, .top = {32, 1}};
  const Case cases[] = {
      {"wide & deep, dim 48, sgd", wide_and_deep, OptimizerKind::sgd, 48, 1},
      {"wide & deep, dim 48, adam", wide_and_deep, OptimizerKind::adam, 48, 1},
      {"wide & deep, dim 48, sgd, 8 lookups", wide_and_deep, OptimizerKind::sgd, 48, 8},
      {"dlrm 13-32-48 dot 32-1, dim 48, sgd", dlrm, OptimizerKind::sgd, 48, 1},
  };
  fmt::print("{} samples a batch\n", options.samples);
  const int only = argc > 4 ? std::atoi(argv[4]) : -1;
  for (int i = 0; i < static_cast<int>(std::size(cases)); ++i) {
    if (only < 0 || i == only) run(cases[i], options);
  }
}
