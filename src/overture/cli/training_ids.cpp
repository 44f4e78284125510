#include "overture/cli/training_ids.h"

#include <fmt/format.h>

#include "overture/base/text.h"
#include "overture/cli/progress.h"
#include "overture/setup/train_ids.h"

namespace overture::cli {

setup::TrainSetup with_ids(const setup::TrainSetup& setup, const TrainingAsked& asked) {
  if (!setup::needs_ids(setup)) return setup;
  setup::TrainSetup result = setup;
  const std::filesystem::path file = asked.folder / kIdsFile;
  result.data.ids = std::filesystem::absolute(file).string();
  if (asked.resume && std::filesystem::exists(file)) return result;
  Progress progress("collect ids, samples", 0);
  const data::IdDictionary ids = setup::collect_ids(setup, [&](std::int64_t samples) {
    progress.update(samples);
    return true;
  });
  progress.finish();
  ids.save(file);
  const std::string note = fmt::format(
      "{} is raw; each of its {} different ids got a row, and what is missing or unknown has row 0. "
      "{} keeps them for evaluate and predict; --max-ind-range 10M would hash them instead",
      setup.data.file, with_commas(ids.ids()), file.string());
  fmt::print(stderr, "note: {}\n", wrap(note, 80, 6));
  return result;
}

}  // namespace overture::cli
