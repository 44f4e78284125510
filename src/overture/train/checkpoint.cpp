#include "overture/train/checkpoint.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/json.h"
#include "overture/embedding/block_file.h"

namespace overture::train {
namespace {

namespace fs = std::filesystem;
using embedding::Tables;

constexpr const char* kRowsKind = "overture rows 1";
constexpr const char* kDenseKind = "overture dense 1";
constexpr const char* kFormat = "overture checkpoint 1";
constexpr std::size_t kKept = 2;

fs::path rows_file(const fs::path& checkpoint, int server) {
  return checkpoint / fmt::format("rows-{}", server);
}

// What must be the same for a checkpoint to mean the same.
Json shapes(const TrainConfig& config) {
  Json tables = Json::array();
  for (const embedding::TableConfig& table : config.tables.tables) tables.push_back({table.rows, table.dim});
  return {{"model", describe(config.model)},
          {"optimizer", static_cast<int>(config.tables.optimizer.kind)},
          {"dense_optimizer", static_cast<int>(config.dense_optimizer.kind)},
          {"tables", std::move(tables)}};
}

std::optional<std::int64_t> steps_of(const fs::path& checkpoint) {
  const std::string name = checkpoint.filename();
  if (!name.starts_with("step-")) return std::nullopt;
  std::int64_t steps = 0;
  const char* const end = name.data() + name.size();
  const auto [stopped, error] = std::from_chars(name.data() + 5, end, steps);
  if (error != std::errc{} || stopped != end) return std::nullopt;
  return steps;
}

std::vector<fs::path> checkpoints_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (steps_of(entry.path()) && fs::exists(entry.path() / "manifest.json", error))
      found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end(),
            [](const fs::path& a, const fs::path& b) { return *steps_of(a) < *steps_of(b); });
  return found;
}

void flush_folder(const fs::path& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

}  // namespace

fs::path complete_checkpoint(const fs::path& folder, std::int64_t steps) {
  return folder / fmt::format("step-{}", steps);
}
fs::path partial_checkpoint(const fs::path& folder, std::int64_t steps) {
  return folder / fmt::format("step-{}.part", steps);
}

void make_partial_checkpoint(const fs::path& partial) {
  std::error_code error;
  fs::remove_all(partial, error);
  fs::create_directories(partial, error);
  if (error) throw UserError({.file = partial.string()}, "cannot be made: " + error.message());
}

void save_rows(Tables& tables, const fs::path& into) {
  embedding::BlockWriter writer(rows_file(into, tables.share().index), kRowsKind);
  for (std::int64_t t = 0; t < std::ssize(tables.config().tables); ++t) writer.write(tables.all(t));
  writer.finish();
}

void save_dense(std::span<const float> values, std::span<const float> state, const fs::path& into) {
  embedding::BlockWriter writer(into / "dense", kDenseKind);
  writer.write(values);
  writer.write(state);
  writer.finish();
}

void complete(const TrainConfig& config, const CheckpointInfo& info, std::int64_t parameters,
              const fs::path& folder) {
  const fs::path partial = partial_checkpoint(folder, info.steps);
  const fs::path place = complete_checkpoint(folder, info.steps);
  const Json manifest{{"format", kFormat},
                      {"steps", info.steps},
                      {"samples", info.samples},
                      {"servers", info.servers},
                      {"sharding", static_cast<int>(info.sharding)},
                      {"parameters", parameters},
                      {"shapes", shapes(config)}};
  write_file(partial / "manifest.json", write_json(manifest, 2) + "\n");
  flush_folder(partial);
  std::error_code error;
  fs::remove_all(place, error);
  fs::rename(partial, place, error);
  if (error) throw UserError({.file = place.string()}, "cannot be made: " + error.message());
  flush_folder(folder);
  std::vector<fs::path> all = checkpoints_in(folder);
  for (std::size_t i = 0; i + kKept < all.size(); ++i) fs::remove_all(all[i], error);
}

std::optional<fs::path> latest_checkpoint(const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder / "manifest.json", error)) return folder;
  const std::vector<fs::path> all = checkpoints_in(folder);
  if (all.empty()) return std::nullopt;
  return all.back();
}

CheckpointInfo read_manifest(const TrainConfig& config, const fs::path& checkpoint) {
  const fs::path file = checkpoint / "manifest.json";
  const Json manifest = parse_json(read_file(file));
  const auto fail = [&](const std::string& what, const std::string& hint = {}) {
    throw UserError({.file = file.string()}, what, hint);
  };
  if (manifest.is_discarded() || !manifest.is_object()) fail("is not a manifest: it is damaged or cut short");
  if (!manifest.contains("format") || manifest["format"] != kFormat)
    fail(fmt::format("is not of the format \"{}\"", kFormat));
  for (const char* key : {"steps", "samples", "servers", "sharding"}) {
    if (!manifest.contains(key) || !manifest[key].is_number_integer() || manifest[key] < 0)
      fail(fmt::format("has no {}", key));
  }
  if (!manifest.contains("shapes") || manifest["shapes"] != shapes(config))
    fail("is of a run with another model, other tables or other optimizers",
         "resume with the setup that the run started with");
  return {.steps = manifest["steps"],
          .samples = manifest["samples"],
          .servers = manifest["servers"],
          .sharding = static_cast<embedding::Sharding>(manifest["sharding"].get<int>())};
}

namespace {

// What another server held of a table: what is ours of it is picked.
void pick(Tables& tables, std::int64_t t, const embedding::TableShare& theirs, std::span<const float> part) {
  const embedding::TableShare& ours = tables.held(t);
  const std::int32_t begin = std::max(ours.begin, theirs.begin);
  const std::int32_t end = std::min(ours.end, theirs.end);
  if (begin >= end) return;
  const float* row = part.data();
  for (std::int64_t i = 0; i < theirs.rows; ++i, row += theirs.stride()) {
    const std::int64_t id = theirs.id(i);
    if (!ours.holds(id)) continue;
    std::copy(row + (begin - theirs.begin), row + (end - theirs.begin),
              tables.row(t, id) + (begin - ours.begin));
  }
}

}  // namespace

void load_rows(Tables& tables, const CheckpointInfo& info, const fs::path& checkpoint) {
  const auto count = std::ssize(tables.config().tables);
  if (info.servers == tables.share().count && info.sharding == tables.share().sharding) {
    embedding::BlockReader reader(rows_file(checkpoint, tables.share().index), kRowsKind);
    for (std::int64_t t = 0; t < count; ++t) reader.read(tables.all(t));
    reader.finish();
    return;
  }
  std::vector<float> part;
  const auto shares = embedding::all_shares(tables.config(), info.sharding, info.servers);
  for (int server = 0; server < info.servers; ++server) {
    embedding::BlockReader reader(rows_file(checkpoint, server), kRowsKind);
    for (std::int64_t t = 0; t < count; ++t) {
      const embedding::TableShare& theirs =
          shares[static_cast<std::size_t>(server)][static_cast<std::size_t>(t)];
      part.resize(static_cast<std::size_t>(theirs.rows) * static_cast<std::size_t>(theirs.stride()));
      reader.read(part);
      pick(tables, t, theirs, part);
    }
    reader.finish();
  }
}

void load_dense(Learner& learner, const fs::path& checkpoint) {
  embedding::BlockReader reader(checkpoint / "dense", kDenseKind);
  reader.read(learner.parameters().values());
  reader.read(learner.optimizer().state());
  reader.finish();
}

}  // namespace overture::train
