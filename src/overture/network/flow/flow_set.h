// Flows that start together, sorted into classes: the flows of a class take links of the same classes, so
// they always have the same rate and one number stands for all of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "overture/network/flow/flow_paths.h"
#include "overture/network/flow/max_min.h"

namespace overture::network::flow {

struct FlowClass {
  std::vector<Use> uses;  // in order of classes of links: what a unit of rate of every flow takes from each
  std::uint32_t flows = 0;
  std::uint32_t kind = 0;         // as the caller told
  std::uint32_t parent = 0;       // the class that these flows were in before the last change
  std::uint32_t first = kNoLink;  // classes of their hosts' links, if these have but one
  std::uint32_t last = kNoLink;
};

// What `uses` say of a link; null if nothing.
inline const Use* use_of(const std::vector<Use>& uses, std::uint32_t link) {
  const auto found = std::ranges::lower_bound(uses, link, {}, &Use::link);
  return found != uses.end() && found->link == link ? &*found : nullptr;
}

class FlowSet {
 public:
  // Flows of different kinds (of size or delay, say) are never put into one class.
  void add(const Way& way, std::uint32_t kind) {
    ways_.push_back(way);
    class_of_.push_back(kind);
  }

  std::uint32_t flows() const { return static_cast<std::uint32_t>(ways_.size()); }
  // What follows holds once the set is covered (symmetry.h).
  const std::vector<FlowClass>& classes() const { return classes_; }
  // The flows of a class, numbered in the order of add().
  std::span<const std::uint32_t> members(std::uint32_t flow_class) const {
    return std::span(order_).subspan(first_[flow_class], classes_[flow_class].flows);
  }
  // Back to what it was before it was covered.
  void forget();

 private:
  friend class Symmetry;

  std::vector<Way> ways_;
  std::vector<std::uint32_t> class_of_;  // before the set is covered: the kind
  std::vector<FlowClass> classes_;
  std::vector<std::uint32_t> order_;  // flows by class
  std::vector<std::uint32_t> first_;  // of every class in order_
  Share peak_ = 0;                    // load of the most loaded link; 0: not known yet
  bool averaged_ = false;             // flows of a class may take links that are not alike; classes stay
  std::vector<std::vector<LinkShare>> loads_;  // if so: of links, by class of flows
};

}  // namespace overture::network::flow
