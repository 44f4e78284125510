// The links of a graph as they are named in records.
#pragma once

#include "overture/network/record.h"
#include "overture/topology/graph.h"

namespace overture::network {

// Ends, tiers and rates; nothing was carried yet.
NetworkRecord named_links(const topology::Graph& graph, NetworkRecord::Detail detail);

}  // namespace overture::network
