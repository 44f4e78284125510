// Finds out which links and flows are alike, so that max-min fairness is solved for a handful of classes
// instead of a million flows. It is colour refinement (Weisfeiler & Leman, 1968): links start alike if they
// have the same capacity, flows are alike if they take links that are alike, links stay alike as long as they
// carry as many flows of every class; repeated until nothing changes.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "overture/network/flow/flow_paths.h"
#include "overture/network/flow/flow_set.h"

namespace overture::network::flow {

class Symmetry {
 public:
  // `kind_of_link` tells links apart from the start. `ways` outlives the symmetry. For `tolerance` see
  // FlowConfig.
  Symmetry(const FlowPaths& ways, std::vector<std::uint32_t> kind_of_link, double tolerance);

  std::uint32_t link_classes() const { return static_cast<std::uint32_t>(size_.size()); }
  std::uint32_t class_of_link(std::uint32_t link) const { return class_[link]; }
  std::uint32_t size(std::uint32_t link_class) const { return size_[link_class]; }
  // A link of the same kind as those of the class.
  std::uint32_t example(std::uint32_t link_class) const { return example_[link_class]; }

  // Sorts the flows of `added` into classes and splits classes of links as far as they need it. True if it
  // did split: then all of `others`, covered before, have new classes too, each part of its parent. They are
  // asked for only in that case.
  using Others = std::function<std::vector<FlowSet*>()>;
  bool cover(FlowSet& added, const Others& others);

  // Forgets all splits; every set has to be covered anew.
  void reset();

 private:
  // A set that symmetry would sort into more classes than this is sorted less finely: loads are then averages
  // over links that are almost, but not quite, alike. A set of fewer flows is always exact.
  static constexpr std::uint32_t kMostClasses = 1000;
  // Classes of a set that links alone, split by other sets, would take beyond that: its flows all differ, and
  // any number of classes is an average.
  static constexpr std::uint32_t kAveragedClasses = 64;

  bool refine(std::span<FlowSet* const> sets, bool changed);
  bool tell_links_apart();
  static void sort_by_kind(FlowSet& set);
  void sort_flows(FlowSet& set);
  void sort_bounded(FlowSet& set);
  bool sort_flows(FlowSet& set, std::uint32_t link_classes, std::size_t most);
  bool split_links(FlowSet& set);
  void finish(FlowSet& set);

  static void order_by_class(FlowSet& set);
  void add_loads(const FlowSet& set, std::uint32_t flow_class);
  void add_known_loads(const FlowSet& set, std::uint32_t flow_class);
  void keep_loads(FlowSet& set);
  void load(std::uint32_t link, Share share);
  void find_peak(FlowSet& set);
  bool split_touched();
  std::uint64_t bundle_colour(std::uint32_t bundle, std::uint32_t link_classes, std::uint64_t version);
  std::uint32_t ancestor(std::uint32_t link_class, std::uint32_t link_classes) const;

  const FlowPaths& ways_;
  std::vector<std::uint32_t> kind_of_link_;
  double tolerance_;

  std::vector<std::uint32_t> class_;    // of every link
  std::vector<std::uint32_t> size_;     // of every class of links
  std::vector<std::uint32_t> example_;  // of every class of links
  std::vector<std::uint32_t> parent_;   // of every class of links: the one it was split from
  std::uint64_t version_ = 0;           // of the classes of links
  std::uint64_t versions_ = 0;          // so far

  // What follows is empty or zero between calls, except for its memory.
  std::vector<Share> load_;             // of every link by one class of flows
  std::vector<std::uint32_t> touched_;  // links with a load
  std::vector<Share> total_;            // of every link by the set
  std::vector<std::uint64_t> colour_;   // of every link: a hash of its loads by all classes of flows
  std::vector<std::uint32_t> coloured_;
  std::vector<std::uint32_t> in_bundle_;  // flows of one class in every bundle
  std::vector<std::uint32_t> used_bundles_;
  struct BundleColour {
    std::uint64_t version = 0;
    std::uint64_t colour = 0;
  };
  std::vector<BundleColour> bundle_colours_;
  std::vector<Share> class_load_;  // of every class of links
};

}  // namespace overture::network::flow
