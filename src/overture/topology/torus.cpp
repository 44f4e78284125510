#include "overture/topology/torus.h"

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::topology {
namespace {

struct Dimension {
  int size = 1;
  int rings = 1;  // side by side

  // Of two hosts, a ring has one cable, of one none.
  int ports() const { return size == 1 ? 0 : size == 2 ? rings : 2 * rings; }
};

// A router's ports: its host, then per dimension its rings upwards and, if they have more than two hosts,
// downwards.
class TorusRouting final : public Routing {
 public:
  TorusRouting(std::vector<Dimension> dimensions, int hosts)
      : dimensions_(std::move(dimensions)), hosts_(hosts) {}

  int port(int at, int to, const Pick& pick) const override {
    if (at < hosts_) return 0;
    const int destination = to;
    int here = at - hosts_;
    int port = 1;
    for (const Dimension& dimension : dimensions_) {
      const int size = dimension.size;
      const int ahead = (to % size - here % size + size) % size;
      if (ahead != 0) {
        const bool down = size > 2 && downwards(ahead, size, at, pick);
        return port + (down ? dimension.rings : 0) + ring(dimension.rings, destination, at, pick);
      }
      port += dimension.ports();
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

  static int ring(int rings, int destination, int at, const Pick& pick) {
    return rings == 1 ? 0 : pick.among(rings, destination % rings, at);
  }

  std::vector<Dimension> dimensions_;
  int hosts_;
};

std::vector<Dimension> dimensions_of(const TorusConfig& config) {
  if (!config.rings.empty() && config.rings.size() != config.sizes.size()) {
    throw UserError({.key = "rings"}, fmt::format("names {} dimensions, but sizes {}", config.rings.size(),
                                                  config.sizes.size()));
  }
  std::vector<Dimension> dimensions;
  for (std::size_t i = 0; i < config.sizes.size(); ++i) {
    const int rings = config.rings.empty() ? 1 : config.rings[i];
    if (rings < 1 || rings > 16) {
      throw UserError({.key = "rings"}, fmt::format("{} rings side by side are not possible", rings),
                      "1 to 16 along each dimension");
    }
    dimensions.push_back({.size = config.sizes[i], .rings = rings});
  }
  return dimensions;
}

int count_hosts(const TorusConfig& config) {
  if (config.sizes.empty()) throw UserError({.key = "sizes"}, "is empty", "such as [4, 4]");
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
  const std::vector<Dimension> dimensions = dimensions_of(config);
  std::vector<Link> links;
  for (int host = 0; host < hosts; ++host) {
    connect(links, host, hosts + host, config.local);
    int stride = 1;
    for (const Dimension& dimension : dimensions) {
      const int size = dimension.size;
      const int coordinate = host / stride % size;
      const auto connect_neighbour = [&](int step) {
        const int neighbour = hosts + host + ((coordinate + step + size) % size - coordinate) * stride;
        for (int ring = 0; ring < dimension.rings; ++ring)
          links.push_back({.from = hosts + host, .to = neighbour, .wire = config.ring});
      };
      if (size > 1) connect_neighbour(1);
      if (size > 2) connect_neighbour(-1);
      stride *= size;
    }
  }
  return {.graph = Graph(hosts, hosts, std::move(links), {"local", "ring"}),
          .routing = std::make_unique<TorusRouting>(dimensions, hosts)};
}

Topology TorusConfig::build() const { return torus(*this); }

}  // namespace overture::topology
