#include "overture/topology/leaf_spine.h"

#include "overture/base/error.h"

namespace overture::topology {
namespace {

// Nodes: hosts, leaves, spines. A leaf's ports are its hosts, then the spines; a spine's the leaves.
class LeafSpineRouting final : public Routing {
 public:
  explicit LeafSpineRouting(const LeafSpineConfig& config)
      : config_(config),
        first_leaf_(config.leaves * config.hosts_per_leaf),
        first_spine_(first_leaf_ + config.leaves) {}

  int port(int at, int to, const Pick& pick) const override {
    const int leaf = leaf_of(config_, to);
    if (at < first_leaf_) return 0;
    if (at >= first_spine_) return leaf;
    if (at - first_leaf_ == leaf) return config_.rails ? to / config_.leaves : to % config_.hosts_per_leaf;
    return config_.hosts_per_leaf + pick.among(config_.spines, to % config_.spines, at);
  }

 private:
  LeafSpineConfig config_;
  int first_leaf_;
  int first_spine_;
};

}  // namespace

Topology leaf_spine(const LeafSpineConfig& config) {
  if (config.leaves < 1 || config.hosts_per_leaf < 1 || config.spines < 1) {
    throw UserError("a leaf-spine network has at least one leaf, one host per leaf and one spine");
  }
  require_buildable("a leaf-spine network",
                    static_cast<double>(config.leaves) * (double{1} * config.hosts_per_leaf + config.spines));
  const int hosts = config.leaves * config.hosts_per_leaf;
  std::vector<Link> links;
  for (int host = 0; host < hosts; ++host) connect(links, host, hosts + leaf_of(config, host), config.host);
  for (int leaf = 0; leaf < config.leaves; ++leaf) {
    for (int spine = 0; spine < config.spines; ++spine) {
      connect(links, hosts + leaf, hosts + config.leaves + spine, config.spine);
    }
  }
  return {.graph = Graph(hosts, config.leaves + config.spines, std::move(links), {"host", "spine"}),
          .routing = std::make_unique<LeafSpineRouting>(config)};
}

double oversubscription(const LeafSpineConfig& config) {
  return config.hosts_per_leaf * config.host.rate.bytes_per_ns() /
         (config.spines * config.spine.rate.bytes_per_ns());
}

LeafSpineConfig oversubscribed(LeafSpineConfig config, double ratio) {
  if (!(ratio > 0)) throw UserError("an oversubscription must be above 0");
  const double bits =
      static_cast<double>(config.host.rate.bits_per_second()) * config.hosts_per_leaf / config.spines / ratio;
  config.spine.rate = Bandwidth::bits_per_second(static_cast<std::int64_t>(bits));
  return config;
}

Topology LeafSpineConfig::build() const { return leaf_spine(*this); }

}  // namespace overture::topology
