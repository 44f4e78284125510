// Which links have to be looked at. A link in the middle of the network never slows a flow down if all that
// the hosts before it can send into it fits, or all that the hosts behind it can receive: as in a fat tree
// that is not oversubscribed and spreads its flows evenly. Of its forty links a flow then needs two.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "overture/network/flow/flow_set.h"

namespace overture::network::flow {

class NeededLinks {
 public:
  // Bytes a second of a class of links, always the same.
  using Capacity = std::function<double(std::uint32_t link_class)>;

  // Starts anew, with no flows. Without `capacity`, all links are needed.
  void reset(std::uint32_t link_classes, Capacity capacity);

  // These flows may run from now on. Calls `visit(link)` for each link that is needed now and was not before.
  template <class Visit>
  void add(const FlowClass& flows, Visit visit) {
    if (!capacity_) return;
    for (const Use& use : flows.uses) {
      if (needed_[use.link] || !becomes_needed(flows, use)) continue;
      needed_[use.link] = true;
      visit(use.link);
    }
  }

  bool needed(std::uint32_t link_class) const { return needed_[link_class]; }

 private:
  bool becomes_needed(const FlowClass& flows, const Use& use);

  // What hosts' links of some classes can bring onto a link: the most that each of their bytes does.
  struct Side {
    std::unordered_map<std::uint64_t, double> share;  // by link and the host's link; never iterated
    std::vector<double> total;                        // bytes a second, by link
  };
  void add(Side& side, std::uint32_t link, std::uint32_t host_link, double share);

  Capacity capacity_;
  std::vector<bool> needed_;
  std::array<Side, 2> sides_;  // what hosts send, what they receive
};

}  // namespace overture::network::flow
