// Reads ASTRA-sim 2's files: network YAML, system JSON, remote memory JSON, groups JSON and the traces. Keys
// that its source does not read are an error here unless they are known to be idle; values that it would
// crash on are refused with the key.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "overture/astra2/config.h"
#include "overture/astra2/program.h"
#include "overture/formats/chakra/reader.h"

namespace overture::astra2 {

// The original's flags.
struct Files {
  std::string workload;
  std::string groups = "empty";
  std::string system;
  std::string network;
  std::string memory;
  int queues = 1;
  double injection_scale = 1;
  bool rendezvous = false;
};

// Throws UserError.
NetworkFile read_network(const std::string& file, bool congestion_aware);
SystemFile read_system(const std::string& file, double injection_scale);
MemoryFile read_memory(const std::string& file);
std::map<int, std::vector<int>> read_groups(const std::string& file, int npus);
Config read_config(const Files& files, bool congestion_aware);

// Of every NPU. Files with the same bytes share a program, so that thousands of equal NPUs cost one.
std::vector<std::shared_ptr<const Program>> read_programs(const std::string& prefix, int npus,
                                                          const chakra::ReadOptions& options = {});

// Process groups that metadata nodes of PyTorch's traces name, by number.
std::map<int, std::vector<int>> groups_of(const chakra::RankTrace& trace, int npus);

// What a user should know of a configuration that runs: such as dimensions that no algorithm covers.
std::vector<std::string> warnings(const Config& config);

}  // namespace overture::astra2
