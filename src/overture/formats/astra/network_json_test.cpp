#include "overture/formats/astra/network_json.h"

#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/base/testing.h"

namespace overture::formats {

using namespace network;
namespace {

std::string file_with(const std::string& key, const std::string& value) {
  std::map<std::string, std::string> values{{"topology-name", "\"Hierarchical\""},
                                            {"dimensions-count", "2"},
                                            {"topologies-per-dim", R"(["Ring", "Switch"])"},
                                            {"dimension-type", R"(["N", "PP"])"},
                                            {"units-count", "[4, 2]"},
                                            {"links-count", "[2, 1]"},
                                            {"link-latency", "[10, 100]"},
                                            {"link-bandwidth", "[32, 12.5]"},
                                            {"nic-latency", "[0, 0]"},
                                            {"router-latency", "[0, 0]"},
                                            {"hbm-latency", "[500, 500]"},
                                            {"hbm-bandwidth", "[370, 370]"},
                                            {"hbm-scale", "[0, 0]"}};
  if (value.empty()) {
    values.erase(key);
  } else {
    values[key] = value;
  }
  std::string text = "{";
  for (const auto& [k, v] : values) text += fmt::format("{}\n  \"{}\": {}", text == "{" ? "" : ",", k, v);
  return text + "\n}\n";
}

std::string error_of(const std::string& text) {
  return user_error([&] { parse_astra_network(text, "net.json"); });
}

TEST(AstraJson, ReadsEveryDimension) {
  const AnalyticalConfig config = parse_astra_network(file_with("x", ""), "net.json");
  ASSERT_EQ(config.dimensions.size(), 2u);
  EXPECT_EQ(config.dimensions[1].kind, topology::DimensionKind::switched);
  EXPECT_EQ(config.dimensions[1].packaging, Packaging::pod_to_pod);
  EXPECT_DOUBLE_EQ(link_bytes_per_ns(config.dimensions[1]), 12.5 * 1.073741824);
  EXPECT_EQ(config.contention, Contention::none);
}

TEST(AstraJson, CommandLineListsReplaceTheFiles) {
  const AnalyticalConfig config =
      parse_astra_network(file_with("x", ""), "net.json", {.units_count = std::vector<int>{8, 16}});
  EXPECT_EQ(config.dimensions[1].size, 16);
}

TEST(AstraJson, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(error_of(file_with("hbm-scale", "")), "net.json: hbm-scale: is missing\n  all keys are required");
  EXPECT_EQ(error_of(file_with("units-count", "[4]")),
            "net.json: units-count: has 1 entries but there are 2 dimensions");
  EXPECT_EQ(error_of(file_with("link-bandwidth", "[0, 1]")),
            "net.json: dimension 0: link bandwidth must be above zero");
  EXPECT_EQ(
      error_of(file_with("links-count", "[1, 1]")),
      "net.json: dimension 0: 1 links per NPU leave none usable\n  a ring needs two, one to either side");
  EXPECT_EQ(error_of(file_with("topologies-per-dim", R"(["Ring", "Swich"])")),
            "net.json: topologies-per-dim: unknown topology \"Swich\"\n"
            "  did you mean \"Switch\"? known: Ring, FullyConnected, Switch");
  EXPECT_EQ(error_of(file_with("unit-count", "[1]")).substr(0, 34), "net.json: unit-count: unknown key\n");
  EXPECT_EQ(error_of("{\n  \"topology-name\": \n"), "net.json:3: is not valid JSON");
  EXPECT_NE(error_of(file_with("units-count", "[-4, 2]")).find("has -4 units"), std::string::npos);
  EXPECT_NE(error_of(file_with("units-count", "[100000, 100000]")).find("more than 2^31"), std::string::npos);
  EXPECT_NE(error_of(file_with("units-count", "[1.5, 2]")).find("not a whole number"), std::string::npos);
  EXPECT_NE(error_of(file_with("units-count", "3")).find("must be a list"), std::string::npos);
}

}  // namespace
}  // namespace overture::formats
