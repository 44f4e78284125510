// Max-min fair rates by water-filling (Bertsekas & Gallager, Data Networks, 6.5.2): all rates rise together
// until a link is full; the flows through it stop, the others rise on. Knows no time and no topology.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "overture/network/flow/least_of.h"

namespace overture::network::flow {

// What each unit of a flow's rate takes from a link.
struct Use {
  std::uint32_t link = 0;
  double load = 1;
};

struct Demand {
  std::span<const Use> uses;  // each link at most once, loads above zero, at least one
  double weight = 1;          // rates rise in proportion to this
  double count = 1;           // so many times what it uses
};

class MaxMin {
 public:
  // `rates[i]` is the rate of `demands[i]` when link l carries at most `capacity[l]`. The same problem gives
  // the same bits.
  void solve(std::span<const double> capacity, std::span<const Demand> demands, std::vector<double>& rates);
  // Of the last solution: for every demand the full link that stopped it.
  std::uint32_t bottleneck(std::size_t demand) const { return bottlenecks_[demand]; }

 private:
  struct Link {
    double left = 0;    // capacity not yet given away
    double weight = 0;  // load of the flows that still rise
    std::uint32_t rising = 0;
    std::uint32_t first = 0;  // in users_
    double level() const { return left > 0 ? left / weight : 0; }
  };

  void prepare(std::span<const double> capacity, std::span<const Demand> demands);
  void fill(std::uint32_t link, double level, std::span<const Demand> demands, std::vector<double>& rates);

  // Kept from call to call, so that no memory is asked for once it is large enough.
  std::vector<Link> links_;
  std::vector<std::uint32_t> users_;  // demands by link
  std::vector<std::uint32_t> bottlenecks_;
  LeastOf levels_;  // of links with flows that rise, by link
};

}  // namespace overture::network::flow
