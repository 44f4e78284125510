#include "overture/network/flow/symmetry.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "overture/base/hash.h"

namespace overture::network::flow {
namespace {

// Two different colours meet with a chance of 2^-64.
std::uint64_t mix(std::uint64_t a, std::uint64_t b) { return split_mix(a * kGoldenStep + split_mix(b + 1)); }

constexpr std::uint64_t kTotal = ~std::uint64_t{0};  // stands for all classes of flows together

}  // namespace

Symmetry::Symmetry(const FlowPaths& ways, std::vector<std::uint32_t> kind_of_link, double tolerance)
    : ways_(ways), kind_of_link_(std::move(kind_of_link)), tolerance_(tolerance) {
  load_.resize(kind_of_link_.size());
  total_.resize(kind_of_link_.size());
  colour_.resize(kind_of_link_.size());
  reset();
}

void Symmetry::reset() {
  class_ = kind_of_link_;
  const std::uint32_t kinds = class_.empty() ? 0 : 1 + *std::ranges::max_element(class_);
  size_.assign(kinds, 0);
  example_.assign(kinds, 0);
  for (std::uint32_t link = 0; link < class_.size(); ++link) {
    ++size_[class_[link]];
    example_[class_[link]] = link;
  }
  parent_.resize(kinds);
  std::iota(parent_.begin(), parent_.end(), 0);
  version_ = ++versions_;
}

bool Symmetry::cover(FlowSet& added, const Others& find_others) {
  sort_by_kind(added);
  const std::size_t kinds = added.classes_.size();
  // Links that carry different numbers of these flows are told apart in any case.
  bool changed = split_links(added);
  sort_bounded(added);
  changed |= added.averaged_ && tell_links_apart();
  if (!changed && added.classes_.size() == kinds) {  // looking again would find the same
    finish(added);
    return false;
  }
  const std::vector<FlowSet*> others = find_others();
  for (FlowSet* set : others) {
    for (std::uint32_t i = 0; i < set->classes_.size(); ++i) set->classes_[i].parent = i;
  }
  if (changed) std::ranges::for_each(others, [&](FlowSet* set) { sort_bounded(*set); });
  std::vector<FlowSet*> all{&added};
  all.insert(all.end(), others.begin(), others.end());
  std::erase_if(all, [](const FlowSet* set) { return set->averaged_; });
  while (!all.empty() && refine(all, changed)) changed = true;
  finish(added);
  if (changed) std::ranges::for_each(others, [&](FlowSet* set) { finish(*set); });
  return changed;
}

// Where flows all differ, so will the links, a few more with every set that comes: better all at once.
bool Symmetry::tell_links_apart() {
  if (size_.size() == class_.size()) return false;
  for (std::uint32_t link = 0; link < class_.size(); ++link) {
    const std::uint32_t whole = class_[link];
    if (size_[whole] == 1 || example_[whole] == link) continue;
    class_[link] = static_cast<std::uint32_t>(size_.size());
    --size_[whole];
    size_.push_back(1);
    example_.push_back(link);
    parent_.push_back(whole);
  }
  version_ = ++versions_;
  return true;
}

// One round. False if nothing has changed: no class needs to be split, or there would be too many. All but
// the first set have nothing to split as long as the links have not `changed`.
bool Symmetry::refine(std::span<FlowSet* const> sets, bool changed) {
  const bool may_grow =
      std::ranges::any_of(sets, [](const FlowSet* set) { return set->flows() > kMostClasses; });
  std::vector<FlowSet> before;
  auto links_before =
      may_grow ? std::tuple(class_, size_, example_) : decltype(std::tuple(class_, size_, example_)){};
  bool split = split_links(*sets[0]);
  for (std::size_t i = 1; i < sets.size() && (changed || split); ++i) split |= split_links(*sets[i]);
  if (!split) return false;
  bool too_many = false;
  for (FlowSet* set : sets) {
    if (may_grow) before.push_back(*set);
    const std::size_t limit = std::max<std::size_t>(kMostClasses, set->classes_.size());
    sort_flows(*set);
    too_many |= set->classes_.size() > limit;
    if (too_many) break;
  }
  if (!too_many) return true;
  for (std::size_t i = 0; i < before.size(); ++i) *sets[i] = std::move(before[i]);
  std::tie(class_, size_, example_) = std::move(links_before);
  parent_.resize(size_.size());
  version_ = ++versions_;
  return false;
}

void Symmetry::sort_by_kind(FlowSet& set) {
  set.classes_.clear();
  for (const std::uint32_t kind : set.class_of_) {
    if (kind >= set.classes_.size()) set.classes_.resize(kind + 1);
    set.classes_[kind].kind = kind;
    ++set.classes_[kind].flows;
  }
}

// New classes: flows of one old class whose links are of the same classes.
void Symmetry::sort_flows(FlowSet& set) { sort_flows(set, link_classes(), set.flows()); }

// The same, but where that would be too many classes, links count as what they were when fewer sets had split
// them: the earlier a split, the longer it counts. From then on the classes of the set stay as they are.
void Symmetry::sort_bounded(FlowSet& set) {
  if (set.averaged_) return;
  std::uint32_t telling = link_classes();
  if (sort_flows(set, telling, std::max<std::size_t>(kMostClasses, set.classes_.size()))) return;
  set.averaged_ = true;
  const std::size_t most = std::max<std::size_t>(kAveragedClasses, set.classes_.size());
  while (telling > 1 && !sort_flows(set, telling, most)) telling /= 2;
  keep_loads(set);
}

// With classes of links up to `link_classes`; later ones count as what they were split from. False, and
// nothing is changed, if these are more than `most` classes of flows.
bool Symmetry::sort_flows(FlowSet& set, std::uint32_t link_classes, std::size_t most) {
  std::unordered_map<std::uint64_t, std::uint32_t> known;
  std::vector<FlowClass> classes;
  std::vector<std::uint32_t> class_of(set.flows());
  const std::uint64_t version = link_classes == this->link_classes() ? version_ : ++versions_;
  const auto link_colour = [&](std::uint32_t link) {
    return link == kNoLink ? kTotal : std::uint64_t{ancestor(class_[link], link_classes)};
  };
  for (std::uint32_t i = 0; i < set.flows(); ++i) {
    const Way& way = set.ways_[i];
    const std::uint32_t flow_class = set.class_of_[i];
    const std::uint64_t colour =
        mix(mix(flow_class, link_colour(way.first)),
            mix(link_colour(way.last), bundle_colour(way.bundle, link_classes, version)));
    const auto [entry, added] = known.try_emplace(colour, static_cast<std::uint32_t>(classes.size()));
    if (added) {
      if (classes.size() == most) return false;
      const FlowClass& old = set.classes_[flow_class];
      classes.push_back({.kind = old.kind, .parent = old.parent});
    }
    class_of[i] = entry->second;
    ++classes[entry->second].flows;
  }
  set.class_of_ = std::move(class_of);
  set.classes_ = std::move(classes);
  return true;
}

std::uint32_t Symmetry::ancestor(std::uint32_t link_class, std::uint32_t link_classes) const {
  while (link_class >= link_classes && parent_[link_class] != link_class) link_class = parent_[link_class];
  return link_class;
}

std::uint64_t Symmetry::bundle_colour(std::uint32_t bundle, std::uint32_t link_classes,
                                      std::uint64_t version) {
  if (bundle >= bundle_colours_.size()) bundle_colours_.resize(ways_.bundles());
  BundleColour& known = bundle_colours_[bundle];
  if (known.version != version) {
    known = {.version = version, .colour = 0};
    for (const LinkShare& part : ways_.bundle(bundle)) {
      known.colour += mix(ancestor(class_[part.link], link_classes), static_cast<std::uint64_t>(part.share));
    }
  }
  return known.colour;
}

bool Symmetry::split_links(FlowSet& set) {
  order_by_class(set);
  if (set.peak_ == 0) find_peak(set);
  const Share quantum = std::max<Share>(1, static_cast<Share>(static_cast<double>(set.peak_) * tolerance_));
  const auto rounded = [&](Share share) {
    return static_cast<std::uint64_t>((share + quantum / 2) / quantum);
  };
  for (std::uint32_t flow_class = 0; flow_class < set.classes_.size(); ++flow_class) {
    add_loads(set, flow_class);
    for (const std::uint32_t link : touched_) {
      if (total_[link] == 0) coloured_.push_back(link);
      total_[link] += load_[link];
      if (const std::uint64_t amount = rounded(load_[link]); amount > 0) {
        colour_[link] += mix(flow_class, amount);
      }
      load_[link] = 0;
    }
    touched_.clear();
  }
  for (const std::uint32_t link : coloured_) {
    colour_[link] += mix(kTotal, rounded(total_[link]));
    total_[link] = 0;
  }
  return split_touched();
}

void Symmetry::order_by_class(FlowSet& set) {
  set.first_.assign(set.classes_.size() + 1, 0);
  for (std::uint32_t i = 0; i < set.classes_.size(); ++i) {
    set.first_[i + 1] = set.first_[i] + set.classes_[i].flows;
  }
  set.order_.resize(set.flows());
  std::vector<std::uint32_t> next(set.first_.begin(), set.first_.end() - 1);
  for (std::uint32_t i = 0; i < set.flows(); ++i) set.order_[next[set.class_of_[i]]++] = i;
}

void Symmetry::load(std::uint32_t link, Share share) {
  if (load_[link] == 0) touched_.push_back(link);
  load_[link] += share;
}

void Symmetry::add_loads(const FlowSet& set, std::uint32_t flow_class) {
  if (in_bundle_.size() < ways_.bundles()) in_bundle_.resize(ways_.bundles());
  for (const std::uint32_t flow : set.members(flow_class)) {
    const Way& way = set.ways_[flow];
    if (way.first != kNoLink) load(way.first, kWhole);
    if (way.last != kNoLink) load(way.last, kWhole);
    if (in_bundle_[way.bundle]++ == 0) used_bundles_.push_back(way.bundle);
  }
  for (const std::uint32_t bundle : used_bundles_) {
    for (const LinkShare& part : ways_.bundle(bundle)) load(part.link, part.share * in_bundle_[bundle]);
    in_bundle_[bundle] = 0;
  }
  used_bundles_.clear();
}

void Symmetry::add_known_loads(const FlowSet& set, std::uint32_t flow_class) {
  if (!set.averaged_) return add_loads(set, flow_class);
  for (const LinkShare& known : set.loads_[flow_class]) load(known.link, known.share);
}

void Symmetry::find_peak(FlowSet& set) {
  for (std::uint32_t flow_class = 0; flow_class < set.classes_.size(); ++flow_class)
    add_loads(set, flow_class);
  for (const std::uint32_t link : touched_) {
    set.peak_ = std::max(set.peak_, load_[link]);
    load_[link] = 0;
  }
  touched_.clear();
}

// Splits classes by the colours found. What was not touched keeps its class, else the first part does.
bool Symmetry::split_touched() {
  const auto key = [&](std::uint32_t link) { return std::tuple(class_[link], colour_[link], link); };
  std::ranges::sort(coloured_, {}, key);
  bool split = false;
  for (std::size_t begin = 0; begin < coloured_.size();) {
    const std::uint32_t whole = class_[coloured_[begin]];
    std::size_t end = begin;
    while (end < coloured_.size() && class_[coloured_[end]] == whole) ++end;
    bool keep = end - begin == size_[whole];
    for (std::size_t part = begin; part < end;) {
      std::size_t next = part;
      while (next < end && colour_[coloured_[next]] == colour_[coloured_[part]]) ++next;
      if (!keep) {
        split = true;
        const auto created = static_cast<std::uint32_t>(size_.size());
        for (std::size_t i = part; i < next; ++i) class_[coloured_[i]] = created;
        size_[whole] -= static_cast<std::uint32_t>(next - part);
        size_.push_back(static_cast<std::uint32_t>(next - part));
        example_.push_back(coloured_[part]);
        parent_.push_back(whole);
      }
      keep = false;
      part = next;
    }
    begin = end;
  }
  for (const std::uint32_t link : coloured_) colour_[link] = 0;
  coloured_.clear();
  if (split) version_ = ++versions_;
  return split;
}

void Symmetry::keep_loads(FlowSet& set) {
  order_by_class(set);
  for (std::uint32_t i = 0; i < set.classes_.size(); ++i) {
    add_loads(set, i);
    std::vector<LinkShare>& loads = set.loads_.emplace_back();
    for (const std::uint32_t link : touched_)
      loads.push_back({.link = link, .share = std::exchange(load_[link], 0)});
    touched_.clear();
  }
}

void FlowSet::forget() {
  for (std::uint32_t& flow_class : class_of_) flow_class = classes_[flow_class].kind;
  classes_.clear();
  averaged_ = false;
  loads_.clear();
}

void Symmetry::finish(FlowSet& set) {
  if (!set.averaged_) order_by_class(set);
  class_load_.resize(link_classes());
  std::vector<std::uint32_t> used;
  for (std::uint32_t flow_class = 0; flow_class < set.classes_.size(); ++flow_class) {
    add_known_loads(set, flow_class);
    for (const std::uint32_t link : touched_) {
      if (class_load_[class_[link]] == 0) used.push_back(class_[link]);
      class_load_[class_[link]] += load_[link];
      load_[link] = 0;
    }
    touched_.clear();
    std::ranges::sort(used);
    const Way& way = set.ways_[set.members(flow_class).front()];
    set.classes_[flow_class].first = way.first == kNoLink ? kNoLink : class_[way.first];
    set.classes_[flow_class].last = way.last == kNoLink ? kNoLink : class_[way.last];
    std::vector<Use>& uses = set.classes_[flow_class].uses;
    uses.clear();
    for (const std::uint32_t link_class : used) {
      const double mean =
          static_cast<double>(class_load_[link_class]) / static_cast<double>(kWhole) / size_[link_class];
      uses.push_back({.link = link_class, .load = mean});
      class_load_[link_class] = 0;
    }
    used.clear();
  }
}

}  // namespace overture::network::flow
