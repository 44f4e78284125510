#include "overture/setup/train_ids.h"

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::setup {

bool needs_ids(const TrainSetup& setup) {
  const TrainData& d = setup.data;
  if (d.file.empty() || !d.ids.empty() || d.max_ind_range > 0 || !setup.tables.rows.empty()) return false;
  const auto file = std::filesystem::path(setup.file).parent_path() / d.file;
  const data::Format format =
      d.format.empty() ? data::detect_format(file) : data::parse_format(d.format, "data.format");
  return format == data::Format::criteo;
}

data::IdDictionary collect_ids(const TrainSetup& setup, const std::function<bool(std::int64_t)>& go_on) {
  constexpr std::int64_t kMost = 400'000'000;  // 1.6 GB of ids
  TrainSetup once = setup;
  once.data.epochs = 1;
  once.data.shuffle_block = 0;
  const auto source = open_train_data(once, data::Part::train);
  data::IdCollector collector(source->shape().tables());
  data::Batch batch;
  std::int64_t samples = 0;
  while (source->next(batch)) {
    collector.add(batch);
    samples += batch.samples;
    if (!go_on(samples)) break;
    if (collector.held() > kMost)
      throw UserError({.file = setup.data.file}, fmt::format("has more than {} different ids", kMost),
                      "hash them into tables with --max-ind-range 10M");
  }
  return collector.finish();
}

}  // namespace overture::setup
