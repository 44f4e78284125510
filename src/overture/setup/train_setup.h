// The setup of `overture train` and `overture evaluate`: data, model, optimizers, cache and who does the
// work, in one YAML file or in the flags of facebookresearch/dlrm and Bagpipe, which are names for the same
// keys.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "overture/base/words.h"
#include "overture/data/batches.h"
#include "overture/data/dataset.h"
#include "overture/setup/planned_tables.h"
#include "overture/setup/visitors.h"
#include "overture/train/config.h"

namespace overture::setup {

// A file, data that is made up, or batches of the program that runs the oracle.
struct TrainData {
  std::string file;             // beside the setup
  std::string format;           // told by the file unless given
  std::string ids;              // beside the setup: a row for every id of raw data (data/id_dictionary.h)
  int max_ind_range = 0;        // instead: ids modulo this
  std::string synthetic;        // kaggle, avazu or terabyte
  double scale = 1;             // of the synthetic tables
  std::string skew = "fitted";  // of the synthetic ids
  std::uint64_t samples = 100'000;
  bool own = false;  // the program brings the batches
  int dense_features = 13;
  int lookups = 1;        // of a sample in each synthetic table
  bool weighted = false;  // synthetic lookups have weights
  int max_bad_rows = 0;
  int test_every = 10;
  int epochs = 1;
  int shuffle_block = 0;
};

template <class V>
void describe(V& v, TrainData& d) {
  v.from("ours; 13 dense features as Criteo's click logs");
  v.field("file", d.file,
          "Dataset of any format that `overture convert` reads, beside the setup; raw Criteo files, too");
  v.field("format", d.format, "Format of the file; recognised by its first bytes if left out");
  v.field("ids", d.ids,
          "Rows of the ids of raw data, beside the setup; `overture train` makes it and names it here");
  v.field(
      "max_ind_range", d.max_ind_range,
      "Ids of raw data are taken modulo this, as by DLRM's flag, instead of one row per id; 0: as they are");
  v.field("synthetic", d.synthetic,
          "Instead of a file: data like kaggle, avazu or terabyte, made as it is read");
  v.field("own", d.own,
          "Instead of a file: the program that runs the oracle brings the batches, from Python");
  v.field("scale", d.scale, "synthetic: multiplies the rows of every table");
  v.field("skew", d.skew, "synthetic: fitted, uniform, long, medium, short, an exponent, or two-level:1:90");
  v.field("samples", d.samples, "synthetic: number of samples");
  v.field("dense_features", d.dense_features, "synthetic: number of dense features");
  v.field("lookups", d.lookups, "synthetic: lookups of a sample in each table");
  v.field("weighted", d.weighted, "synthetic: every lookup has a weight, from 0.5 to 1.5");
  v.field("max_bad_rows", d.max_bad_rows, "Number of unreadable rows that may be skipped");
  v.field("test_every", d.test_every, "Every n-th sample is held out for evaluation; 0: none");
  v.field("epochs", d.epochs, "How often the data is read from start to end");
  v.field("shuffle_block", d.shuffle_block, "Samples that are shuffled with each other; 0: the data's order");
}

// Which of train::ModelConfig is trained: its number.
enum class ModelKind : std::uint8_t {};
constexpr auto vocabulary(ModelKind) { return numbered_words<ModelKind, train::ModelConfig>(); }

struct TrainModel {
  ModelKind kind{};
  std::string mlp_bottom;  // "13-512-256-64-16"; empty: the model's own, fitted to the data
  std::string mlp_top;
  train::Models::All own;  // what only one of the models has

  template <class Config>
  bool is() const {
    return kind == static_cast<ModelKind>(Alternatives<train::ModelConfig>::number<Config>());
  }
};

struct TrainTables {
  int dim = 16;
  std::string dims;  // "16-8-16": one per table
  std::string rows;  // "1460-583-...": instead of the data's
  embedding::Pooling pooling = embedding::Pooling::sum;
  embedding::Sharding sharding = embedding::Sharding::hash;  // over servers
  std::vector<PlannedTables> plan;                           // instead
  std::string file;
};

struct TrainCache {
  int lookahead = 200;
  std::optional<int> prefetch_depth;
  std::optional<int> cleanup_interval;
  std::optional<double> cleanup_proportion;
  std::optional<int> capacity;
};

struct TrainLink {
  Bandwidth rate = Bandwidth::bits_per_second(10'000'000'000);
  Duration delay = std::chrono::microseconds(100);
};

struct TrainSetup {
  std::string name = "train";
  std::uint64_t seed = 1;
  TrainData data;
  int batch_size = 2048;
  int steps = 0;  // 0: until the data ends
  TrainModel model;
  TrainTables tables;
  embedding::OptimizerConfig optimizer;
  std::optional<embedding::OptimizerConfig> table_optimizer;
  TrainCache cache;
  int trainers = 1;
  int servers = 1;
  int threads = 1;
  std::optional<TrainLink> link;
  int checkpoint_every = 0;
  int keep_every = 0;
  int evaluate_every = 0;
  int patience = 0;    // evaluations; 0: never stops early
  std::string record;  // folder; empty: none
  std::string file;    // of the setup itself; empty when all came from flags
};

TrainSetup parse_train_setup(std::string_view text, const std::string& file,
                             const std::vector<std::string>& overrides = {});
// An empty path: nothing but the overrides.
TrainSetup load_train_setup(const std::filesystem::path& file,
                            const std::vector<std::string>& overrides = {});
std::string write_train_setup(const TrainSetup& setup);
std::vector<Explanation> explain_train_setup();

// How its data is read: the format, and where ids go. Throws UserError.
data::DatasetOptions dataset_options(const TrainSetup& setup);
// Opens a part of the data. Who asks for lookups alone gets labels and dense features of 0 where they would
// have to be made up. Throws UserError.
enum class Wanted : std::uint8_t { samples, lookups };
std::unique_ptr<data::Batches> open_train_data(const TrainSetup& setup, data::Part part,
                                               Wanted wanted = Wanted::samples);
// For data of this shape. Throws UserError that names the key.
train::TrainConfig make_train_config(const TrainSetup& setup, const data::Shape& shape);
// Whether training in one process needs no parties: plain training, all tables in the trainer.
inline bool is_local(const TrainSetup& setup) { return setup.cache.lookahead == 0 && setup.trainers == 1; }
// Whether every table is on one party: then trainers can hold them, and need no servers.
bool has_whole_tables(const TrainSetup& setup);
// How many servers a run needs: none when trainers hold the tables.
inline int servers_of(const TrainSetup& setup) { return setup.cache.lookahead == 0 ? 0 : setup.servers; }

}  // namespace overture::setup
