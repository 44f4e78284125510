#include "overture/network/rotor/link_numbers.h"

#include <fmt/format.h>

namespace overture::network::rotor {

NetworkRecord named_links(const topology::Opera& opera, Bandwidth rate) {
  NetworkRecord record{.detail = NetworkRecord::Detail::queues,
                       .tiers = {"host to ToR", "ToR to host", "ToR to rotor", "rotor to ToR"}};
  const auto host = [](int i) { return fmt::format("h{}", i); };
  const auto tor = [](int i) { return fmt::format("ToR {}", i); };
  const auto rotor = [](int i) { return fmt::format("rotor {}", i); };
  const auto add = [&](const std::string& from, const std::string& to, std::size_t tier) {
    record.links.push_back({.from = from, .to = to, .tier = tier, .rate = rate, .total = {}});
  };
  for (int h = 0; h < opera.hosts(); ++h) add(host(h), tor(opera.tor_of(h)), 0);
  for (int h = 0; h < opera.hosts(); ++h) add(tor(opera.tor_of(h)), host(h), 1);
  for (const bool up : {true, false}) {
    for (int t = 0; t < opera.tors(); ++t) {
      for (int r = 0; r < opera.uplinks(); ++r) up ? add(tor(t), rotor(r), 2) : add(rotor(r), tor(t), 3);
    }
  }
  const LinkNumbers number(opera);
  for (int r = 0; r < opera.uplinks(); ++r) {
    NetworkRecord::Group& group = record.groups.emplace_back();
    group.name = rotor(r);
    for (int t = 0; t < opera.tors(); ++t)
      group.links.push_back(static_cast<std::size_t>(number.to_rotor(t, r)));
  }
  return record;
}

}  // namespace overture::network::rotor
