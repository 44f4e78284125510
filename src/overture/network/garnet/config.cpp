#include "overture/network/garnet/config.h"

namespace overture::network::garnet {
namespace {

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

int GarnetConfig::vnets() const {
  if (wiring == Wiring::switches) return local_rings + switches * horizontal_rings;
  return local_rings + 2 * horizontal_rings + 2 * vertical_rings;
}

int GarnetConfig::flits_per_packet() const {
  return static_cast<int>(divide_up(8 * packet.count(), flit_width));
}

std::int64_t GarnetConfig::packets(Bytes message) const { return divide_up(message.count(), packet.count()); }

int GarnetConfig::parts(const LinkConfig& link) const {
  return static_cast<int>(divide_up(flit_width, link.width));
}

DimensionVnets vnets_of(const GarnetConfig& config, int dimension) {
  if (dimension == 0) return {0, config.local_rings};
  if (config.wiring == Wiring::switches) return {config.local_rings, dimension == 1 ? config.switches : 0};
  if (dimension == 1) return {config.local_rings, 2 * config.horizontal_rings};
  return {config.local_rings + 2 * config.horizontal_rings, 2 * config.vertical_rings};
}

int next_rank(const GarnetConfig& config, int rank, int vnet) {
  int dimension = 0;
  int stride = 1;
  DimensionVnets vnets = vnets_of(config, 0);
  while (vnet >= vnets.first + vnets.count) {
    stride *= config.size[static_cast<std::size_t>(dimension)];
    vnets = vnets_of(config, ++dimension);
  }
  // Local rings go one way only; of the others, the second half goes back.
  const bool back = dimension > 0 && vnet - vnets.first >= vnets.count / 2;
  const int size = config.size[static_cast<std::size_t>(dimension)];
  const int here = rank / stride % size;
  const int there = (here + (back ? size - 1 : 1)) % size;
  return rank + (there - here) * stride;
}

}  // namespace overture::network::garnet
