// Checkpoints: one of the files of a sound one is replaced, with its checksums set right, and everything that
// reads checkpoints reads it. A first byte chooses the file.
#include "overture/train/checkpoint.h"

#include <array>

#include "block_sums.h"
#include "memory_file.h"
#include "targets.h"
#include <nlohmann/json.hpp>

#include "overture/base/json.h"
#include "overture/data/checksum.h"
#include "overture/train/learner.h"

using namespace overture;

namespace {

namespace fs = std::filesystem;

constexpr std::array kFiles{"manifest.json", "rows-0", "dense", "state"};

train::TrainConfig config() {
  train::TrainConfig made{.tables = {.tables = {{.rows = 5, .dim = 4}, {.rows = 3, .dim = 4}}},
                          .model = train::DlrmConfig{.bottom = {2, 4}, .top = {4, 1}},
                          .dense_features = 2};
  made.cache.lookahead = 2;
  return made;
}

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A sound checkpoint, made once; the fuzzer's file takes the place of one of its own and then goes again.
class Checkpoint {
 public:
  Checkpoint() {
    train::PartialCheckpoint partial(folder_.path(), 1);
    train::Learner learner(config_);
    embedding::Tables tables(config_.tables, {}, learner.workers());
    train::save_rows(tables, partial.path());
    train::save_dense(learner.parameters().values(), learner.optimizer().state(), partial.path());
    train::save_state("state", partial.path());
    partial.complete(config_, {.steps = 1, .samples = 8}, 10);
    place_ = train::complete_checkpoint(folder_.path(), 1);
    for (std::size_t i = 0; i < kFiles.size(); ++i) sound_[i] = read(place_ / kFiles[i]);
  }

  void try_with(std::size_t file, std::string_view bytes) {
    write(kFiles[file], bytes);
    train::CheckpointInfo info{.steps = 1};
    fuzz::accepts([&] { train::whole_checkpoint(folder_.path()); });
    fuzz::accepts([&] { train::shape_of(place_); });
    fuzz::accepts([&] { train::changed_since(config_, place_); });
    fuzz::accepts([&] { info = train::read_manifest(config_, place_); });
    fuzz::accepts([&] { load(info); });
    write(kFiles[file], sound_[file]);
  }
  const std::string& sound(std::size_t file) const { return sound_[file]; }

 private:
  void write(const char* name, std::string_view bytes) const {
    std::ofstream(place_ / name, std::ios::binary | std::ios::trunc) << bytes;
  }
  void load(const train::CheckpointInfo& info) {
    train::Learner learner(config_);
    embedding::Tables tables(config_.tables, {}, learner.workers());
    train::load_rows(tables, info, place_);
    train::load_dense(learner, place_);
    train::load_state(place_);
  }

  fuzz::ScratchFolder folder_;
  train::TrainConfig config_ = config();
  fs::path place_;
  std::array<std::string, kFiles.size()> sound_;
};

// As the writer would have done it, so that what is behind the sum is reached.
std::string with_right_sum(const std::string& text) {
  Json manifest = parse_json(text);
  if (!manifest.is_object()) return text;
  manifest.erase("checksum");
  const std::string bare = write_json(manifest, 2);
  char sum[17];
  std::snprintf(sum, sizeof sum, "%016llx",
                static_cast<unsigned long long>(data::checksum(bare.data(), bare.size())));
  manifest["checksum"] = sum;
  return write_json(manifest, 2) + "\n";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Checkpoint checkpoint;
  if (size == 0) return 0;
  const std::size_t file = data[0] % kFiles.size();
  std::string bytes(fuzz::as_text(data + 1, size - 1));
  if (file == 0) {
    bytes = with_right_sum(bytes);
  } else {
    fuzz::set_block_sums(bytes);
  }
  checkpoint.try_with(file, bytes);
  return 0;
}
