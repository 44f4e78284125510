#include "overture/cli/training_ids.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "overture/base/text.h"
#include "overture/cli/progress.h"
#include "overture/setup/train_ids.h"

namespace overture::cli {
namespace {

// Reads the data, with a line that shows how far.
template <class Read>
auto while_reading(const char* what, const Read& read) {
  Progress progress(what, 0);
  auto result = read([&](std::int64_t samples) {
    progress.update(samples);
    return true;
  });
  progress.finish();
  return result;
}

void note_on_stderr(const std::string& note) { fmt::print(stderr, "note: {}\n", wrap(note, 80, 6)); }

}  // namespace

setup::TrainSetup with_ids(const setup::TrainSetup& setup, const TrainingAsked& asked) {
  if (!setup::needs_ids(setup)) return setup;
  setup::TrainSetup result = setup;
  const std::filesystem::path file = asked.folder / kIdsFile;
  result.data.ids = std::filesystem::absolute(file).string();
  if (asked.resume && std::filesystem::exists(file)) return result;
  const data::IdDictionary ids = while_reading(
      "collect ids, samples", [&](const auto& go_on) { return setup::collect_ids(setup, go_on); });
  ids.save(file);
  const std::string note = fmt::format(
      "{} is raw; each of its {} different ids got a row, and what is missing or unknown has row 0. "
      "{} keeps them for evaluate and predict; --max-ind-range 10M would hash them instead",
      setup.data.file, with_commas(ids.ids()), file.string());
  note_on_stderr(note);
  return result;
}

setup::TrainSetup with_rows(const setup::TrainSetup& setup) {
  const std::vector<std::int64_t> rows = while_reading(
      "count rows, samples", [&](const auto& go_on) { return setup::count_rows(setup, go_on); });
  setup::TrainSetup result = setup;
  result.tables.rows = fmt::format("{}", fmt::join(rows, "-"));
  note_on_stderr(fmt::format(
      "{} does not say how many rows its tables have; it was read once, and they have as many as its ids "
      "need. tables.rows (--arch-embedding-size) or `overture convert` save that",
      setup.data.file));
  return result;
}

}  // namespace overture::cli
