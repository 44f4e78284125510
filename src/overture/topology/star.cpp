#include "overture/topology/star.h"

namespace overture::topology {
namespace {

class StarRouting final : public Routing {
 public:
  explicit StarRouting(int hosts) : hub_(hosts) {}
  int port(int at, int to, const Pick&) const override { return at == hub_ ? to : 0; }

 private:
  int hub_;
};

}  // namespace

Topology star(const StarConfig& config) {
  require_buildable("a star", config.hosts);
  std::vector<Link> links;
  for (int host = 0; host < config.hosts; ++host) connect(links, host, config.hosts, config.wire);
  return {.graph = Graph(config.hosts, 1, std::move(links), {"host"}),
          .routing = std::make_unique<StarRouting>(config.hosts)};
}

Topology StarConfig::build() const { return star(*this); }

}  // namespace overture::topology
