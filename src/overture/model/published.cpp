#include "overture/model/published.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::model {
namespace {

constexpr std::array kNetworks{
    PublishedNetworks{.nodes = 16, .tors = 4, .hosts_per_tor = 4, .uplinks = 4, .fat_tree_k = 4},
    PublishedNetworks{.nodes = 128, .tors = 32, .hosts_per_tor = 4, .uplinks = 4, .fat_tree_k = 8},
    PublishedNetworks{.nodes = 1024, .tors = 128, .hosts_per_tor = 8, .uplinks = 8, .fat_tree_k = 16}};

}  // namespace

DlrmShape PublishedVariant::shape() const {
  DlrmShape shape = published_model(model);
  shape.columns = columns;
  return shape;
}

std::vector<PublishedVariant> published_variants() {
  return {{"A", "baseline", 524'288, 80},     {"I", "baseline", 524'288, 92},
          {"A", "bs_1048576", 1'048'576, 80}, {"I", "bs_1048576", 1'048'576, 92},
          {"A", "bs_2097152", 2'097'152, 80}, {"I", "bs_2097152", 2'097'152, 92},
          {"A", "embdim_40", 524'288, 40},    {"A", "embdim_93", 524'288, 93}};
}

std::vector<int> published_nodes() {
  std::vector<int> nodes;
  for (const PublishedNetworks& networks : kNetworks) nodes.push_back(networks.nodes);
  return nodes;
}

PublishedNetworks published_networks(int nodes) {
  const auto found = std::ranges::find(kNetworks, nodes, &PublishedNetworks::nodes);
  if (found == kNetworks.end()) {
    throw UserError(fmt::format("the study has no networks of {} nodes", nodes), "it has 16, 128 and 1024");
  }
  return *found;
}

}  // namespace overture::model
