#include "overture/network/packet/patterns.h"

#include <numeric>
#include <utility>

#include "overture/base/check.h"
#include "overture/base/random.h"

namespace overture::network::packet {

std::vector<FlowSpec> all_to_all(int hosts, Bytes size, AllToAllOrder order, int group) {
  if (group == 0) group = hosts;
  check(group > 0 && hosts % group == 0, "groups divide the hosts");
  std::vector<FlowSpec> flows;
  const bool rotated = order == AllToAllOrder::rotated;
  for (int step = rotated ? 1 : 0; step < group; ++step) {
    for (int host = 0; host < hosts; ++host) {
      const int first = host / group * group;
      const int to = first + (rotated ? (host - first + step) % group : step);
      if (to != host) flows.push_back({.from = Rank{host}, .to = Rank{to}, .size = size});
    }
  }
  return flows;
}

std::vector<FlowSpec> permutation(int hosts, Bytes size, std::uint64_t seed) {
  std::vector<int> order(static_cast<std::size_t>(hosts));
  std::iota(order.begin(), order.end(), 0);
  RandomStream random = RandomStreams(seed).make("permutation");
  for (std::size_t left = order.size(); left > 1; --left)
    std::swap(order[left - 1], order[random.below(left)]);
  std::vector<FlowSpec> flows;
  for (std::size_t i = 0; i < order.size(); ++i) {
    flows.push_back({.from = Rank{order[i]}, .to = Rank{order[(i + 1) % order.size()]}, .size = size});
  }
  return flows;
}

std::vector<FlowSpec> incast(int senders, Bytes size) {
  std::vector<FlowSpec> flows;
  for (int host = 1; host <= senders; ++host)
    flows.push_back({.from = Rank{host}, .to = Rank{0}, .size = size});
  return flows;
}

std::vector<FlowSpec> ring(int hosts, Bytes size) {
  std::vector<FlowSpec> flows;
  for (int host = 0; host < hosts; ++host) {
    flows.push_back({.from = Rank{host}, .to = Rank{(host + 1) % hosts}, .size = size});
  }
  return flows;
}

}  // namespace overture::network::packet
