#include "overture/setup/network_setup.h"

#include <filesystem>
#include <limits>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/formats/dynexp.h"

namespace overture::setup {
namespace {

int chosen(const TopologyChoice& t) {
  int count = (t.opera ? 1 : 0) + (t.file.empty() ? 0 : 1);
  t.shapes.each([&](const auto& shape) { count += shape ? 1 : 0; });
  return count;
}

std::string topologies() {
  std::string words = "choose one of ";
  TopologyChoice{}.shapes.each(
      [&]<class Shape>(const std::optional<Shape>&) { words += std::string(Shape::kKey) + ", "; });
  return words + "opera, file";
}

bool is_thinnable(const TopologyChoice& t) {
  bool thinnable = false;
  t.shapes.each([&]<class Shape>(const std::optional<Shape>& shape) {
    if (shape) thinnable = topology::ThinnableShape<Shape>;
  });
  return thinnable;
}

// One `network:` with what its errors say and the seed of the run.
class Chooser {
 public:
  Chooser(const NetworkSetup& setup, std::uint64_t seed, const std::string& file)
      : setup_(setup), seed_(seed), file_(file) {}

  network::NetworkConfig choose() const {
    require_one();
    const Backend backend = backend_of(setup_);
    switch (backend) {
      case Backend::analytical: return analytical();
      case Backend::flow: return flow();
      case Backend::packet: return packet();
      case Backend::rotor: return rotor();
    }
    return {};
  }

 private:
  [[noreturn]] void fail(const std::string& key, const std::string& what,
                         const std::string& hint = {}) const {
    throw UserError({.file = file_, .key = "network." + key}, what, hint);
  }

  bool has_dimensions() const { return !setup_.analytical.dimensions.empty(); }

  void require_one() const {
    const int count = chosen(setup_.topology);
    if (count > 1) fail("topology", fmt::format("chooses {} topologies", count), topologies());
    if (count == 1 && has_dimensions())
      fail("topology", "a network has dimensions or a topology, not both", "leave one of the two out");
    if (count == 0 && !has_dimensions())
      fail("topology", "is missing", "write network: {topology: {...}}, or network: {dimensions: [...]}");
    if (has_dimensions()) require_dimensions();
    if (setup_.nodes && (has_dimensions() || setup_.topology.opera))
      fail("nodes", "need a topology of links", "a dimension of the GPUs of a node says the same");
    if (setup_.oversubscription != 1 && !is_thinnable(setup_.topology))
      fail("oversubscription", "only a leaf_spine or fat_tree can be oversubscribed");
  }

  void require_dimensions() const {
    constexpr std::size_t kMaxDimensions = 10;
    const auto& dimensions = setup_.analytical.dimensions;
    if (dimensions.size() > kMaxDimensions) fail("dimensions", "has more than 10 dimensions");
    double ranks = 1;
    for (std::size_t d = 0; d < dimensions.size(); ++d) {
      network::check_dimension(dimensions[d], file_, fmt::format("network.dimensions.{}", d));
      ranks *= dimensions[d].size;
    }
    if (ranks > std::numeric_limits<int>::max()) fail("dimensions", "make more than 2^31 NPUs");
  }

  std::filesystem::path beside(const std::string& file) const {
    return std::filesystem::path(file_).parent_path() / file;
  }

  topology::GraphConfig::Shape shape() const {
    if (has_dimensions()) return network::links_of(setup_.analytical);
    topology::GraphConfig::Shape result = beside(setup_.topology.file);
    setup_.topology.shapes.each([&](const auto& shape) {
      if (!shape) return;
      auto config = *shape;
      if constexpr (requires { config.seed; }) config.seed = seed_;
      result = config;
    });
    return result;
  }
  topology::GraphConfig graph() const {
    return {.shape = shape(), .nodes = setup_.nodes, .oversubscription = setup_.oversubscription};
  }

  topology::OperaSource opera() const {
    const OperaChoice& choice = *setup_.topology.opera;
    if (!choice.file.empty()) return formats::read_dynexp(beside(choice.file)).opera;
    topology::OperaConfig config = choice;
    config.seed = seed_;
    config.rate = setup_.rotor.rate;
    config.wire = setup_.rotor.wire;
    config.packet = setup_.rotor.packet;
    config.connected = setup_.rotor.bulk_from > Bytes{1};
    return config;
  }

  network::NetworkConfig analytical() const {
    if (!has_dimensions())
      fail("backend", "analytical knows dimensions, not a topology",
           "use flow or packet, or write dimensions");
    return setup_.analytical;
  }

  network::NetworkConfig flow() const {
    network::FlowNetworkConfig config;
    if (setup_.topology.opera) {
      config.topology = opera();
      config.rotors = {
          .circuits = setup_.fluid.circuits, .rate = setup_.rotor.rate, .wire = setup_.rotor.wire};
      if (setup_.fluid.efficiency) config.rotors.efficiency = *setup_.fluid.efficiency;
      if (setup_.fluid.connections) config.rotors.connections = *setup_.fluid.connections;
      return config;
    }
    config.topology = graph();
    config.fluid.paths = setup_.packets.paths;
    config.fluid.seed = seed_;
    config.fluid.efficiency = setup_.fluid.efficiency.value_or(1);
    config.fluid.connections = setup_.fluid.connections.value_or(connections_of(setup_.packets));
    return config;
  }

  network::NetworkConfig packet() const {
    if (setup_.topology.opera) fail("backend", "packet has no rotors", "use rotor, or flow for a quick look");
    network::PacketNetworkConfig config{.topology = graph(), .packets = setup_.packets};
    config.packets.seed = seed_;
    try {
      require_sound(config.packets);
    } catch (const UserError& error) {
      throw at({.file = file_, .key = "network"}, error);
    }
    return config;
  }

  network::NetworkConfig rotor() const {
    if (!setup_.topology.opera) fail("backend", "rotor needs topology.opera", "use packet or flow");
    network::RotorNetworkConfig config{.topology = opera(), .rotors = setup_.rotor};
    config.rotors.seed = seed_;
    if (const std::string& file = setup_.topology.opera->file; !file.empty())
      config.paths = formats::read_dynexp(beside(file)).paths;
    return config;
  }

  const NetworkSetup& setup_;
  std::uint64_t seed_;
  const std::string& file_;
};

}  // namespace

Backend backend_of(const NetworkSetup& setup) {
  if (setup.backend) return *setup.backend;
  if (!setup.analytical.dimensions.empty()) return Backend::analytical;
  return setup.topology.opera ? Backend::rotor : Backend::packet;
}

network::NetworkConfig network_config(const NetworkSetup& setup, std::uint64_t seed,
                                      const std::string& file) {
  return Chooser(setup, seed, file).choose();
}

}  // namespace overture::setup
