// What a network says about a run: its links and what they carried, as a whole and over time if they were
// watched, what else it counted, and a digest. The same for every backend, so that reports need not know
// which one it was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "overture/base/units.h"
#include "overture/network/link_history.h"

namespace overture::network {

// Of one link since time 0. A backend leaves at 0 what it does not model.
struct LinkRecord {
  Bytes carried;
  Duration busy{};
  Bytes peak_queue;  // most that an accepted packet found ahead of it, the packet being sent included
  std::uint64_t drops = 0;
  std::uint64_t marks = 0;
  std::uint64_t trims = 0;
  std::uint64_t pauses = 0;  // times that the far end stopped a priority or class of this link
  Duration paused{};         // how long, added up over priorities or classes
};

struct NetworkRecord {
  // What the network models: how much goes over a link; queues before it; what happens to packets there.
  enum class Detail : std::uint8_t { load, queues, packets };
  struct Link {
    std::string from;
    std::string to;
    std::size_t tier = 0;
    Bandwidth rate = Bandwidth::bits_per_second(0);
    LinkRecord total;
  };
  // Links that belong together, beside the tiers; such as those of one rotor.
  struct Group {
    std::string name;
    std::vector<std::size_t> links;
  };
  struct Counter {
    std::string_view name;  // a literal, such as "timeouts"
    std::uint64_t value = 0;
  };

  Detail detail = Detail::load;
  std::vector<std::string> tiers;
  std::vector<Link> links;
  std::vector<Group> groups;
  LinkHistory history;  // by link as above; empty if the links were not watched
  Bytes delivered;      // payload, every byte once; of messages between different ranks
  std::vector<Counter> counters;
  // Messages that no path is left for: who sent them to whom, and what is down.
  std::vector<std::string> undelivered;
  std::uint64_t digest = 0;  // of all that happened: same inputs, same digest; 0 if the backend has none

  // 0 if there is no such counter.
  std::uint64_t count(std::string_view name) const;
};

}  // namespace overture::network
