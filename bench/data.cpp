// How fast datasets are read and made: samples and bytes of the file per second of CPU time. Texts in the
// form of Criteo's logs and of Bagpipe's parts, MLPerf's int32, and our own format; all from the page cache.
#include <cstdlib>
#include <filesystem>
#include <string>

#include <benchmark/benchmark.h>
#include <unistd.h>

#include "overture/data/copy.h"
#include "overture/data/dataset.h"
#include "overture/data/metrics.h"
#include "overture/data/presets.h"
#include "overture/data/synthetic.h"

namespace overture::data {
namespace {

constexpr std::int64_t kSamples = 200'000;

SyntheticConfig kaggle() { return {.tables = scaled_tables(Likeness::kaggle, 1)}; }

// The same samples in every format, made once, gone at the end.
class Files {
 public:
  Files() {
    std::string name = (std::filesystem::temp_directory_path() / "overture-bench-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    folder_ = name;
  }
  ~Files() { std::filesystem::remove_all(folder_); }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  std::filesystem::path path(Format format) {
    const std::filesystem::path file = folder_ / to_string(format);
    if (!std::filesystem::exists(file)) {
      SyntheticReader reader(kaggle(), kSamples);
      copy(reader, *create_dataset(file, format, reader.shape()), [](const Copied&) { return true; });
    }
    return file;
  }

 private:
  std::filesystem::path folder_;
};

Files& files() {
  static Files all;
  return all;
}

void read(benchmark::State& state, Format format) {
  const auto path = files().path(format);
  std::int64_t samples = 0;
  std::int64_t bytes = 0;
  for (auto _ : state) {
    const auto batches = open_batches(path, {.format = format}, {.batch_size = 2048});
    Batch batch;
    while (batches->next(batch)) {
      samples += batch.samples;
      benchmark::DoNotOptimize(batch.tables.back().ids.data());
    }
    bytes += static_cast<std::int64_t>(std::filesystem::file_size(path));
  }
  state.SetItemsProcessed(samples);
  state.SetBytesProcessed(bytes);
}
BENCHMARK_CAPTURE(read, criteo, Format::criteo)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read, bagpipe, Format::bagpipe)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read, mlperf, Format::mlperf)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read, overture, Format::overture)->Unit(benchmark::kMillisecond);

// Our own format, shuffled in blocks of 65,536 samples with every tenth left out.
void read_shuffled(benchmark::State& state) {
  const auto path = files().path(Format::overture);
  std::int64_t samples = 0;
  for (auto _ : state) {
    const auto batches = open_batches(
        path, {},
        {.batch_size = 2048, .part = Part::train, .split = {.test_every = 10}, .shuffle_block = 65536});
    Batch batch;
    while (batches->next(batch)) samples += batch.samples;
  }
  state.SetItemsProcessed(samples);
}
BENCHMARK(read_shuffled)->Unit(benchmark::kMillisecond);

void generate(benchmark::State& state) {
  SyntheticReader reader(kaggle(), 1LL << 40);
  Batch batch;
  std::int64_t samples = 0;
  for (auto _ : state) samples += reader.read(batch, 2048);
  state.SetItemsProcessed(samples);
}
BENCHMARK(generate)->Unit(benchmark::kMillisecond);

void evaluate(benchmark::State& state) {
  std::vector<float> predictions;
  std::vector<float> labels;
  for (std::uint32_t i = 0; i < 1'000'000; ++i) {
    predictions.push_back(static_cast<float>(i * 2654435761U >> 8U) / 16777216.0F);
    labels.push_back(i % 4 == 0 ? 1.0F : 0.0F);
  }
  for (auto _ : state) {
    Evaluation evaluation;
    evaluation.add(predictions, labels);
    benchmark::DoNotOptimize(evaluation.metrics());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(labels.size()));
}
BENCHMARK(evaluate)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace overture::data
