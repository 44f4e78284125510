// The ways of Opera's low-latency packets: in every slice, the shortest paths over the circuits that last,
// that is without the rotor that goes dark. A path is the uplinks to take, one per hop.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "overture/topology/opera.h"

namespace overture::topology {

// Does an uplink of a ToR work, up to its rotor and down again? Empty: all do.
using WorkingUplinks = std::function<bool(int tor, int uplink)>;

// Hops between all pairs of ToRs in one slice.
class SliceDistances {
 public:
  SliceDistances(const Opera& opera, int slice, const WorkingUplinks& works = {});

  bool connected() const { return connected_; }
  int worst() const { return worst_; }
  std::int64_t sum() const { return sum_; }
  int operator()(int from, int to) const {
    return hops_[static_cast<std::size_t>(from) * static_cast<std::size_t>(tors_) +
                 static_cast<std::size_t>(to)];
  }

 private:
  void search(const Opera& opera, int slice, int from, const WorkingUplinks& works);

  int tors_;
  std::vector<std::int16_t> hops_;  // -1: not reached
  bool connected_ = true;
  int worst_ = 0;
  std::int64_t sum_ = 0;
};

class OperaPaths {
 public:
  using Path = std::span<const std::uint8_t>;  // uplinks from 0

  // Up to `most` shortest paths for every pair in every slice, those over low uplinks first.
  // Those over circuits that do not work are left out; a pair may then have none.
  OperaPaths(const Opera& opera, int most, const WorkingUplinks& works = {});

  // For files: paths are added slice by slice, from ToR by ToR, to ToR by ToR.
  explicit OperaPaths(int tors) : tors_(tors) {}
  void add_pair() { first_.push_back(static_cast<std::uint32_t>(begin_.size())); }  // then its paths
  void add_path(std::span<const std::uint8_t> uplinks);
  void finish();

  int count(int slice, int from, int to) const {
    const std::size_t pair = index(slice, from, to);
    return static_cast<int>(first_[pair + 1] - first_[pair]);
  }
  Path path(int slice, int from, int to, int number) const {
    const std::uint32_t at = first_[index(slice, from, to)] + static_cast<std::uint32_t>(number);
    return Path(uplinks_).subspan(begin_[at], begin_[at + 1] - begin_[at]);
  }

  friend bool operator==(const OperaPaths&, const OperaPaths&) = default;

 private:
  std::size_t index(int slice, int from, int to) const {
    const auto tors = static_cast<std::size_t>(tors_);
    return (static_cast<std::size_t>(slice) * tors + static_cast<std::size_t>(from)) * tors +
           static_cast<std::size_t>(to);
  }

  int tors_;
  std::vector<std::uint32_t> first_;  // per slice and pair: its first path
  std::vector<std::uint64_t> begin_;  // per path: its first hop
  std::vector<std::uint8_t> uplinks_;
};

}  // namespace overture::topology
