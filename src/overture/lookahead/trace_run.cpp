#include "overture/lookahead/trace_run.h"

#include <system_error>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/lookahead/plan_file.h"

namespace overture::lookahead {
namespace {

void apply(const TraceRunOptions& options, PlannerConfig& config) {
  config.lookahead = options.lookahead.value_or(config.lookahead);
  if (options.prefetch_depth) config.prefetch_depth = options.prefetch_depth;
  config.cleanup_interval = options.cleanup_interval.value_or(config.cleanup_interval);
  if (options.capacity) config.capacity = options.capacity;
  config.trainers = options.trainers.value_or(config.trainers);
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw UserError({.file = folder.string()}, "cannot be created: " + error.message());
}

}  // namespace

PlanTables plan_trace(const LookupTrace& trace, const std::filesystem::path& plan_file) {
  Planner planner(trace.config);
  PlanTables tables(trace.config);
  std::optional<PlanWriter> writer;
  if (!plan_file.empty()) writer.emplace(plan_file, trace.config);
  StepPlan plan;
  for (auto batch = trace.batches.begin(); !planner.done();) {
    while (!planner.next(plan)) {
      if (batch == trace.batches.end()) {
        planner.end_of_stream();
      } else {
        add_batch(planner, *batch++);
      }
    }
    tables.add(plan);
    if (writer) writer->write(plan);
  }
  if (writer) writer->finish();
  return tables;
}

std::string run_lookahead(const std::filesystem::path& trace_path, const std::filesystem::path& out_dir,
                          const TraceRunOptions& options) {
  LookupTrace trace = read_trace(trace_path);
  apply(options, trace.config);
  make_folder(out_dir);
  const PlanTables tables = plan_trace(trace, options.plan);
  write_file(out_dir / "batches.csv", tables.batches());
  write_file(out_dir / "decisions.csv", tables.decisions());
  write_file(out_dir / "evictions.csv", tables.evictions());
  if (trace.config.capacity) {
    std::error_code none;  // one of an earlier run would belong to another plan
    std::filesystem::remove(out_dir / "cleanup.csv", none);
  } else {
    write_file(out_dir / "cleanup.csv", tables.cleanup());
  }
  const std::string totals = tables.totals();
  write_file(out_dir / "totals.json", totals);
  return totals;
}

}  // namespace overture::lookahead
