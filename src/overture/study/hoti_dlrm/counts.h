// What a system sends for one all-reduce, counted message by message in a run of its own: how many, in which
// phases, how much inside of nodes and how much between them.
#pragma once

#include <string>
#include <vector>

#include "overture/study/hoti_dlrm/systems.h"

namespace overture::study::hoti {

struct AllReduceCounts {
  int gpus = 0;
  int gpus_per_node = 1;
  double messages_per_gpu = 0;  // sent, on average
  std::int64_t inside = 0;      // bytes of all GPUs
  std::int64_t between = 0;
  std::vector<std::string> phases;  // of the chunk, in order: "reduce_scatter on dimension 0"
};

// Of one chunk of `size`, by the system with some keys changed.
AllReduceCounts count_all_reduce(const SystemSetup& system, const std::vector<std::string>& keys, Bytes size);

}  // namespace overture::study::hoti
