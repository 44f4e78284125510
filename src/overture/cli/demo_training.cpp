#include "overture/cli/demo_training.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "overture/base/files.h"
#include "overture/base/table.h"
#include "overture/base/units.h"
#include "overture/cli/training_run.h"
#include "overture/data/copy.h"
#include "overture/data/dataset.h"
#include "overture/data/presets.h"
#include "overture/data/synthetic.h"
#include "overture/setup/train_setup.h"
#include "overture/train/results.h"

namespace overture::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kSamples = 60'000;

void make_dataset(const fs::path& file) {
  data::SyntheticReader reader({.tables = data::scaled_tables(data::parse_likeness("kaggle"), 0.002)},
                               kSamples, 0);
  const auto writer = data::create_dataset(file, data::output_format(file), reader.shape());
  data::copy(reader, *writer, [](const data::Copied&) { return true; });
}

Trained train_into(const fs::path& folder, const std::string& name, const fs::path& setup_file,
                   std::vector<std::string> overrides) {
  overrides.push_back("name=" + name);
  return run_training(setup::load_train_setup(setup_file, overrides),
                      {.folder = folder, .overwrite = true, .quiet = true});
}

// The rows and the dense parameters, byte for byte.
bool same_model(const Trained& a, const Trained& b) {
  return std::ranges::all_of(std::array{"rows-0", "dense"}, [&](const char* file) {
    return read_file(a.result.checkpoint / file) == read_file(b.result.checkpoint / file);
  });
}

}  // namespace

bool demo_training(const fs::path& folder) {
  fs::create_directories(folder);
  make_dataset(folder / "clicks.ovd");
  const std::string setup_text =
      "data: {file: clicks.ovd}\nbatch_size: 512\nmodel: {mlp_bottom: 13-64-16, mlp_top: 64-1}\n"
      "optimizer: {kind: adagrad, learning_rate: 0.02}\ncache: {lookahead: 40}\nevaluate_every: 20\n";
  const std::string file = (folder / "setup.yaml").string();
  write_file(file, setup_text);
  const Trained cached = train_into(folder / "cached", "DLRM, with the cache", file, {});
  if (cached.result.stopped_early) return false;
  const Trained plain = train_into(folder / "plain", "DLRM, without", file, {"cache.lookahead=0"});
  if (plain.result.stopped_early) return false;

  const train::Totals& totals = cached.totals;
  const double row_bytes =
      static_cast<double>(totals.fetched_bytes) / static_cast<double>(totals.fetched_rows);
  const auto without = static_cast<std::int64_t>(static_cast<double>(totals.rows) * row_bytes);
  fmt::print("A small DLRM on {} synthetic clicks, tables on a server, 40 batches ahead\n\n", totals.samples);
  Table table({"", "with the cache", "without"});
  table.add({"rows from the server", fmt::format("{}", totals.fetched_rows), fmt::format("{}", totals.rows)});
  table.add({"bytes from the server", to_string(Bytes{totals.fetched_bytes}), to_string(Bytes{without})});
  table.add({"hit rate", fmt::format("{:.1f} %", 100 * totals.hit_rate()), "-"});
  table.add({"AUC on held-out clicks", fmt::format("{:.4f}", cached.metrics->auc),
             fmt::format("{:.4f}", plain.metrics->auc)});
  table.add({"log-loss", fmt::format("{:.5f}", cached.metrics->log_loss),
             fmt::format("{:.5f}", plain.metrics->log_loss)});
  fmt::print("{}\nThe two models are {}.\n", table.text(),
             same_model(cached, plain) ? "identical, bit for bit" : "DIFFERENT");
  for (const char* run : {"cached", "plain"})
    fmt::print("report: {}\n", (folder / run / "report.html").string());
  fmt::print("\n");
  return true;
}

}  // namespace overture::cli
