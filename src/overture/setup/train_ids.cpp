#include "overture/setup/train_ids.h"

#include <algorithm>

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::setup {

namespace {

// Something is said of where ids go, or there is no file.
bool says_where_ids_go(const TrainSetup& setup) {
  const TrainData& d = setup.data;
  return d.file.empty() || !d.ids.empty() || d.max_ind_range > 0 || !setup.tables.rows.empty();
}

using Take = std::function<void(const data::Batch&)>;

// All samples of a part of the data once, in the order of the file.
void read_once(const TrainSetup& setup, data::Part part, const Take& take,
               const std::function<bool(std::int64_t)>& go_on) {
  TrainSetup once = setup;
  once.data.epochs = 1;
  once.data.shuffle_block = 0;
  const auto source = open_train_data(once, part);
  std::int64_t samples = 0;
  for (data::Batch batch; source->next(batch);) {
    take(batch);
    samples += batch.samples;
    if (!go_on(samples)) break;
  }
}

std::vector<std::int64_t> rows_said(const TrainSetup& setup) {
  return open_train_data(setup, data::Part::all)->shape().table_rows;
}

}  // namespace

std::optional<data::Format> data_format(const TrainSetup& setup) {
  const TrainData& d = setup.data;
  if (d.file.empty()) return std::nullopt;
  if (!d.format.empty()) return data::parse_format(d.format, "data.format");
  return data::detect_format(std::filesystem::path(setup.file).parent_path() / d.file);
}

bool needs_ids(const TrainSetup& setup) {
  return !says_where_ids_go(setup) && data_format(setup) == data::Format::criteo;
}

data::IdDictionary collect_ids(const TrainSetup& setup, const std::function<bool(std::int64_t)>& go_on) {
  constexpr std::int64_t kMost = 400'000'000;  // 1.6 GB of ids
  data::IdCollector collector(rows_said(setup).size());
  const auto take = [&](const data::Batch& batch) {
    collector.add(batch);
    if (collector.held() > kMost)
      throw UserError({.file = setup.data.file}, fmt::format("has more than {} different ids", kMost),
                      "hash them into tables with --max-ind-range 10M");
  };
  read_once(setup, data::Part::train, take, go_on);
  return collector.finish();
}

bool needs_rows(const TrainSetup& setup) {
  if (says_where_ids_go(setup) || data_format(setup) == data::Format::criteo) return false;
  return std::ranges::count(rows_said(setup), 0) > 0;
}

std::vector<std::int64_t> count_rows(const TrainSetup& setup,
                                     const std::function<bool(std::int64_t)>& go_on) {
  std::vector<std::int64_t> rows = rows_said(setup);
  const auto take = [&](const data::Batch& batch) {
    for (std::size_t t = 0; t < rows.size(); ++t) {
      for (const std::int64_t id : batch.tables[t].ids) rows[t] = std::max(rows[t], id + 1);
    }
  };
  read_once(setup, data::Part::all, take, go_on);
  for (std::int64_t& one : rows) one = std::max<std::int64_t>(one, 1);  // nobody looks this table up
  return rows;
}

}  // namespace overture::setup
