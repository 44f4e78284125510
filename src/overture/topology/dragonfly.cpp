#include "overture/topology/dragonfly.h"

#include "overture/base/error.h"

namespace overture::topology {
namespace {

// Where global cable number `copy` between two groups ends. A group's global ports are counted through its
// routers; port k leads to the (k mod (groups - 1))-th other group.
struct Wiring {
  explicit Wiring(const DragonflyConfig& config)
      : groups(config.groups), routers(config.routers), global_links(config.global_links) {}

  int copies() const { return groups < 2 ? 0 : routers * global_links / (groups - 1); }
  // The global port of `group` for its cable to `other`.
  int port(int group, int other, int copy) const {
    return copy * (groups - 1) + (other < group ? other : other - 1);
  }
  int router(int port) const { return port / global_links; }

  int groups;
  int routers;
  int global_links;
};

// Nodes: hosts, then routers by group. A router's ports: its hosts, the other routers of its group in order,
// its global cables in order of their ports.
class DragonflyRouting final : public Routing {
 public:
  explicit DragonflyRouting(const DragonflyConfig& config)
      : wiring_(config),
        hosts_per_router_(config.hosts_per_router),
        first_router_(config.groups * config.routers * config.hosts_per_router) {}

  int port(int at, int to, const Pick& pick) const override {
    if (at < first_router_) return 0;
    const int router = at - first_router_;
    const int goal = to / hosts_per_router_;
    if (router == goal) return to % hosts_per_router_;
    const int group = router / wiring_.routers;
    const int own = router % wiring_.routers;
    if (group == goal / wiring_.routers) return local_port(own, goal % wiring_.routers);
    return towards(group, own, goal / wiring_.routers,
                   pick.among(wiring_.copies(), to % wiring_.copies(), at));
  }

 private:
  int local_port(int own, int other) const { return hosts_per_router_ + (other < own ? other : other - 1); }

  // Over this router's own cable to the other group, or to the router that has cable number `copy`.
  int towards(int group, int own, int other, int copy) const {
    for (int i = 0; i < wiring_.copies(); ++i) {
      const int port = wiring_.port(group, other, (copy + i) % wiring_.copies());
      if (wiring_.router(port) == own)
        return hosts_per_router_ + wiring_.routers - 1 + port % wiring_.global_links;
    }
    return local_port(own, wiring_.router(wiring_.port(group, other, copy)));
  }

  Wiring wiring_;
  int hosts_per_router_;
  int first_router_;
};

void require_sound(const DragonflyConfig& config) {
  if (config.groups < 1 || config.routers < 1 || config.hosts_per_router < 1 || config.global_links < 0)
    throw UserError("a dragonfly has at least one group, one router in it and one host per router");
  const double most = double{1} * config.routers * config.global_links + 1;
  if (config.groups > most)
    throw UserError(
        "a dragonfly has at most routers * global_links + 1 groups, one cable to each other group");
  const double routers = double{1} * config.groups * config.routers;
  require_buildable("a dragonfly", routers * (config.hosts_per_router + (config.routers - 1) / 2.0 +
                                              config.global_links / 2.0));
}

}  // namespace

Topology dragonfly(const DragonflyConfig& config) {
  require_sound(config);
  const Wiring wiring(config);
  const int routers = config.groups * config.routers;
  const int hosts = routers * config.hosts_per_router;
  const auto node = [&](int group, int router) { return hosts + group * config.routers + router; };
  std::vector<Link> links;
  for (int host = 0; host < hosts; ++host)
    connect(links, host, hosts + host / config.hosts_per_router, config.host);
  for (int group = 0; group < config.groups; ++group) {
    for (int one = 0; one < config.routers; ++one) {
      for (int other = one + 1; other < config.routers; ++other)
        connect(links, node(group, one), node(group, other), config.local);
    }
  }
  // By global port of the first group, so that a router's cables come in the order of its ports.
  const auto router_of = [&](int group, int other, int copy) {
    return node(group, wiring.router(wiring.port(group, other, copy)));
  };
  for (int copy = 0; copy < wiring.copies(); ++copy) {
    for (int group = 0; group < config.groups; ++group) {
      for (int other = group + 1; other < config.groups; ++other)
        connect(links, router_of(group, other, copy), router_of(other, group, copy), config.global);
    }
  }
  return {.graph = Graph(hosts, routers, std::move(links), {"host", "local", "global"}),
          .routing = std::make_unique<DragonflyRouting>(config)};
}

Topology DragonflyConfig::build() const { return dragonfly(*this); }

}  // namespace overture::topology
