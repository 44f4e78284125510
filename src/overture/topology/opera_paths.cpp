#include "overture/topology/opera_paths.h"

#include <algorithm>
#include <limits>

#include "overture/base/check.h"

namespace overture::topology {
namespace {

// Both ends of a circuit must work.
bool is_open(const Opera& opera, int slice, int tor, int uplink, const WorkingUplinks& works) {
  return !works || (works(tor, uplink) && works(opera.peer(slice, tor, uplink), uplink));
}

// Walks down the distances to `to`, low uplinks first, until enough paths are found.
class Walk {
 public:
  Walk(const Opera& opera, int slice, const SliceDistances& distances, int most, const WorkingUplinks& works)
      : opera_(opera), slice_(slice), distances_(distances), most_(most), works_(works) {}

  void from(int tor, int to, OperaPaths& paths) {
    found_ = 0;
    uplinks_.clear();
    step(tor, to, paths);
  }

 private:
  void step(int tor, int to, OperaPaths& paths) {
    if (tor == to) {
      paths.add_path(uplinks_);
      ++found_;
      return;
    }
    for (int uplink = 0; uplink < opera_.uplinks() && found_ < most_; ++uplink) {
      if (uplink == opera_.dark_rotor(slice_)) continue;
      const int next = opera_.peer(slice_, tor, uplink);
      if (distances_(next, to) < 0 || distances_(next, to) + 1 != distances_(tor, to)) continue;
      if (!is_open(opera_, slice_, tor, uplink, works_)) continue;
      uplinks_.push_back(static_cast<std::uint8_t>(uplink));
      step(next, to, paths);
      uplinks_.pop_back();
    }
  }

  const Opera& opera_;
  int slice_;
  const SliceDistances& distances_;
  int most_;
  const WorkingUplinks& works_;
  int found_ = 0;
  std::vector<std::uint8_t> uplinks_;
};

}  // namespace

SliceDistances::SliceDistances(const Opera& opera, int slice, const WorkingUplinks& works)
    : tors_(opera.tors()) {
  hops_.assign(static_cast<std::size_t>(tors_) * static_cast<std::size_t>(tors_), -1);
  for (int from = 0; from < tors_ && (connected_ || works); ++from) search(opera, slice, from, works);
}

void SliceDistances::search(const Opera& opera, int slice, int from, const WorkingUplinks& works) {
  std::int16_t* const hops = &hops_[static_cast<std::size_t>(from) * static_cast<std::size_t>(tors_)];
  std::vector<int> queue{from};
  hops[from] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const int tor = queue[i];
    for (int uplink = 0; uplink < opera.uplinks(); ++uplink) {
      if (uplink == opera.dark_rotor(slice)) continue;
      const int next = opera.peer(slice, tor, uplink);
      if (hops[next] >= 0 || !is_open(opera, slice, tor, uplink, works)) continue;
      hops[next] = static_cast<std::int16_t>(hops[tor] + 1);
      sum_ += hops[next];
      queue.push_back(next);
    }
  }
  worst_ = std::max<int>(worst_, hops[queue.back()]);
  connected_ = connected_ && static_cast<int>(queue.size()) == tors_;
}

OperaPaths::OperaPaths(const Opera& opera, int most, const WorkingUplinks& works) : tors_(opera.tors()) {
  check(opera.uplinks() <= std::numeric_limits<std::uint8_t>::max(), "an uplink fits in a byte");
  for (int slice = 0; slice < opera.slices(); ++slice) {
    const SliceDistances distances(opera, slice, works);
    Walk walk(opera, slice, distances, most, works);
    for (int from = 0; from < tors_; ++from) {
      for (int to = 0; to < tors_; ++to) {
        add_pair();
        if (from != to && distances(from, to) > 0) walk.from(from, to, *this);
      }
    }
  }
  finish();
}

void OperaPaths::add_path(std::span<const std::uint8_t> uplinks) {
  begin_.push_back(uplinks_.size());
  uplinks_.insert(uplinks_.end(), uplinks.begin(), uplinks.end());
}

void OperaPaths::finish() {
  add_pair();
  begin_.push_back(uplinks_.size());
}

}  // namespace overture::topology
