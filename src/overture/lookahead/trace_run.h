// Plans a whole trace and writes what was decided: batches.csv, decisions.csv, evictions.csv, totals.json
// and, without a capacity, cleanup.csv. What `overture lookahead` does.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "overture/lookahead/plan_tables.h"
#include "overture/lookahead/trace.h"

namespace overture::lookahead {

// What the command line changes of the trace's own parameters.
struct TraceRunOptions {
  std::optional<std::int32_t> lookahead;
  std::optional<std::int32_t> prefetch_depth;
  std::optional<std::int32_t> cleanup_interval;
  std::optional<std::int64_t> capacity;
  std::optional<std::int32_t> trainers;
  std::filesystem::path plan;  // also write the plan here, to be replayed; empty for no
};

PlanTables plan_trace(const LookupTrace& trace, const std::filesystem::path& plan_file = {});

// Makes the folder. Throws UserError when the trace or the options make no sense or a file cannot be written.
// Returns the text of totals.json.
std::string run_lookahead(const std::filesystem::path& trace_path, const std::filesystem::path& out_dir,
                          const TraceRunOptions& options = {});

}  // namespace overture::lookahead
