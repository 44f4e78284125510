#include "overture/network/garnet/fabric.h"

#include <utility>

namespace overture::network::garnet {

int GarnetFabric::add(Channel channel, int first_vnet, const std::vector<int>& buffers) {
  const auto vcs = static_cast<std::size_t>(counts_.vcs);
  channel.first_vc = first_vnet * counts_.vcs;
  for (const int flits : buffers) channel.credits.insert(channel.credits.end(), vcs, flits);
  channel.idle.assign((channel.credits.size() + 63) / 64, 0);
  for (std::size_t i = 0; i < channel.credits.size(); ++i)
    channel.set_idle(channel.first_vc + static_cast<int>(i));
  channel.buffers.resize(channel.credits.size());
  channels_.push_back(std::move(channel));
  return static_cast<int>(channels_.size()) - 1;
}

void GarnetFabric::note_ports() {
  const auto channel = [this](int c) -> Channel& { return channels_[static_cast<std::size_t>(c)]; };
  for (const Router& router : routers_) {
    for (std::size_t i = 0; i < router.in.size(); ++i)
      if (router.in[i] != kNone) channel(router.in[i]).in_port = static_cast<int>(i);
    for (std::size_t i = 0; i < router.out.size(); ++i)
      if (router.out[i] != kNone) channel(router.out[i]).out_port = static_cast<int>(i);
  }
}

}  // namespace overture::network::garnet
