#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/interrupt.h"
#include "overture/base/text.h"
#include "overture/base/whole_file.h"
#include "overture/cli/bad_rows.h"
#include "overture/cli/commands.h"
#include "overture/cli/evaluation.h"
#include "overture/cli/progress.h"
#include "overture/setup/trained_model.h"
#include "overture/train/dense/loss.h"

namespace overture::cli {
namespace {

struct PredictOptions {
  std::string folder;
  std::string checkpoint;
  std::string data;
  std::string out;
};

int run(const PredictOptions& options) {
  const setup::TrainedModel model = setup::open_trained(options.folder, options.checkpoint);
  for (const std::string& damage : model.damaged) fmt::print(stderr, "warning: {}\n", damage);
  const auto source = setup::open_other_data(model, options.data);
  std::error_code different;
  if (std::filesystem::equivalent(options.data, options.out, different))
    throw UserError({.key = "--out"}, options.out + " is also the data", "write to another file");
  const Predict predicted =
      naming_the_file([&](const data::Batch& batch) { return model.training->predict(batch); }, options.data);
  const Interrupt interrupt;
  WholeFile file(options.out);
  file.write("sample,score\n");
  Progress progress("samples", 0);
  std::int64_t sample = 0;
  for (data::Batch batch; !Interrupt::requested() && source->next(batch);) {
    std::string lines;
    for (const float logit : predicted(batch))
      lines += fmt::format("{},{:.9g}\n", sample++, train::sigmoid(logit));
    file.write(lines);
    if (progress.due()) progress.update({.done = sample, .share = share_read(*source)});
  }
  progress.finish();
  file.close();
  print_bad_rows(source->reader().bad_rows());
  const bool interrupted = Interrupt::requested();
  fmt::print("{} samples{}\nscores: {}\n", with_commas(sample),
             interrupted ? "; the others have no scores" : "", options.out);
  return interrupted ? kInterrupted : 0;
}

}  // namespace

void add_predict(Command& root) {
  auto options = std::make_shared<PredictOptions>();
  Command command = root.add("predict", "Predict the probability of a click for every sample");
  command.positional("results", options->folder, "Folder that `overture train` wrote")
      .required_option("--data FILE", options->data, "Samples, in any format that `overture train` reads")
      .required_option("--out FILE", options->out, "CSV file to write: sample,score")
      .option("--checkpoint NAME", options->checkpoint, "Checkpoint to use (default: the newest)")
      .examples("  overture predict results/train --data day_23.tsv.gz --out scores.csv")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
