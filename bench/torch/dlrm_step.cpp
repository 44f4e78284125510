// The steps of a DLRM by overture's trainer, without cache and servers, for compare.py to set beside
// PyTorch's: prints, as JSON, the least CPU and wall time of a step, and the least CPU time of two parts:
// finding a batch's different rows, and changing them. Data is like Criteo Kaggle, made beforehand, and the
// same that `overture generate dataset` writes.
//   bench_dlrm_step small|large THREADS STEPS SCALE
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "overture/data/presets.h"
#include "overture/data/synthetic.h"
#include "overture/train/batch_rows.h"
#include "overture/train/learner.h"
#include "overture/train/pooled_rows.h"

namespace overture::train {
namespace {

constexpr std::int64_t kBatch = 2048;
constexpr std::int64_t kWarmUp = 2;  // steps that are not counted

double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

double wall_ms() {
  const std::chrono::duration<double, std::milli> now = std::chrono::steady_clock::now().time_since_epoch();
  return now.count();
}

// What other programs on the machine take is not ours.
double least(const std::vector<double>& values) { return *std::min_element(values.begin(), values.end()); }

TrainConfig config_of(const std::string& model, int threads, const std::vector<std::int64_t>& rows,
                      embedding::OptimizerKind kind) {
  const bool large = model == "large";
  TrainConfig config{.tables = {.optimizer = {.kind = kind}, .seed = 1}, .seed = 1, .threads = threads};
  config.model = large ? DlrmConfig{.bottom = {13, 1024, 1024, 512, 256, 64, 48}, .top = {1024, 512, 256, 1}}
                       : DlrmConfig{.bottom = {13, 512, 256, 64, 16}, .top = {512, 256, 1}};
  config.dense_optimizer.kind = kind;
  for (const std::int64_t count : rows)
    config.tables.tables.push_back({.rows = count, .dim = large ? 48 : 16});
  return config;
}

std::string measure(const TrainConfig& config, const std::vector<data::Batch>& batches) {
  Learner learner(config);
  embedding::Tables tables(config.tables, {}, learner.workers());
  BatchRows rows(config);
  PooledRows pooled(config.tables);
  std::vector<double> cpu;
  std::vector<double> wall;
  std::vector<double> find;
  std::vector<double> change;
  for (std::int64_t step = 0; step < std::ssize(batches); ++step) {
    const double wall_start = wall_ms();
    const double start = cpu_ms();
    const StepPart part =
        rows.look_up(batches[static_cast<std::size_t>(step)],
                     [&](std::int64_t table, std::int64_t id) { return tables.row(table, id); });
    const double found = cpu_ms();
    learner.learn(part, pooled.pool(part, rows.places(), learner.workers()), step);
    learner.update_dense(step);
    const double learned = cpu_ms();
    pooled.update(pooled.as_pooled(learner.pooled_gradients()), rows.places(), step, learner.workers());
    const double end = cpu_ms();
    if (step < kWarmUp) continue;
    cpu.push_back(end - start);
    wall.push_back(wall_ms() - wall_start);
    find.push_back(found - start);
    change.push_back(end - learned);
  }
  return fmt::format(R"({{"cpu": {:.4f}, "wall": {:.4f}, "find": {:.4f}, "sparse": {:.4f}}})", least(cpu),
                     least(wall), least(find), least(change));
}

void run(const std::string& model, int threads, std::int64_t steps, double scale) {
  const data::SyntheticConfig synthetic{.tables = data::scaled_tables(data::Likeness::kaggle, scale),
                                        .seed = 1};
  data::SyntheticReader reader(synthetic, (steps + kWarmUp) * kBatch);
  std::vector<data::Batch> batches(static_cast<std::size_t>(steps + kWarmUp));
  for (data::Batch& batch : batches) reader.read(batch, kBatch);
  const auto times = [&](embedding::OptimizerKind kind) {
    return measure(config_of(model, threads, reader.shape().table_rows, kind), batches);
  };
  fmt::print("{{\"sgd\": {}, \"adagrad\": {}}}\n", times(embedding::OptimizerKind::sgd),
             times(embedding::OptimizerKind::adagrad));
}

}  // namespace
}  // namespace overture::train

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "usage: bench_dlrm_step small|large THREADS STEPS SCALE\n");
    return 2;
  }
  overture::train::run(argv[1], std::atoi(argv[2]), std::atoll(argv[3]), std::atof(argv[4]));
}
