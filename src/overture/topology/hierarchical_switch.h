// Machines of several GPUs: a fast switch inside each node, NICs (one per GPU, or a few per node) and any
// other topology between the NICs. Host ids are GPUs, node by node.
#pragma once

#include "overture/topology/routing.h"

namespace overture::topology {

struct HierarchicalSwitchConfig {
  int gpus_per_node = 8;
  // As many NICs as GPUs: each GPU has its own, which its traffic to other nodes takes. Fewer: they hang on
  // the node's switch and serve all.
  int nics_per_node = 8;
  // NVLink 3: 300 GB/s each way per GPU.
  Wire inside{.rate = Bandwidth::bits_per_second(2'400'000'000'000),
              .delay = std::chrono::nanoseconds(100),
              .tier = 0};
  // From GPU or node switch to NIC: PCIe 4.0 x16, 32 GB/s.
  Wire pcie{
      .rate = Bandwidth::bits_per_second(256'000'000'000), .delay = std::chrono::nanoseconds(100), .tier = 1};
};

// `scale_out` connects the NICs, which are its hosts: nodes x nics_per_node of them. Its tiers keep their
// names and come after "inside" and "pcie".
Topology hierarchical_switch(const HierarchicalSwitchConfig& config, Topology scale_out);

}  // namespace overture::topology
