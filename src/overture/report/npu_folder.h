// What a run of ASTRA-sim 2's files leaves beside its log: tables per rank, per node name and per link, a
// trace of a few ranks and the page.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "overture/astra2/machine.h"

namespace overture::report {

// Collects what the nodes did; give observer() to the run.
class NpuRecorder {
 public:
  // `programs` outlive it.
  explicit NpuRecorder(const std::vector<std::shared_ptr<const astra2::Program>>& programs)
      : programs_(programs) {}
  astra2::NodeObserver observer();

  struct Interval {
    int npu;
    std::uint32_t node;
    std::int64_t start_ns;
    std::int64_t end_ns;
  };
  const std::vector<Interval>& intervals() const { return intervals_; }
  const std::vector<std::shared_ptr<const astra2::Program>>& programs() const { return programs_; }

 private:
  const std::vector<std::shared_ptr<const astra2::Program>>& programs_;
  std::vector<Interval> intervals_;
};

struct NpuRun {
  std::string name;
  std::string setup_yaml;  // the files it was made from
  const astra2::Config& config;
  const astra2::MachineResult& result;
  const NpuRecorder& recorder;
};

// Where the time went, in a sentence.
std::string npu_why(const NpuRun& run);

// The numbers of the whole run.
std::string npu_summary_json(const NpuRun& run);

// Makes the folder if need be; writes summary.json, setup.yaml, ranks.csv, layers.csv, operations.csv of runs
// small enough to look at, links.csv, trace.json.gz and report.html. Throws UserError.
void write_npu_folder(const NpuRun& run, const std::filesystem::path& folder, bool with_report = true);

}  // namespace overture::report
