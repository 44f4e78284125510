#include "overture/train/checkpoint.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/disk.h"
#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/json.h"
#include "overture/base/text.h"
#include "overture/data/checksum.h"
#include "overture/embedding/block_file.h"

namespace overture::train {
namespace {

namespace fs = std::filesystem;
using embedding::Tables;

constexpr const char* kRowsKind = "overture rows 1";
constexpr const char* kDenseKind = "overture dense 1";
constexpr const char* kStateKind = "overture state 1";
constexpr const char* kFormat = "overture checkpoint 2";
constexpr std::size_t kKept = 2;
// In place of the number of a sharding: every table has its own.
constexpr int kPlanned = static_cast<int>(embedding::Sharding::column_wise) + 1;

fs::path rows_file(const fs::path& checkpoint, int server) {
  return checkpoint / fmt::format("rows-{}", server);
}

std::optional<std::int64_t> steps_of(const fs::path& checkpoint) {
  const std::string name = checkpoint.filename();
  if (!name.starts_with("step-")) return std::nullopt;
  return parse_number<std::int64_t>(std::string_view(name).substr(5));
}

// What must be the same for a checkpoint to mean the same, by the keys of the setup.
std::map<std::string, std::string> fixed(const TrainConfig& config) {
  std::map<std::string, std::string> result = config.fixed;
  std::string tables;
  for (const embedding::TableConfig& table : config.tables.tables)
    tables += fmt::format("{}{}x{}", tables.empty() ? "" : "-", table.rows, table.dim);
  result["model"] = describe(config.model);
  result["tables"] = tables;
  if (!config.tables.tables.empty())  // all alike
    result["tables.pooling"] = word_of(config.tables.tables.front().pooling);
  result["dense_features"] = fmt::format("{}", config.dense_features);
  result["optimizer.kind"] = word_of(config.dense_optimizer.kind);
  result["table_optimizer.kind"] = word_of(config.tables.optimizer.kind);
  return result;
}

// What may be changed, and is noted.
std::map<std::string, std::string> rates(const TrainConfig& config) {
  std::map<std::string, std::string> result;
  for (const auto& [name, optimizer] : {std::pair{"optimizer", &config.dense_optimizer},
                                        std::pair{"table_optimizer", &config.tables.optimizer}}) {
    const std::string section = name;
    result[section + ".learning_rate"] = fmt::format("{}", optimizer->learning_rate);
    result[section + ".weight_decay"] = fmt::format("{}", optimizer->weight_decay);
    result[section + ".epsilon"] = fmt::format("{}", optimizer->epsilon);
    result[section + ".beta1"] = fmt::format("{}", optimizer->beta1);
    result[section + ".beta2"] = fmt::format("{}", optimizer->beta2);
    result[section + ".warmup_steps"] = fmt::format("{}", optimizer->schedule.warmup_steps);
    result[section + ".decay_start"] = fmt::format("{}", optimizer->schedule.decay_start);
    result[section + ".decay_steps"] = fmt::format("{}", optimizer->schedule.decay_steps);
  }
  return result;
}

Json json_of(const std::map<std::string, std::string>& texts) {
  Json result = Json::object();
  for (const auto& [key, text] : texts) result[key] = text;
  return result;
}

// Of everything that the manifest says, as it is written.
std::string sum_of(const Json& manifest) {
  const std::string text = write_json(manifest, 2);
  return fmt::format("{:016x}", data::checksum(text.data(), text.size()));
}

[[noreturn]] void cannot_be_made(const fs::path& path) {
  throw UserError({.file = path.string()}, std::string("cannot be created: ") + std::strerror(errno));
}

[[noreturn]] void bad_manifest(const fs::path& file, const std::string& what, const std::string& hint = {}) {
  throw UserError({.file = file.string()}, what, hint);
}

void require_number(const Json& manifest, const char* key, std::int64_t least, std::int64_t most,
                    const fs::path& file) {
  const bool number = manifest.contains(key) && manifest[key].is_number_integer();
  if (!number || manifest[key].get<double>() < static_cast<double>(least) ||
      manifest[key].get<double>() > static_cast<double>(most))
    bad_manifest(file, fmt::format("\"{}\" is not a number from {} to {}", key, least, most));
}

void require_texts(const Json& manifest, const char* key, const fs::path& file) {
  const bool object = manifest.contains(key) && manifest[key].is_object();
  if (!object || !std::ranges::all_of(manifest[key], [](const Json& one) { return one.is_string(); }))
    bad_manifest(file, fmt::format("\"{}\" does not hold texts", key));
}

// For every table the number of its sharding, then those of its servers.
Json json_of(const model::TablePlan& plan) {
  Json result = Json::array();
  for (const model::TablePlace& place : plan) {
    Json& numbers = result.emplace_back(Json::array({static_cast<int>(place.sharding)}));
    for (const int server : place.nodes) numbers.push_back(server);
  }
  return result;
}

void require_plan(const Json& manifest, const fs::path& file) {
  const auto is_place = [](const Json& numbers) {
    const auto number = [](const Json& one) { return one.is_number_unsigned() && one < 1'000'000U; };
    return numbers.is_array() && !numbers.empty() && std::ranges::all_of(numbers, number) &&
           numbers[0] <= static_cast<int>(model::TableSharding::row_wise);
  };
  const bool list = manifest.contains("plan") && manifest["plan"].is_array();
  if (!list || !std::ranges::all_of(manifest["plan"], is_place))
    bad_manifest(file, "\"plan\" does not hold the servers of every table");
}

embedding::Division division_of(const Json& manifest) {
  if (manifest["sharding"] != kPlanned)
    return static_cast<embedding::Sharding>(manifest["sharding"].get<int>());
  embedding::Division division;
  for (const Json& numbers : manifest["plan"]) {
    model::TablePlace& place = division.plan.emplace_back();
    place.sharding = static_cast<model::TableSharding>(numbers[0].get<int>());
    for (std::size_t i = 1; i < numbers.size(); ++i) place.nodes.push_back(numbers[i].get<int>());
  }
  return division;
}

// Whatever wrote it: what is read from it later is there and of its kind.
void require_whole(const Json& manifest, const fs::path& file) {
  constexpr std::int64_t kMost = std::int64_t{1} << 50;
  require_number(manifest, "steps", 0, kMost, file);
  require_number(manifest, "samples", 0, kMost, file);
  require_number(manifest, "servers", 1, 1'000'000, file);
  require_number(manifest, "sharding", 0, kPlanned, file);
  if (manifest["sharding"] == kPlanned) require_plan(manifest, file);
  require_texts(manifest, "fixed", file);
  require_texts(manifest, "rates", file);
}

// Sound in itself and with its folder; whether it is of this run is not asked.
Json sound_manifest(const fs::path& checkpoint) {
  const fs::path file = checkpoint / "manifest.json";
  Json manifest = parse_json(read_file(file));
  if (manifest.is_discarded() || !manifest.is_object())
    bad_manifest(file, "is not a manifest: it is damaged or cut short");
  if (!manifest.contains("format") || manifest["format"] != kFormat)
    bad_manifest(file, fmt::format("is not of the format \"{}\"", kFormat));
  const Json sum = manifest.contains("checksum") ? manifest["checksum"] : Json();
  manifest.erase("checksum");
  if (sum != sum_of(manifest)) bad_manifest(file, "has been damaged: its checksum does not match");
  require_whole(manifest, file);
  const auto steps = steps_of(checkpoint);
  if (steps && manifest["steps"] != *steps)
    bad_manifest(file, fmt::format("is of step {}, its folder of step {}",
                                   manifest["steps"].get<std::int64_t>(), *steps));
  return manifest;
}

CheckpointInfo info_of(const Json& manifest) {
  CheckpointInfo info{.steps = manifest["steps"],
                      .samples = manifest["samples"],
                      .servers = manifest["servers"],
                      .division = division_of(manifest)};
  if (manifest.contains("held_out_auc") && manifest["held_out_auc"].is_number())
    info.auc = manifest["held_out_auc"].get<double>();
  return info;
}

// By name, whatever they hold.
std::vector<fs::path> checkpoint_folders(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (steps_of(entry.path())) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end(),
            [](const fs::path& a, const fs::path& b) { return *steps_of(a) < *steps_of(b); });
  return found;
}

std::vector<fs::path> checkpoints_in(const fs::path& folder) {
  std::vector<fs::path> found = checkpoint_folders(folder);
  std::error_code error;
  std::erase_if(found, [&](const fs::path& one) { return !fs::exists(one / "manifest.json", error); });
  return found;
}

// Neither new, nor the best, nor one of every so many steps.
std::vector<fs::path> superfluous(const std::vector<fs::path>& all, const Keep& keep) {
  std::optional<double> best;
  fs::path best_path;
  for (const fs::path& one : all) {
    try {
      const std::optional<double> auc = info_of(sound_manifest(one)).auc;
      if (auc && (!best || *auc > *best)) {
        best = auc;
        best_path = one;
      }
    } catch (const UserError&) {  // a damaged one is not the best
    }
  }
  std::vector<fs::path> result;
  for (std::size_t i = 0; i + kKept < all.size(); ++i) {
    const bool milestone = keep.every > 0 && *steps_of(all[i]) % keep.every == 0;
    if (!milestone && all[i] != best_path) result.push_back(all[i]);
  }
  return result;
}

}  // namespace

fs::path complete_checkpoint(const fs::path& folder, std::int64_t steps) {
  return folder / fmt::format("step-{}", steps);
}

PartialCheckpoint::PartialCheckpoint(fs::path folder, std::int64_t steps)
    : folder_(std::move(folder)), partial_(folder_ / fmt::format("step-{}.part", steps)) {
  disk().remove(partial_);
  if (!disk().make_folder(partial_)) cannot_be_made(partial_);
}

PartialCheckpoint::~PartialCheckpoint() {
  if (!partial_.empty()) disk().remove(partial_);
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

void save_state(const std::string& state, const fs::path& into) {
  embedding::BlockWriter writer(into / "state", kStateKind);
  writer.write(std::as_bytes(std::span(state)));
  writer.finish();
}

std::string load_state(const fs::path& checkpoint) {
  std::string state;
  if (!fs::exists(checkpoint / "state")) return state;
  embedding::BlockReader reader(checkpoint / "state", kStateKind);
  for (std::vector<char> block; reader.read_block(block), !block.empty();)
    state.append(block.begin(), block.end());
  return state;
}

void PartialCheckpoint::complete(const TrainConfig& config, const CheckpointInfo& info,
                                 std::int64_t parameters, const Keep& keep) {
  const fs::path place = complete_checkpoint(folder_, info.steps);
  Json manifest{{"format", kFormat},
                {"steps", info.steps},
                {"samples", info.samples},
                {"servers", info.servers},
                {"sharding", info.division.plan.empty() ? static_cast<int>(info.division.all) : kPlanned},
                {"parameters", parameters},
                {"held_out_auc", info.auc && std::isfinite(*info.auc) ? Json(*info.auc) : Json()},
                {"fixed", json_of(fixed(config))},
                {"rates", json_of(rates(config))}};
  if (!info.division.plan.empty()) manifest["plan"] = json_of(info.division.plan);
  manifest["checksum"] = sum_of(manifest);
  write_file(partial_ / "manifest.json", write_json(manifest, 2) + "\n");
  if (!disk().replace_folder(partial_, place)) cannot_be_made(place);
  partial_.clear();
  disk().sync_folder(folder_);
  for (const fs::path& one : superfluous(checkpoints_in(folder_), keep)) disk().remove(one);
}

std::optional<fs::path> latest_checkpoint(const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder / "manifest.json", error)) return folder;
  const std::vector<fs::path> all = checkpoints_in(folder);
  if (all.empty()) return std::nullopt;
  return all.back();
}

void remove_partial_checkpoints(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> partial;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().filename().string().starts_with("step-") && entry.path().extension() == ".part")
      partial.push_back(entry.path());
  }
  for (const fs::path& one : partial) disk().remove(one);
}

std::optional<WholeCheckpoint> whole_checkpoint(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> all = checkpoint_folders(folder);  // one without a manifest is told of
  if (fs::exists(folder / "manifest.json", error)) all = {folder};
  WholeCheckpoint found;
  for (; !all.empty(); all.pop_back()) {
    try {
      const CheckpointInfo info = info_of(sound_manifest(all.back()));
      for (int server = 0; server < info.servers; ++server)
        embedding::check_blocks(rows_file(all.back(), server), kRowsKind);
      embedding::check_blocks(all.back() / "dense", kDenseKind);
      if (fs::exists(all.back() / "state")) embedding::check_blocks(all.back() / "state", kStateKind);
      found.path = all.back();
      return found;
    } catch (const UserError& damage) {
      found.damaged.emplace_back(damage.what());
    }
  }
  if (found.damaged.empty()) return std::nullopt;
  throw UserError(found.damaged.front(), "no checkpoint in the folder is whole");
}

CheckpointInfo read_manifest(const TrainConfig& config, const fs::path& checkpoint) {
  const fs::path file = checkpoint / "manifest.json";
  const Json manifest = sound_manifest(checkpoint);
  std::string differences;
  const auto shortened = [](const std::string& text) {
    constexpr std::size_t kMost = 60;  // tables are a long list
    return text.size() <= kMost ? text : text.substr(0, kMost) + "...";
  };
  for (const auto& [key, now] : fixed(config)) {
    if (!manifest["fixed"].contains(key) || manifest["fixed"][key] == now) continue;
    differences += fmt::format("{}{} was {}, is {}", differences.empty() ? "" : "; ", key,
                               shortened(manifest["fixed"][key].get<std::string>()), shortened(now));
  }
  if (!differences.empty())
    bad_manifest(file, "belongs to another run: " + differences,
                 "resume with the setup that the run started with");
  return info_of(manifest);
}

namespace {

// The number at the front of a text.
std::int64_t front_number(std::string_view text, const fs::path& file) {
  std::int64_t number = -1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  if (number < 0) bad_manifest(file, fmt::format("\"{}\" does not begin with a number", text));
  return number;
}

}  // namespace

data::Shape shape_of(const fs::path& checkpoint) {
  const fs::path file = checkpoint / "manifest.json";
  const Json manifest = sound_manifest(checkpoint);
  const Json& said = manifest["fixed"];
  if (!said.contains("dense_features") || !said.contains("tables"))
    bad_manifest(file, "does not say how many dense features the model takes",
                 "train one more step with --resume, which writes it again");
  data::Shape shape{.dense_features = front_number(said["dense_features"].get<std::string>(), file)};
  const std::string tables = said["tables"].get<std::string>();  // 1460x16-583x16
  for (std::size_t at = 0; at < tables.size(); at = std::min(tables.find('-', at), tables.size() - 1) + 1)
    shape.table_rows.push_back(front_number(std::string_view(tables).substr(at), file));
  return shape;
}

std::vector<std::string> changed_since(const TrainConfig& config, const fs::path& checkpoint) {
  const Json manifest = sound_manifest(checkpoint);
  std::vector<std::string> changes;
  for (const auto& [key, now] : rates(config)) {
    const std::string before = manifest["rates"].value(key, now);
    if (before != now) changes.push_back(fmt::format("{} was {}, is {} from now on", key, before, now));
  }
  return changes;
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
  validate(info.division, tables.config(), info.servers);
  if (info.servers == tables.share().count && info.division == tables.share().division) {
    embedding::BlockReader reader(rows_file(checkpoint, tables.share().index), kRowsKind);
    for (std::int64_t t = 0; t < count; ++t) reader.read(tables.all(t));
    reader.finish();
    return;
  }
  std::vector<float> part;
  const auto shares = embedding::all_shares(tables.config(), info.division, info.servers);
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
