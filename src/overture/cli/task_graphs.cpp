#include "overture/cli/task_graphs.h"

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/workload/flexflow_graph.h"

namespace overture::cli {

using system::AlgorithmKind;

AlgorithmKind parse_all_reduce(const std::string& word, const std::string& key) {
  if (word == "ring") return AlgorithmKind::lockstep_ring;
  if (word == "dps") return AlgorithmKind::distributed_parameter_server;
  if (word == "ps") return AlgorithmKind::parameter_server;
  throw UserError({.key = key}, fmt::format("unknown all-reduce \"{}\"", word),
                  suggest(word, {"ring", "dps", "ps"}));
}

#ifdef OVERTURE_FLEXFLOW

workload::TaskGraph read_task_graph(const std::string& file, Bandwidth between_gpus) {
  // Each of 8 GPUs sends and receives an eighth.
  return workload::read_flexflow_graph(file,
                                       [=](Bytes size) { return transfer_time(size / 4, between_gpus); });
}

void write_task_graph(const workload::TaskGraph& graph, int gpus_per_node, const std::string& file) {
  write_file(file, workload::to_flexflow(graph, gpus_per_node));
}

#else

namespace {

[[noreturn]] void refuse(const std::string& file) {
  throw UserError({.file = file}, "this build reads and writes no task graphs of FlexFlow",
                  "install libflatbuffers-dev and flatbuffers-compiler, then configure and build again");
}

}  // namespace

workload::TaskGraph read_task_graph(const std::string& file, Bandwidth) { refuse(file); }
void write_task_graph(const workload::TaskGraph&, int, const std::string& file) { refuse(file); }

#endif

}  // namespace overture::cli
