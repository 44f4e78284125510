// FlexFlow's task graphs (`.tg`, flatbuffers), read into a TaskGraph and written from one. Such a file knows
// forward and backward tasks, messages between nodes and all-reduces; by which algorithm a parameter is
// reduced is not in it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "overture/workload/task_graph.h"

namespace overture::formats {

// How long a node needs to reduce `size` bytes among its GPUs, before the nodes do.
using ReductionInNode = std::function<Duration(Bytes size)>;

// Every node is one rank. Throws UserError, naming `file`, when the bytes are no task graph, or one that
// names tasks, devices or nodes that it does not have, or has kinds of tasks that the study's graphs never
// do.
workload::TaskGraph parse_flexflow_graph(std::string_view bytes, const std::string& file,
                                         const ReductionInNode& in_node);
workload::TaskGraph read_flexflow_graph(const std::filesystem::path& path, const ReductionInNode& in_node);

// Times become floats of milliseconds, as the format has it. Throws UserError when something waits for an
// all-reduce, which the format cannot tell.
std::string to_flexflow(const workload::TaskGraph& graph, int gpus_per_node);

}  // namespace overture::formats
