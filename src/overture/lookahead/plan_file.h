// Plans on disk: written step by step while planning, replayed step by step without the planner or its data.
// The format is compact (about ten bytes a row), has a version, and every block has a checksum; it is the
// same on every machine. docs/reference/lookahead.md describes it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>

#include "overture/base/files.h"
#include "overture/base/whole_file.h"
#include "overture/lookahead/config.h"
#include "overture/lookahead/plan.h"

namespace overture::lookahead {

// Writes beside the target; only finish() puts the file in its place, so what stands there is complete.
class PlanWriter {
 public:
  // Throws UserError when the file cannot be written, as all of these do.
  PlanWriter(std::filesystem::path path, const PlannerConfig& config);
  void write(const StepPlan& plan);
  void finish();

 private:
  void write_block();

  WholeFile file_;
  std::string block_;  // used again for every step
};

class PlanReader {
 public:
  // Throws UserError when the file is missing, is no plan, has another version, is cut short or has been
  // damaged; so does next().
  explicit PlanReader(const std::filesystem::path& path);

  const PlannerConfig& config() const { return config_; }
  // Reads the next step into `plan`, whose memory is used again; false at the end.
  bool next(StepPlan& plan);

 private:
  void read(void* into, std::size_t size);
  void read_block();
  [[noreturn]] void fail(const std::string& what) const;

  std::string path_;
  File file_;
  std::uint64_t left_ = 0;  // bytes of the file not yet read
  std::string block_;
  PlannerConfig config_;
  std::int64_t steps_ = 0;
  bool ended_ = false;
};

}  // namespace overture::lookahead
