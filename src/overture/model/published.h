// The matrix of the Opera study (EuroMLSys 2024): which model, batch and feature size ran on how many nodes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "overture/model/dlrm.h"

namespace overture::model {

struct PublishedVariant {
  std::string model;    // A or I
  std::string variant;  // baseline, bs_1048576, bs_2097152, embdim_40, embdim_93
  std::int64_t batch = 0;
  std::int64_t columns = 0;

  DlrmShape shape() const;
};

// All eight, in the order of publication; each ran on all of published_nodes().
std::vector<PublishedVariant> published_variants();
std::vector<int> published_nodes();

// The networks that stood for so many nodes: Opera with `tors` of 2 * `hosts_per_tor` ports, a fat tree of k.
struct PublishedNetworks {
  int nodes = 0;
  int tors = 0;
  int hosts_per_tor = 0;
  int uplinks = 0;
  int fat_tree_k = 0;
};
// Throws UserError when the study has no such size.
PublishedNetworks published_networks(int nodes);

}  // namespace overture::model
