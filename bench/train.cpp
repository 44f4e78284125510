// Whole training steps on data like Criteo Kaggle, made beforehand: CPU time per step without and with the
// cache, and throughput when the embedding servers sit behind a slow link. One thread of compute; steps
// should be several times the lookahead of 50, since the first window is fetched at once.
//   bench_train [steps [scale of the tables]]
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <vector>

#include <fmt/format.h>

#include "overture/base/table.h"
#include "overture/data/presets.h"
#include "overture/data/synthetic.h"
#include "overture/train/local_training.h"
#include "overture/train/session.h"

namespace overture::train {
namespace {

using namespace literals;

constexpr std::int64_t kBatch = 2048;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

class MemorySource : public data::BatchSource {
 public:
  explicit MemorySource(const std::vector<data::Batch>& batches) : batches_(batches) {}
  bool next(data::Batch& batch) override {
    if (next_ == batches_.size()) return false;
    batch = batches_[next_++];
    return true;
  }

 private:
  const std::vector<data::Batch>& batches_;
  std::size_t next_ = 0;
};

struct Model {
  const char* name;
  DlrmConfig config;
  int dim;
};

struct Times {
  double cpu_ms = 0;  // per step
  double wall_ms = 0;
  double hit_rate = 0;
};

TrainConfig config_of(const Model& model, const std::vector<std::int64_t>& rows,
                      embedding::OptimizerKind kind) {
  TrainConfig config{.tables = {.optimizer = {.kind = kind}, .seed = 1}, .model = model.config, .seed = 1};
  config.dense_optimizer.kind = kind;
  for (const std::int64_t count : rows) config.tables.tables.push_back({.rows = count, .dim = model.dim});
  return config;
}

template <class Training>
Times measure(Training& training, const std::vector<data::Batch>& batches) {
  MemorySource source(batches);
  std::int64_t rows = 0;
  std::int64_t hits = 0;
  const double cpu = cpu_seconds();
  const auto wall = std::chrono::steady_clock::now();
  training.run(source, {.on_step = [&](const StepReport& report) {
                 rows += report.rows;
                 hits += report.hits;
               }});
  const double steps = static_cast<double>(batches.size());
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - wall;
  return {.cpu_ms = 1e3 * (cpu_seconds() - cpu) / steps,
          .wall_ms = 1e3 * passed.count() / steps,
          .hit_rate = static_cast<double>(hits) / static_cast<double>(rows)};
}

void add_line(Table& table, const Model& model, const char* how, const Times& times) {
  table.add({model.name, how, fmt::format("{:.1f}", times.cpu_ms), fmt::format("{:.1f}", times.wall_ms),
             fmt::format("{:.0f}", 1e3 * kBatch / times.wall_ms),
             fmt::format("{:.1f} %", 100 * times.hit_rate)});
}

void run(std::int64_t steps, double scale) {
  const data::SyntheticConfig synthetic{.tables = data::scaled_tables(data::Likeness::kaggle, scale),
                                        .seed = 1};
  data::SyntheticReader reader(synthetic, steps * kBatch);
  std::vector<data::Batch> batches(static_cast<std::size_t>(steps));
  for (data::Batch& batch : batches) reader.read(batch, kBatch);
  const Model models[] = {
      {"small", {.bottom = {13, 512, 256, 64, 16}, .top = {512, 256, 1}}, 16},
      {"tiny", {.bottom = {13, 32, 48}, .top = {32, 1}}, 48},
  };
  Table table({"model", "how", "cpu ms/step", "wall ms/step", "samples/s", "hits"});
  for (const Model& model : models) {
    TrainConfig config = config_of(model, reader.shape().table_rows, embedding::OptimizerKind::sgd);
    {
      LocalTraining local(config);
      add_line(table, model, "plain, in memory", measure(local, batches));
    }
    for (const bool slow : {false, true}) {
      for (const std::int32_t lookahead : {1, 50}) {
        config.cache.lookahead = lookahead;
        if (slow) config.server_link = rpc::Link{10_Gbps, 100us};
        Session session(config);
        add_line(table, model, fmt::format("L = {}{}", lookahead, slow ? ", 10 Gbps, 100 us" : "").c_str(),
                 measure(session, batches));
      }
    }
  }
  fmt::print("{}", table.text());
}

}  // namespace
}  // namespace overture::train

int main(int argc, char** argv) {
  overture::train::run(argc > 1 ? std::atoll(argv[1]) : 150, argc > 2 ? std::atof(argv[2]) : 0.1);
}
