#include "overture/network/garnet/engine.h"

#include <algorithm>
#include <utility>

#include "overture/network/garnet/original_engine.h"
#include "overture/network/garnet/skipping_engine.h"

namespace overture::network::garnet {

Engine::Engine(const GarnetConfig& config, Arrived arrived)
    : fabric_(config),
      channels_(fabric_.channels()),
      routers_(fabric_.routers()),
      vcs_(config.vcs),
      all_vcs_(config.vcs * fabric_.vnets()),
      flits_per_packet_(config.flits_per_packet()),
      arrived_(std::move(arrived)),
      lanes_(static_cast<std::size_t>(fabric_.ranks() * fabric_.vnets())),
      packets_(lanes_.size() * static_cast<std::size_t>(vcs_)),
      requests_(channels_.size()),
      seen_(channels_.size() * static_cast<std::size_t>(fabric_.vnets())) {
  statistics_.packets_of_vnet.resize(static_cast<std::size_t>(fabric_.vnets()));
  for (const Router& router : routers_) busy_inputs_.emplace_back((router.in.size() + 63) / 64);
}

void Engine::send(std::int32_t message, int from, int to, int vnet, std::int64_t packets) {
  if (static_cast<std::size_t>(message) >= destination_.size())
    destination_.resize(static_cast<std::size_t>(message) + 1);
  destination_[static_cast<std::size_t>(message)] = to;
  lane(from, vnet).waiting.push({.message = message, .packets = packets});
  wake_interface(from);
}

void Engine::wake(int rank) {
  // An interface with nothing to inject has no use for it.
  for (int v = 0; v < fabric_.vnets(); ++v) {
    if (!lane(rank, v).waiting.empty()) return wake_interface(rank);
  }
}

std::unique_ptr<Engine> make_engine(const GarnetConfig& config, Engine::Arrived arrived) {
  const bool wide = std::max(config.local.width, config.package.width) > config.flit_width;
  if (config.original_order || wide) return std::make_unique<OriginalEngine>(config, std::move(arrived));
  return std::make_unique<SkippingEngine>(config, std::move(arrived));
}

}  // namespace overture::network::garnet
