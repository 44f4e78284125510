// A small lookahead trace, written by hand or by a test: what a planner is told and the ids of every batch,
// as JSON (docs/reference/lookahead.md). Real data comes from data/.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "overture/lookahead/config.h"
#include "overture/lookahead/planner.h"

namespace overture::lookahead {

using TraceSample = std::vector<std::vector<std::int64_t>>;  // ids per table
using TraceBatch = std::vector<TraceSample>;

struct LookupTrace {
  std::string file;
  PlannerConfig config;
  std::vector<TraceBatch> batches;
};

// Throw UserError that names the file and the key.
LookupTrace parse_trace(std::string_view text, const std::string& file);
LookupTrace read_trace(const std::filesystem::path& path);

// Adds one batch. Its samples are dealt out to the trainers in equal blocks; a UserError when that is
// impossible.
void add_batch(Planner& planner, const TraceBatch& batch);

}  // namespace overture::lookahead
