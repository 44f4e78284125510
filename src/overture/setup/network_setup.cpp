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
    const auto backend = static_cast<std::size_t>(backend_of(setup_));
    try {
      return network::configure(
          {.backend = backend, .wires = wires(), .seed = seed_, .settings = setup_.settings});
    } catch (const UserError& error) {
      throw at({.file = file_}, error);
    }
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
    topology::GraphConfig::Shape result = beside(setup_.topology.file);
    setup_.topology.shapes.each([&](const auto& shape) {
      if (!shape) return;
      auto config = *shape;
      if constexpr (requires { config.seed; }) config.seed = seed_;
      result = config;
    });
    return result;
  }

  network::RotorWires rotors() const {
    const OperaChoice& choice = *setup_.topology.opera;
    const auto& numbers = setup_.of<network::rotor::RotorConfig>();
    if (!choice.file.empty()) {
      formats::Dynexp dynexp = formats::read_dynexp(beside(choice.file));
      return {.circuits = std::move(dynexp.opera),
              .rate = numbers.rate,
              .wire = numbers.wire,
              .paths = std::move(dynexp.paths)};
    }
    topology::OperaConfig config = choice;
    config.seed = seed_;
    config.rate = numbers.rate;
    config.wire = numbers.wire;
    config.packet = numbers.packet;
    config.connected = numbers.bulk_from > Bytes{1};
    try {
      require_sound(config);
    } catch (const UserError& error) {
      throw at({.file = file_, .key = "network.topology.opera"}, error);
    }
    return {.circuits = config, .rate = numbers.rate, .wire = numbers.wire};
  }

  network::Wires wires() const {
    if (has_dimensions()) return {setup_.analytical};
    if (setup_.topology.opera) return {rotors()};
    return {topology::GraphConfig{
        .shape = shape(), .nodes = setup_.nodes, .oversubscription = setup_.oversubscription}};
  }

  const NetworkSetup& setup_;
  std::uint64_t seed_;
  const std::string& file_;
};

}  // namespace

Backend backend_of(const NetworkSetup& setup) {
  if (setup.backend) return *setup.backend;
  if (!setup.analytical.dimensions.empty()) return kBackend<network::AnalyticalConfig>;
  return setup.topology.opera ? kBackend<network::RotorNetworkConfig>
                              : kBackend<network::PacketNetworkConfig>;
}

network::NetworkConfig network_config(const NetworkSetup& setup, std::uint64_t seed,
                                      const std::string& file) {
  return Chooser(setup, seed, file).choose();
}

}  // namespace overture::setup
