#include "overture/formats/chakra/node.h"

namespace overture::chakra {

std::string_view name(NodeKind kind) {
  switch (kind) {
    case NodeKind::invalid: return "invalid";
    case NodeKind::metadata: return "metadata";
    case NodeKind::memory_load: return "memory load";
    case NodeKind::memory_store: return "memory store";
    case NodeKind::compute: return "compute";
    case NodeKind::send: return "send";
    case NodeKind::receive: return "receive";
    case NodeKind::collective: return "collective";
  }
  return "of a newer kind";
}

std::string_view name(Collective kind) {
  switch (kind) {
    case Collective::all_reduce: return "all_reduce";
    case Collective::reduce: return "reduce";
    case Collective::all_gather: return "all_gather";
    case Collective::gather: return "gather";
    case Collective::scatter: return "scatter";
    case Collective::broadcast: return "broadcast";
    case Collective::all_to_all: return "all_to_all";
    case Collective::reduce_scatter: return "reduce_scatter";
    case Collective::reduce_scatter_block: return "reduce_scatter_block";
    case Collective::barrier: return "barrier";
  }
  return "unknown collective";
}

std::size_t RankTrace::memory() const {
  return nodes.capacity() * sizeof(Node) + parents.capacity() * sizeof(std::uint32_t) + names.capacity() +
         extras.capacity() + metadata.capacity();
}

Dependents dependents_of(const RankTrace& trace) {
  Dependents all{.missing = std::vector<std::uint32_t>(trace.nodes.size()),
                 .children = std::vector<std::vector<std::uint32_t>>(trace.nodes.size()),
                 .ready = {}};
  for (std::uint32_t n = 0; n < trace.nodes.size(); ++n) {
    all.missing[n] = trace.nodes[n].parents;
    for (const std::uint32_t parent : trace.parents_of(trace.nodes[n])) all.children[parent].push_back(n);
    if (all.missing[n] == 0) all.ready.push_back(n);
  }
  return all;
}

}  // namespace overture::chakra
