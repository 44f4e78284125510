#include "overture/network/garnet/engine.h"

#include <algorithm>
#include <utility>

#include "overture/base/check.h"
#include "overture/network/garnet/astra_fabric.h"
#include "overture/network/garnet/original_engine.h"
#include "overture/network/garnet/skipping_engine.h"

namespace overture::network::garnet {

GarnetEngine::GarnetEngine(std::unique_ptr<GarnetFabric> fabric, const EngineSettings& settings,
                           Arrived arrived)
    : fabric_(std::move(fabric)),
      channels_(fabric_->channels()),
      routers_(fabric_->routers()),
      vcs_(fabric_->vcs()),
      all_vcs_(fabric_->vcs() * fabric_->vnets()),
      settings_(settings),
      arrived_(std::move(arrived)),
      lanes_(static_cast<std::size_t>(fabric_->ranks() * fabric_->lanes())),
      packets_(lanes_.size() * static_cast<std::size_t>(vcs_)),
      requests_(channels_.size()),
      seen_(channels_.size() * static_cast<std::size_t>(fabric_->vnets())) {
  statistics_.packets_of_vnet.resize(static_cast<std::size_t>(fabric_->vnets()));
  for (const Router& router : routers_) busy_inputs_.emplace_back((router.in.size() + 63) / 64);
}

void GarnetEngine::send(std::int32_t message, int from, int to, int lane_number, const PacketCount& count) {
  if (static_cast<std::size_t>(message) >= destination_.size())
    destination_.resize(static_cast<std::size_t>(message) + 1);
  destination_[static_cast<std::size_t>(message)] = to;
  const std::int32_t last = count.last_flits > 0 ? count.last_flits : settings_.flits_per_packet;
  lane(from, lane_number).waiting.push({.message = message, .last_flits = last, .packets = count.packets});
  wake_interface(from);
}

void GarnetEngine::watch(LinkLoad& load, std::vector<std::int32_t> links) {
  check(links.size() == channels_.size(), "every channel is a link or none");
  load_ = &load;
  links_ = std::move(links);
}

// A flit leaves a router: it holds the link for its parts from the next cycle on. What stands in front of the
// link are the flits that wait for the same one, of which the credits of its virtual channels tell nothing:
// queues are not noted.
void GarnetEngine::note_flit(int output, Cycle now) {
  const std::int32_t link = links_[static_cast<std::size_t>(output)];
  if (link == kNone) return;
  const std::int64_t cycle = settings_.cycle.count();
  load_->carry_during(link, (now + 1) * cycle, channel(output).wire.parts * cycle, settings_.flit_bytes);
}

void GarnetEngine::wake(int rank) {
  // An interface with nothing to inject has no use for it.
  for (int v = 0; v < fabric_->lanes(); ++v) {
    if (!lane(rank, v).waiting.empty()) return wake_interface(rank);
  }
}

EngineSettings settings_of(const GarnetConfig& config) {
  return {.flits_per_packet = config.flits_per_packet(),
          .flit_bytes = (config.flit_width + 7) / 8,
          .port_by_port = config.wiring == Wiring::switches && config.switches > 1};
}

std::unique_ptr<GarnetEngine> make_engine(const GarnetConfig& config, GarnetEngine::Arrived arrived) {
  const bool wide = std::max(config.local.width, config.package.width) > config.flit_width;
  if (config.original_order || wide) return std::make_unique<OriginalEngine>(config, std::move(arrived));
  return std::make_unique<SkippingEngine>(std::make_unique<AstraFabric>(config), settings_of(config),
                                          std::move(arrived));
}

}  // namespace overture::network::garnet
