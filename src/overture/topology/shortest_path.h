// Routing on any graph: along shortest paths, counted in links, with all equal ways known. A table of one
// entry per node and host; regular topologies do better with arithmetic.
#pragma once

#include <cstdint>
#include <vector>

#include "overture/topology/routing.h"

namespace overture::topology {

class ShortestPathRouting final : public Routing {
 public:
  // Throws UserError when the table would not fit in memory. Hosts do not forward.
  explicit ShortestPathRouting(const Graph& graph);

  // By destination, equal ways are taken as `to mod their number`.
  int port(int at, int to, const Pick& pick) const override;

 private:
  std::vector<int> distances_to(const Graph& graph, int host,
                                const std::vector<std::vector<int>>& into) const;

  int hosts_;
  std::vector<std::uint32_t> first_;  // [node * hosts + host]: where its ports begin in ports_
  std::vector<std::uint16_t> ports_;
};

}  // namespace overture::topology
