#include "overture/setup/prices.h"

#include <gtest/gtest.h>

#include "overture/base/testing.h"
#include "overture/setup/setup.h"

namespace overture::setup {
namespace {

std::string all_prices(const network::Prices& p) {
  return p.source + p.date + exact(p.rate) + exact(p.link) + exact(p.tile_link) + exact(p.nic) +
         exact(p.switch_box) + std::to_string(p.switch_ports) + exact(p.rotor_port) + exact(p.npu);
}

TEST(Prices, TheExampleIsTheBuiltInList) {
  const auto example = load_prices(OVERTURE_EXAMPLES "/prices.yaml");
  EXPECT_EQ(all_prices(example), all_prices({}));
}

TEST(Prices, WhatAListLeavesOutHasItsDefault) {
  const network::Prices prices = parse_prices("nic: 300 $\n", "mine.yaml");
  EXPECT_EQ(prices.nic, Dollars{300});
  EXPECT_EQ(prices.link, network::Prices{}.link);
}

TEST(Prices, AMistakeIsToldWithFileAndKey) {
  EXPECT_NE(user_error([] { parse_prices("nik: 300 $\n", "mine.yaml"); }).find("nic"), std::string::npos);
  EXPECT_NE(user_error([] { parse_prices("nic: 300\n", "mine.yaml"); }).find("1200 $"), std::string::npos);
  const std::string ports = user_error([] { parse_prices("switch_ports: 0\n", "mine.yaml"); });
  EXPECT_NE(ports.find("mine.yaml: switch_ports"), std::string::npos) << ports;
}

TEST(Prices, DimensionsCostTheSameOnAnyBackend) {
  const std::string text = "network: {dimensions: [{kind: switch, size: 4, bandwidth: 50 GiB/s}], backend: ";
  const auto cost = [&](const char* backend) {
    return network_cost(parse_setup(text + backend + "}", "x.yaml", {}, Needs::network));
  };
  EXPECT_EQ(cost("packet"), cost("analytical"));
  EXPECT_EQ(cost("flow"), Dollars(4 * 100 + 23698));
}

}  // namespace
}  // namespace overture::setup
