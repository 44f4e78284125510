#include <memory>
#include <optional>

#include <fmt/format.h>

#include "overture/cli/commands.h"
#include "overture/lookahead/trace_run.h"
#include "overture/report/results_folder.h"

namespace overture::cli {
namespace {

struct LookaheadOptions {
  std::string trace;
  std::string out;
  std::string plan;
  bool overwrite = false;
  // As in the trace unless given.
  std::optional<int> lookahead;
  std::optional<int> prefetch_depth;
  std::optional<int> cleanup_interval;
  std::optional<int> capacity;
  std::optional<int> trainers;
};

int run(const LookaheadOptions& options) {
  const lookahead::TraceRunOptions changes{.lookahead = options.lookahead,
                                           .prefetch_depth = options.prefetch_depth,
                                           .cleanup_interval = options.cleanup_interval,
                                           .capacity = options.capacity,
                                           .trainers = options.trainers,
                                           .plan = options.plan};
  report::claim_results_folder(options.out,
                               {.kind = "lookahead", .setup_yaml = {}, .overwrite = options.overwrite});
  fmt::print("{}", lookahead::run_lookahead(options.trace, options.out, changes));
  return 0;
}

}  // namespace

void add_lookahead(Command& root) {
  auto options = std::make_shared<LookaheadOptions>();
  Command command =
      root.add("lookahead", "Plan the embedding cache for a small trace and write every decision");
  command.positional("trace", options->trace, "Trace (JSON); see docs/reference/lookahead.md")
      .required_option("-o,--out FOLDER", options->out,
                       "Folder for batches.csv, decisions.csv, ... totals.json")
      .flag("--overwrite", options->overwrite, "Replace another run in the folder")
      .option("--plan FILE", options->plan, "Also write the plan to this file, to be replayed")
      .option("--lookahead-value", options->lookahead, "Batches in the window, instead of the trace's")
      .option("--prefetch-depth N", options->prefetch_depth,
              "Number of batches by which a row may be fetched early")
      .option("--cleanup-interval", options->cleanup_interval, "Batches between clean-ups")
      .option("--cache-size N", options->capacity, "Rows that the cache holds")
      .option("--trainers N", options->trainers, "Trainers that share each batch")
      .examples(
          "  overture lookahead trace.json -o plan\n"
          "  overture lookahead trace.json -o plan --lookahead-value 20 \\\n"
          "    --cache-size 5000")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
