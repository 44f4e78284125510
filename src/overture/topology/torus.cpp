#include "overture/topology/torus.h"

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::topology {
namespace {

// A ring of two has one cable, of one none.
int ports_along(int size) { return size == 1 ? 0 : size == 2 ? 1 : 2; }

// A router's ports: its host, then per dimension upwards and, if the ring has more than two, downwards.
class TorusRouting final : public Routing {
 public:
  TorusRouting(std::vector<int> sizes, int hosts) : sizes_(std::move(sizes)), hosts_(hosts) {}

  int port(int at, int to, const Pick& pick) const override {
    if (at < hosts_) return 0;
    int here = at - hosts_;
    int port = 1;
    for (const int size : sizes_) {
      const int ahead = (to % size - here % size + size) % size;
      if (ahead != 0) return port + (size > 2 && downwards(ahead, size, at, pick) ? 1 : 0);
      port += ports_along(size);
      here /= size;
      to /= size;
    }
    return 0;
  }

 private:
  static bool downwards(int ahead, int size, int at, const Pick& pick) {
    if (2 * ahead == size) return pick.among(2, 0, at) == 1;
    return 2 * ahead > size;
  }

  std::vector<int> sizes_;
  int hosts_;
};

int count_hosts(const TorusConfig& config) {
  double hosts = 1;
  for (const int size : config.sizes) {
    if (size < 1) throw UserError("every dimension of a torus has at least one host");
    hosts *= size;
  }
  require_buildable("a torus", hosts * (1 + static_cast<double>(config.sizes.size())));
  return static_cast<int>(hosts);
}

}  // namespace

Topology torus(const TorusConfig& config) {
  const int hosts = count_hosts(config);
  std::vector<Link> links;
  for (int host = 0; host < hosts; ++host) {
    connect(links, host, hosts + host, config.local);
    int stride = 1;
    for (const int size : config.sizes) {
      const int coordinate = host / stride % size;
      const auto neighbour = [&](int step) {
        return hosts + host + ((coordinate + step + size) % size - coordinate) * stride;
      };
      if (size > 1) links.push_back({.from = hosts + host, .to = neighbour(1), .wire = config.ring});
      if (size > 2) links.push_back({.from = hosts + host, .to = neighbour(-1), .wire = config.ring});
      stride *= size;
    }
  }
  return {.graph = Graph(hosts, hosts, std::move(links), {"local", "ring"}),
          .routing = std::make_unique<TorusRouting>(config.sizes, hosts)};
}

Topology TorusConfig::build() const { return torus(*this); }

}  // namespace overture::topology
