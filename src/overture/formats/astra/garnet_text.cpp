#include "overture/formats/astra/garnet_text.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/formats/astra/key_values.h"

namespace overture::formats {

using namespace network::garnet;
namespace {

constexpr int kMost = 1'000'000'000;

const std::vector<std::string> kGarnetKeys{"num-npus",
                                           "num-packages",
                                           "package-rows",
                                           "topology",
                                           "local-rings",
                                           "horizontal-rings",
                                           "vertical-rings",
                                           "links-per-tile",
                                           "flit-width",
                                           "package-packet-size",
                                           "local-packet-size",
                                           "tile-link-width",
                                           "package-link-width",
                                           "vcs-per-vnet",
                                           "buffers-per-vc",
                                           "routing-algorithm",
                                           "router-latency",
                                           "local-link-latency",
                                           "package-link-latency",
                                           "local-link-efficiency",
                                           "package-link-efficiency"};

using Keys = KeyValues;

std::string word(const Keys& keys, const std::string& key, const std::string& otherwise) {
  return keys.has(key) ? keys.word(key) : otherwise;
}

int integer(const Keys& keys, const std::string& key, int otherwise, int least = 1) {
  return keys.has(key) ? keys.integer(key, least, kMost) : otherwise;
}

Wiring read_wiring(const Keys& keys) {
  const std::string topology = word(keys, "topology", "Crossbar");
  const bool torus = topology == "Torus3D";
  if (!torus && topology != "NV_Switch") {
    keys.fail("topology",
              keys.has("topology") ? fmt::format("\"{}\" has no collectives on this network", topology)
                                   : "is missing",
              "use Torus3D or NV_Switch; the original aborts on its other topologies");
  }
  const std::string fitting = torus ? "Ring_XY" : "AllToAll";
  const std::string routing = word(keys, "routing-algorithm", fitting);
  if (routing != fitting) {
    keys.fail("routing-algorithm", fmt::format("{} has no routing \"{}\"", topology, routing),
              "use " + fitting);
  }
  return torus ? Wiring::torus : Wiring::switches;
}

void read_shape(const Keys& keys, GarnetConfig& config) {
  const int npus = integer(keys, "num-npus", 1);
  const int packages = integer(keys, "num-packages", 1);
  const int rows = integer(keys, "package-rows", 2);
  if (npus % packages != 0) {
    keys.fail("num-packages", fmt::format("{} packages do not share {} NPUs evenly", packages, npus),
              "choose a divisor of num-npus");
  }
  if (config.wiring == Wiring::switches && rows != 1) {
    keys.fail("package-rows", fmt::format("NV_Switch has no second row, but there are {}", rows),
              "write package-rows: 1; the default is 2");
  }
  if (packages % rows != 0) {
    keys.fail("package-rows", fmt::format("{} packages do not fill {} rows", packages, rows),
              "choose a divisor of num-packages");
  }
  config.size = {npus / packages, packages / rows, rows};
}

void read_rings(const Keys& keys, GarnetConfig& config) {
  config.local_rings = integer(keys, "local-rings", 1);
  config.horizontal_rings = integer(keys, "horizontal-rings", 1, config.size[1] > 1 ? 1 : 0);
  config.vertical_rings = integer(keys, "vertical-rings", 1, config.size[2] > 1 ? 1 : 0);
  config.switches = integer(keys, "links-per-tile", 1);
  constexpr std::int64_t kManyVnets = 10'000;
  const std::int64_t rings =
      config.wiring == Wiring::switches
          ? config.local_rings + std::int64_t{config.switches} * config.horizontal_rings
          : std::int64_t{config.local_rings} +
                2 * (std::int64_t{config.horizontal_rings} + config.vertical_rings);
  if (rings > kManyVnets) keys.fail("local-rings", fmt::format("there are {} rings, too many", rings));
  if (rings < 3) {
    keys.fail(
        "local-rings", fmt::format("there are {} virtual networks, but Garnet needs three", rings),
        config.wiring == Wiring::switches ? "raise local-rings or links-per-tile" : "raise local-rings");
  }
}

void read_links(const Keys& keys, GarnetConfig& config) {
  if (!keys.has("flit-width")) keys.fail("flit-width", "is missing", "say how many bits a flit has");
  config.flit_width = integer(keys, "flit-width", 0);
  config.packet = Bytes{integer(keys, "package-packet-size", 64)};
  integer(keys, "local-packet-size", 64);
  config.local = {integer(keys, "tile-link-width", 128), integer(keys, "local-link-latency", 1)};
  config.package = {integer(keys, "package-link-width", 128), integer(keys, "package-link-latency", 1)};
  for (const char* key : {"local-link-efficiency", "package-link-efficiency"})
    if (keys.has(key))
      keys.number(key, std::numeric_limits<double>::lowest(), std::numeric_limits<double>::max());
}

void read_channels(const Keys& keys, GarnetConfig& config) {
  config.vcs = integer(keys, "vcs-per-vnet", 4);
  config.router_latency = integer(keys, "router-latency", 1);
  const auto vnets = static_cast<std::size_t>(config.vnets());
  config.buffers.assign(vnets, integer(keys, "buffers-per-vc", 16));
  if (!keys.has("buffers-per-vc") && vnets > 2) config.buffers[2] = 32;
  constexpr std::int64_t kMostHere = 65'000;
  if (std::int64_t{config.vcs} * config.vnets() > kMostHere)
    keys.fail("vcs-per-vnet", fmt::format("{} of each virtual network are too many", config.vcs));
  constexpr std::int64_t kMostOfAll = 100'000'000;
  if (std::int64_t{config.ranks()} * config.vnets() * config.vcs > kMostOfAll)
    keys.fail("num-npus", "so many NPUs, rings and virtual channels do not fit into memory");
}

// The original then expects fewer parts of a flit than it sends, and packets grow on every link.
void check_packets(const Keys& keys, const GarnetConfig& config) {
  for (const LinkConfig& link : {config.local, config.package}) {
    const std::int64_t bits = std::min<std::int64_t>(8 * config.packet.count(), config.flit_width);
    if ((bits + link.width - 1) / link.width == config.parts(link)) continue;
    keys.fail("package-packet-size",
              fmt::format("a packet of {} does not fill a flit of {} bits", to_string(config.packet),
                          config.flit_width),
              "on links narrower than a flit a packet must have at least one flit");
  }
}

}  // namespace

GarnetConfig parse_astra_garnet(std::string_view text, const std::string& file) {
  const Keys keys(text, file, kGarnetKeys, Keys::Again::is_an_error);
  GarnetConfig config;
  config.wiring = read_wiring(keys);
  read_shape(keys, config);
  read_rings(keys, config);
  read_links(keys, config);
  read_channels(keys, config);
  check_packets(keys, config);
  return config;
}

}  // namespace overture::formats
