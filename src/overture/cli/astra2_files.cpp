#include "overture/cli/astra2_files.h"

#include "overture/base/error.h"
#include "overture/base/text.h"

namespace overture::cli {
namespace {

double number(const std::string& text, const std::string& flag) {
  const auto value = parse_number<double>(text);
  if (!value || !(*value >= 0) || *value > 1e9) throw UserError({.key = flag}, "must be a number from 0");
  return *value;
}

}  // namespace

void add_astra2_file_options(Command& command, Astra2Files& files) {
  command
      .required_option("--workload-configuration FILE", files.files.workload,
                       "Traces: PREFIX of PREFIX.0.et, PREFIX.1.et ..., or a name with %d")
      .required_option("--system-configuration FILE", files.files.system, "System file (JSON)")
      .required_option("--network-configuration FILE", files.files.network, "Network file (YAML)")
      .option("--remote-memory-configuration FILE", files.files.memory, "Remote memory file (JSON)")
      .option("--comm-group-configuration FILE", files.files.groups,
              "Group file (JSON); a name with \"empty\" is none")
      .option("--num-queues-per-dim", files.files.queues, "Queues per dimension")
      .option("--injection-scale NUMBER", files.injection_scale, "Multiplies the endpoint delay")
      .option("--rendezvous-protocol", files.files.rendezvous,
              "A message is sent only when its receiver is ready")
      .option("--comm-scale NUMBER", files.comm_scale, "Accepted; has no effect, as in the original")
      .option("--compute-scale NUMBER", files.compute_scale, "Accepted; has no effect, as in the original");
}

Astra2Run load_astra2(const Astra2Files& given, bool congestion_aware, const chakra::ReadOptions& options) {
  astra2::Files files = given.files;
  files.injection_scale = number(given.injection_scale, "--injection-scale");
  number(given.comm_scale, "--comm-scale");
  number(given.compute_scale, "--compute-scale");
  Astra2Run run{.config = astra2::read_config(files, congestion_aware)};
  run.programs = astra2::read_programs(files.workload, run.config.network.npus(), options);
  // Groups that the traces themselves name; those of the group file go first.
  for (const auto& program : {run.programs.front()}) {
    for (auto& [number, ranks] : astra2::groups_of(program->trace, run.config.network.npus()))
      run.config.groups.try_emplace(number, std::move(ranks));
  }
  return run;
}

}  // namespace overture::cli
