// Traffic as lists of flows: the patterns that networks are judged by. All flows start at time 0.
#pragma once

#include <cstdint>
#include <vector>

#include "overture/base/words.h"
#include "overture/network/packet/run_flows.h"

namespace overture::network::packet {

// In which order a host sends to the others: to i+1, i+2, ..., so that no two meet; or to 0, 1, ..., all to
// the same.
enum class AllToAllOrder : std::uint8_t { rotated, naive };
constexpr auto vocabulary(AllToAllOrder) {
  return std::to_array<Word<AllToAllOrder>>({
      {AllToAllOrder::rotated, "rotated"},
      {AllToAllOrder::naive, "naive"},
  });
}

// Everyone to everyone within groups of `group` neighbours, which divides `hosts`.
std::vector<FlowSpec> all_to_all(int hosts, Bytes size, AllToAllOrder order = AllToAllOrder::rotated,
                                 int group = 0);
// Everyone to one other, in one random cycle through all hosts.
std::vector<FlowSpec> permutation(int hosts, Bytes size, std::uint64_t seed);
// Hosts 1 to `senders` to host 0.
std::vector<FlowSpec> incast(int senders, Bytes size);
// Everyone to the next.
std::vector<FlowSpec> ring(int hosts, Bytes size);

}  // namespace overture::network::packet
