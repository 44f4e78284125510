// The dragonfly (Kim, Dally, Scott and Abts, ISCA 2008): groups of routers, all routers of a group wired to
// each other, and every two groups joined by global cables. A packet takes at most one global cable.
#pragma once

#include "overture/topology/routing.h"

namespace overture::topology {

struct DragonflyConfig {
  static constexpr std::string_view kKey = "dragonfly";
  static constexpr std::string_view kHelp =
      "Groups of routers, every two joined by global cables (ISCA 2008)";

  int groups = 9;            // at most routers * global_links + 1
  int routers = 4;           // of a group
  int hosts_per_router = 2;  // balanced: half of `routers`, as are the global links
  int global_links = 2;      // of a router
  Wire host{
      .rate = Bandwidth::bits_per_second(100'000'000'000), .delay = std::chrono::nanoseconds(500), .tier = 0};
  Wire local{
      .rate = Bandwidth::bits_per_second(100'000'000'000), .delay = std::chrono::nanoseconds(500), .tier = 1};
  Wire global{
      .rate = Bandwidth::bits_per_second(100'000'000'000), .delay = std::chrono::microseconds(1), .tier = 2};

  Topology build() const;

  template <class V>
  static void keys(V& v, DragonflyConfig& c) {
    v.from("ours: the paper's balanced dragonfly, small");
    v.field("groups", c.groups, "Groups; at most routers * global_links + 1");
    v.field("routers", c.routers, "Routers of a group; each has a cable to every other one");
    v.field("hosts_per_router", c.hosts_per_router, "Hosts on each router");
    v.field("global_links", c.global_links, "Links of a router to other groups");
    describe(v, "host", c.host, "Link from host to router");
    describe(v, "local", c.local, "Link between two routers of a group");
    describe(v, "global", c.global, "Link between two groups");
  }
};

// Minimal routing: to a router of the group with a cable to the other group, over it, and on to the
// destination's router. Where two groups share several cables, the pick chooses; a router with such a cable
// of its own takes it. With fewer groups than the cables could join, every pair has equally many; those left
// over are not built.
Topology dragonfly(const DragonflyConfig& config);

}  // namespace overture::topology
