#include "overture/formats/astra/garnet_text.h"

#include <gtest/gtest.h>

#include "overture/base/testing.h"

namespace overture::formats {

using namespace network::garnet;
namespace {

// The tutorial's sample.
constexpr const char* kTorus = R"(num-npus: 12
num-packages: 6
package-rows: 3
topology: Torus3D
local-rings: 2
vertical-rings: 1
horizontal-rings: 1
flit-width: 2048
local-packet-size: 4096
package-packet-size: 4096
tile-link-width: 256
package-link-width: 256
vcs-per-vnet: 50
routing-algorithm: Ring_XY
router-latency: 1
local-link-latency: 90
package-link-latency: 200
buffers-per-vc: 5000
local-link-efficiency: 1.0
package-link-efficiency: 1.0
)";

std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string error_of(const std::string& text) {
  return user_error([&] { parse_astra_garnet(text, "net.txt"); });
}

TEST(AstraGarnet, ReadsTheTutorialsTorus) {
  const GarnetConfig config = parse_astra_garnet(kTorus, "net.txt");
  EXPECT_EQ(config.size, (std::array{2, 2, 3}));
  EXPECT_EQ(config.vnets(), 6);
  EXPECT_EQ(config.flits_per_packet(), 16);
  EXPECT_EQ(config.parts(config.package), 8);
  EXPECT_EQ(config.local.latency, 90);
  EXPECT_EQ(config.package.latency, 200);
  EXPECT_EQ(config.vcs, 50);
  EXPECT_EQ(config.buffers, std::vector<int>(6, 5000));
}

TEST(AstraGarnet, HasGarnetsDefaults) {
  const GarnetConfig config =
      parse_astra_garnet("topology: Torus3D num-npus: 8 num-packages: 4 flit-width: 128", "net.txt");
  EXPECT_EQ(config.size, (std::array{2, 2, 2}));
  EXPECT_EQ(config.packet, Bytes{64});
  EXPECT_EQ(config.vcs, 4);
  EXPECT_EQ(config.buffers, (std::vector{16, 16, 32, 16, 16})) << "vnet 2 was meant for data";
}

TEST(AstraGarnet, ReadsSwitches) {
  const GarnetConfig config = parse_astra_garnet(
      "topology: NV_Switch routing-algorithm: AllToAll num-npus: 16 num-packages: 4 package-rows: 1 "
      "local-rings: 2 links-per-tile: 3 flit-width: 128",
      "net.txt");
  EXPECT_EQ(config.size, (std::array{4, 4, 1}));
  EXPECT_EQ(config.vnets(), 5);
  EXPECT_EQ(vnets_of(config, 1).count, 3);
}

TEST(AstraGarnet, SaysWhereAndWhatIsWrong) {
  EXPECT_EQ(error_of(changed(kTorus, "vcs-per-vnet", "vc-per-vnet")).substr(0, 53),
            "net.txt:13: unknown key \"vc-per-vnet:\"\n  did you mean");
  EXPECT_EQ(
      error_of(changed(kTorus, "num-packages: 6", "num-packages: 5")),
      "net.txt:2: num-packages: 5 packages do not share 12 NPUs evenly\n  choose a divisor of num-npus");
  EXPECT_EQ(error_of(changed(kTorus, "package-rows: 3", "package-rows: 4")),
            "net.txt:3: package-rows: 6 packages do not fill 4 rows\n  choose a divisor of num-packages");
  EXPECT_EQ(error_of(changed(kTorus, "Ring_XY", "AllToAll")),
            "net.txt:14: routing-algorithm: Torus3D has no routing \"AllToAll\"\n  use Ring_XY");
  EXPECT_EQ(error_of(changed(kTorus, "flit-width: 2048", "flit-width: wide")),
            "net.txt:8: flit-width: \"wide\" is not a number");
  EXPECT_EQ(error_of(changed(kTorus, "flit-width: 2048\n", "")),
            "net.txt: flit-width: is missing\n  say how many bits a flit has");
  EXPECT_EQ(error_of(std::string(kTorus) + "num-npus:"), "net.txt:21: num-npus: has no value");
  EXPECT_EQ(error_of(std::string(kTorus) + "num-npus: 4"), "net.txt:21: num-npus: is a duplicate key");
}

TEST(AstraGarnet, RefusesWhatTheOriginalAbortsOn) {
  EXPECT_NE(error_of(changed(kTorus, "Torus3D", "Torus5D")).find("use Torus3D or NV_Switch"),
            std::string::npos);
  EXPECT_NE(error_of("topology: NV_Switch num-npus: 8 num-packages: 4 package-rows: 1 flit-width: 128")
                .find("there are 2 virtual networks, but Garnet needs three"),
            std::string::npos);
  EXPECT_NE(error_of("topology: NV_Switch num-npus: 8 num-packages: 4 flit-width: 128").find("no second row"),
            std::string::npos);
  EXPECT_NE(error_of(changed(kTorus, "package-packet-size: 4096", "package-packet-size: 128"))
                .find("does not fill a flit"),
            std::string::npos);
}

}  // namespace
}  // namespace overture::formats
