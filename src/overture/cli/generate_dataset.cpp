#include <chrono>
#include <memory>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/interrupt.h"
#include "overture/base/table.h"
#include "overture/base/text.h"
#include "overture/base/units.h"
#include "overture/cli/arguments.h"
#include "overture/cli/commands.h"
#include "overture/cli/progress.h"
#include "overture/data/copy.h"
#include "overture/data/dataset.h"
#include "overture/data/presets.h"
#include "overture/data/synthetic.h"

namespace overture::cli {
namespace {

struct GenerateDatasetOptions {
  std::string like = "kaggle";
  std::string samples = "100k";
  std::string first = "0";
  std::string scale = "1";
  std::string skew = "fitted";
  std::string seed = "1";
  std::string pooling = "1";
  std::string drift = "0";
  std::string drift_period = "1M";
  std::string base_rate = "0.256";
  int dense = 13;
  int threads = 0;
  bool sorted = false;
  bool weighted = false;
  std::string out;
};

data::PoolingDraw parse_pooling(const std::string& text) {
  constexpr std::string_view kGeometric = "geometric:";
  if (text.starts_with(kGeometric)) {
    return {.mean = parse_real(text.substr(kGeometric.size()), "--pooling"), .geometric = true};
  }
  return {.mean = static_cast<double>(parse_count(text, "--pooling"))};
}

data::SyntheticConfig config(const GenerateDatasetOptions& options) {
  const data::Likeness likeness = data::parse_likeness(options.like);
  const double scale = parse_real(options.scale, "--scale");
  return {.tables = options.skew == "fitted"
                        ? data::scaled_tables(likeness, scale)
                        : data::scaled_tables(likeness, scale, data::parse_skew(options.skew)),
          .dense_features = options.dense,
          .seed = static_cast<std::uint64_t>(parse_count(options.seed, "--seed")),
          .base_rate = parse_real(options.base_rate, "--base-rate"),
          .pooling = parse_pooling(options.pooling),
          .weighted = options.weighted,
          .sorted = options.sorted,
          .drift = parse_real(options.drift, "--drift"),
          .drift_period = parse_count(options.drift_period, "--drift-period")};
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

// What the dataset is like, from the law that it was drawn by.
void print_summary(const GenerateDatasetOptions& options, const data::SyntheticConfig& config,
                   const data::Copied& copied, std::int64_t bytes, double seconds) {
  double rows = 0;
  double unique = 0;
  constexpr std::int64_t kBatch = 2048;
  for (const data::Skew& table : config.tables) {
    rows += static_cast<double>(table.rows());
    unique += data::expected_unique(table, kBatch);
  }
  Table table({"what", "value"});
  table.add({"samples", with_commas(copied.samples)});
  table.add({"tables", fmt::format("{}, {} rows in all", config.tables.size(),
                                   with_commas(static_cast<std::int64_t>(rows)))});
  table.add({"lookups", with_commas(copied.lookups)});
  if (copied.samples > 0) {
    table.add(
        {"clicks", percent(static_cast<double>(copied.positives) / static_cast<double>(copied.samples))});
  }
  for (const double share : {0.001, 0.01, 0.1}) {
    table.add({fmt::format("lookups to the top {} % of rows", 100 * share),
               percent(data::top_share(config.tables, share))});
  }
  if (!config.pooling.multi_hot()) {
    table.add({"different rows in a batch of 2,048", with_commas(static_cast<std::int64_t>(unique))});
  }
  table.add({"size", to_string(Bytes{bytes})});
  table.add({"time", fmt::format("{:.1f} s, {} samples/s", seconds,
                                 with_commas(static_cast<std::int64_t>(static_cast<double>(copied.samples) /
                                                                       std::max(seconds, 1e-3))))});
  fmt::print("{}\nwritten to {}\n", table.text(), options.out);
}

int run(const GenerateDatasetOptions& options) {
  const Interrupt interrupt;
  const std::int64_t samples = parse_count(options.samples, "--samples");
  const std::int64_t first = parse_count(options.first, "--first");
  if (options.threads < 0) throw UserError({.key = "--threads"}, "must not be negative");
  const data::SyntheticConfig made = config(options);
  data::SyntheticReader reader(made, first + samples, options.threads);
  reader.skip(first);
  const auto writer = data::create_dataset(options.out, data::output_format(options.out), reader.shape());
  Progress progress("samples", samples);
  const auto started = std::chrono::steady_clock::now();
  const data::Copied copied = data::copy(reader, *writer, [&](const data::Copied& so_far) {
    progress.update(so_far.samples);
    return !Interrupt::requested();
  });
  progress.finish();
  if (!copied.finished) {
    fmt::print(stderr, "nothing was written\n");
    return kInterrupted;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  print_summary(options, made, copied, writer->bytes(), took.count());
  return 0;
}

}  // namespace

void add_generate_dataset(Command& generate) {
  auto options = std::make_shared<GenerateDatasetOptions>();
  Command command = generate.add("dataset", "Click data with the tables and the skew of well-known logs");
  command.option("--like NAME", options->like, "kaggle, avazu or terabyte: number and sizes of the tables")
      .option("--samples N", options->samples, "Number of samples, such as 100k or 45.8M")
      .option("--scale NUMBER", options->scale, "Factor for the rows of every table; at least 2 remain")
      .option("--skew SKEW", options->skew,
              "fitted, uniform, long, medium, short, an exponent, or two-level:1:90 (1 % of rows, 90 % of "
              "lookups)")
      .option("--seed N", options->seed, "Seed of every random choice")
      .required_option("-o,--out FILE", options->out,
                       "File to write; .tsv, .jsonl, .bin (MLPerf) and a folder (Bagpipe) for other programs")
      .option("--first N", options->first, "Index of the first sample, to generate a dataset in parts")
      .option("--pooling IDS", options->pooling,
              "Ids of a sample in each table: a number, or geometric:5 on average")
      .flag("--weighted", options->weighted,
            "Every lookup has a weight, from 0.5 to 1.5 (ours and .jsonl only)")
      .option("--dense", options->dense, "Dense features")
      .option("--base-rate NUMBER", options->base_rate, "Share of clicks")
      .option("--drift NUMBER", options->drift, "Share of ranks that change their ids with every period")
      .option("--drift-period N", options->drift_period, "Samples per period")
      .option("--threads N", options->threads,
              "Threads; 0: one per core; the data is the same for any number")
      .flag("--sorted", options->sorted, "Place popular rows together instead of scattered")
      .examples(
          "  overture generate dataset --like kaggle --samples 1M --scale 0.01 -o a.ovd\n"
          "  overture generate dataset --like terabyte --samples 100k --scale 0.001 \\\n"
          "    --skew 1.05 -o clicks.tsv\n"
          "  overture generate dataset --like avazu --samples 10k \\\n"
          "    --pooling geometric:5 -o clicks.jsonl")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
