#include "overture/setup/setup.h"

#include <set>

#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/base/testing.h"
#include "overture/setup/search_setup.h"
#include "overture/setup/sweep_setup.h"
#include "overture/setup/train_setup.h"

namespace overture::setup {
namespace {

using namespace literals;

const std::string kSmall = R"(name: small
passes: 2
network:
  dimensions:
    - {kind: ring, size: 4, links: 2, bandwidth: 32 GiB/s, latency: 10 ns}
    - {kind: switch, size: 3, bandwidth: 100 Gbps, latency: 1.5 us}
system:
  chunks: 4
  all_to_all: flat_direct:2
workload:
  parallelism: hybrid_dlrm
  last_bottom_layer: 1
  layers:
    - name: embedding
      forward: {compute: 300 ns, communication: {collective: all_to_all, size: 96 KiB}}
      update: 98 ns
    - name: mlp
      weight_gradient: {communication: {collective: all_reduce, size: 1 MiB}}
)";

std::string error_of(const std::string& yaml, const std::vector<std::string>& overrides = {}) {
  return user_error([&] { parse_setup(yaml, "a.yaml", overrides); });
}

std::string with(const std::string& what, const std::string& instead) {
  std::string text = kSmall;
  text.replace(text.find(what), what.size(), instead);
  return text;
}

TEST(Setup, ReadsUnitsWordsAndDefaults) {
  const auto setup = parse_setup(kSmall, "a.yaml");
  const auto& c = setup.simulation;
  EXPECT_EQ(setup.name, "small");
  EXPECT_EQ(c.passes, 2);
  EXPECT_EQ(simulation::analytical(c).contention, network::Contention::links);
  EXPECT_DOUBLE_EQ(simulation::analytical(c).dimensions[0].link_gib_per_s, 32);
  EXPECT_DOUBLE_EQ(simulation::analytical(c).dimensions[1].link_latency_ns, 1500);
  EXPECT_EQ(c.workload.layers[0].forward.communication->size, 96_KiB);
  EXPECT_EQ(c.workload.layers[0].update, 98ns);
  EXPECT_FALSE(c.workload.layers[1].forward.communication);
  EXPECT_EQ(c.system.endpoint_delay, 10ns);
  EXPECT_TRUE(c.system.implementation(system::CollectiveKind::all_to_all).flat);
  EXPECT_EQ(c.system.implementation(system::CollectiveKind::all_to_all).per_dimension[0].window, 2);
}

TEST(Setup, ScalesMultiplyWhatTheLayersSayAndAreUsedUp) {
  const auto setup = parse_setup(
      kSmall, "a.yaml",
      {"workload.compute_scale=0.5", "workload.communication_scale=2", "system.injection_scale=3"});
  EXPECT_EQ(setup.simulation.workload.layers[0].forward.compute, 150ns);
  EXPECT_EQ(setup.simulation.workload.layers[0].forward.communication->size, 192_KiB);
  EXPECT_EQ(setup.simulation.system.endpoint_delay, 30ns);
  const auto again = parse_setup(write_setup(setup), "b.yaml");
  EXPECT_EQ(again.simulation.workload.layers[0].forward.compute, 150ns);
  EXPECT_EQ(again.simulation.workload.layers[0].forward.communication->size, 192_KiB);
}

TEST(Setup, ScalesThatLeaveNothingAreRefused) {
  EXPECT_NE(error_of(kSmall, {"workload.compute_scale=0"}).find("workload.compute_scale"), std::string::npos);
  EXPECT_NE(error_of(kSmall, {"workload.compute_scale=nan"}).find("workload.compute_scale"),
            std::string::npos);
  EXPECT_NE(error_of(kSmall, {"system.injection_scale=-1"}).find("system.injection_scale"),
            std::string::npos);
  EXPECT_NE(error_of(kSmall, {"workload.communication_scale=1e-9"}).find("smaller than one byte"),
            std::string::npos);
}

TEST(Setup, AlgorithmsThatAreNotGivenSuitTheDimension) {
  const auto setup = parse_setup(kSmall, "a.yaml", {"network.dimensions.1.size=4"});
  const auto& all_reduce =
      setup.simulation.system.implementation(system::CollectiveKind::all_reduce).per_dimension;
  EXPECT_EQ(all_reduce[0].kind, system::kRing);
  EXPECT_EQ(all_reduce[1].kind, system::kHalvingDoubling);
}

TEST(Setup, WhatIsWrittenReadsBackTheSame) {
  const auto setup = parse_setup(kSmall, "a.yaml");
  const std::string text = write_setup(setup);
  EXPECT_EQ(write_setup(parse_setup(text, "b.yaml")), text);
  EXPECT_EQ(text.find("model_group"), std::string::npos) << "defaults are left out";
}

TEST(Setup, ErrorsNameFileLineKeyAndWhatWouldWork) {
  EXPECT_EQ(error_of(with("chunks: 4", "chunk: 4")).substr(0, 60),
            "a.yaml:8: system.chunk: unknown key\n  did you mean \"chunks\"?");
  EXPECT_EQ(error_of(with("kind: switch", "kind: swich")),
            "a.yaml:6: network.dimensions.1.kind: unknown value \"swich\"\n"
            "  did you mean \"switch\"? known: ring, fully_connected, switch");
  EXPECT_EQ(error_of(with("bandwidth: 100 Gbps", "bandwidth: 100")).substr(0, 68),
            "a.yaml:6: network.dimensions.1.bandwidth: \"100\" has no unit; write f");
  EXPECT_EQ(error_of(with("size: 3, ", "")).substr(0, 49),
            "a.yaml:6: network.dimensions.1.size: is missing\n ");
  EXPECT_EQ(error_of(with("chunks: 4", "chunks: 0")), "a.yaml:8: system.chunks: 0 is less than 1");
  EXPECT_EQ(error_of(with("chunks: 4", "chunks: [4]")), "a.yaml:8: system.chunks: must be a single value");
  EXPECT_EQ(error_of(with("size: 1 MiB", "size: 0 B")).substr(0, 52),
            "a.yaml:11: workload: layer mlp communicates 0 bytes\n");
  EXPECT_EQ(error_of(kSmall, {"system.all_reduce=[ring]"}),
            "a.yaml: system.all_reduce: has 1 algorithm, but the network has 2 dimensions\n"
            "  name one for each, innermost first, or a flat_... over all NPUs");
  EXPECT_NE(error_of(kSmall, {"system.all_reduce=[ring, rong]"}).find("did you mean \"ring\""),
            std::string::npos);
  EXPECT_NE(error_of(kSmall, {"system.nonsense=1"}).find("system.nonsense: unknown key"), std::string::npos);
  EXPECT_NE(error_of(with("last_bottom_layer: 1", "last_bottom_layer: 7")).find("layer 7 does not exist"),
            std::string::npos);
  EXPECT_NE(error_of("name: x\n").find("network.topology: is missing"), std::string::npos);
  EXPECT_NE(error_of(with("layers:", "file: no.txt\n  layers:"))
                .find("more than one of file, tasks, chakra, dlrm, recording and layers"),
            std::string::npos);
}

TEST(Setup, EveryKeyIsExplainedOnce) {
  std::set<std::string> keys;
  for (const Explanation& explanation : explain_setup()) {
    EXPECT_TRUE(keys.insert(explanation.key).second) << explanation.key;
    EXPECT_FALSE(explanation.help.empty()) << explanation.key;
  }
  EXPECT_TRUE(keys.contains("network.dimensions[].bandwidth"));
  EXPECT_TRUE(keys.contains("system.shared_bus.gap_per_byte"));
  EXPECT_TRUE(keys.contains("workload.layers[].forward.communication.size"));
}

// What a key means can be read alone: it names its subject, and does not lean on the key before it.
TEST(Explain, EveryMeaningHasASubject) {
  for (const auto& keys :
       {explain_setup(), explain_train_setup(), explain_sweep_setup(), explain_search_setup()}) {
    for (const Explanation& key : keys) {
      EXPECT_FALSE(key.help.empty()) << key.key;
      for (const char* leaning : {"Of ", "The same", "...", "At most so", "In place of the"})
        EXPECT_FALSE(key.help.starts_with(leaning)) << key.key << ": " << key.help;
    }
  }
}

}  // namespace
}  // namespace overture::setup
