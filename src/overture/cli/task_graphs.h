// FlexFlow's task graphs on the command line: read, where the build has flatbuffers, and refused with what to
// install where it has not.
#pragma once

#include <string>

#include "overture/workload/task_graph.h"

namespace overture::cli {

// "ring", "dps" or "ps". Throws UserError that names `key`.
system::AlgorithmKind parse_all_reduce(const std::string& word, const std::string& key);

// Parameters of a node with several GPUs are first reduced inside it, at `between_gpus`.
workload::TaskGraph read_task_graph(const std::string& file, Bandwidth between_gpus);
void write_task_graph(const workload::TaskGraph& graph, int gpus_per_node, const std::string& file);

}  // namespace overture::cli
