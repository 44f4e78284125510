#include "overture/formats/astra/system_text.h"

#include <gtest/gtest.h>

#include "overture/base/testing.h"
#include "overture/system/testing.h"

namespace overture::formats {

using namespace system;
namespace {

using namespace literals;
using enum CollectiveKind;

// The least that a file for two dimensions says, with `more` behind it. What is said twice counts as said
// last.
std::string file_with(const std::string& more) {
  return "scheduling-policy: LIFO\n"
         "preferred-dataset-splits: 4\n"
         "all-reduce-implementation: ring_ring\n"
         "reduce-scatter-implementation: ring_ring\n"
         "all-gather-implementation: ring_ring\n"
         "all-to-all-implementation: ring_ring\n"
         "collective-optimization: localBWAware\n" +
         more;
}

SystemConfig parse(const std::string& text, const AstraSystemOptions& options = {}) {
  return parse_astra_system(text, "system.txt", options, 2).config;
}

std::string error_of(const std::string& text) {
  return user_error([&] { parse(text); });
}

std::string error_with(const std::string& more) { return error_of(file_with(more)); }

TEST(AstraSystem, HasTheOriginalsDefaults) {
  const SystemConfig config = parse(file_with(""));
  EXPECT_EQ(config.scheduling, SchedulingPolicy::lifo);
  EXPECT_EQ(config.endpoint_delay, 10ns);
  EXPECT_EQ(config.active_chunks, 1);
  EXPECT_EQ(config.splits, 4);
  EXPECT_EQ(config.optimization, Optimization::local_bandwidth_aware);
  EXPECT_EQ(config.intra_order, IntraOrder::fifo);
  EXPECT_EQ(config.inter_order, InterOrder::ascending);
  EXPECT_EQ(config.cycle, 1ns);
  EXPECT_FALSE(config.shared_bus);
  EXPECT_TRUE(parse_astra_system(file_with(""), "", {}, 2).write_reports);
}

TEST(AstraSystem, ReadsEveryKey) {
  const SystemConfig config =
      parse(file_with("scheduling-policy: FIFO\n"
                      "endpoint-delay: 7\n"
                      "active-chunks-per-dimension: 3\n"
                      "boost-mode: 1\n"
                      "collective-optimization: baseline\n"
                      "intra-dimension-scheduling: RG\n"
                      "inter-dimension-scheduling: roundRobin\n"
                      "local-reduction-delay: 2\n"
                      "model-shared-bus: 1\n"
                      "L: 30.9\no: 20\ng: 10\nG: 0.0038\n"
                      "seprate-log: 0\n"));
  EXPECT_EQ(config.scheduling, SchedulingPolicy::fifo);
  EXPECT_EQ(config.endpoint_delay, 7ns);
  EXPECT_EQ(config.active_chunks, 3);
  EXPECT_EQ(config.optimization, Optimization::baseline);
  EXPECT_EQ(config.intra_order, IntraOrder::rg);
  EXPECT_EQ(config.inter_order, InterOrder::round_robin);
  ASSERT_TRUE(config.shared_bus);
  EXPECT_EQ(config.shared_bus->latency, 30ns) << "cut to whole cycles";
  EXPECT_EQ(config.shared_bus->overhead, 20ns);
  EXPECT_EQ(config.shared_bus->gap, 10ns);
  EXPECT_EQ(config.shared_bus->gap_per_byte_ns, 0.0038);
  EXPECT_EQ(config.shared_bus->local_reduction, 2ns);
  EXPECT_FALSE(parse_astra_system(file_with("seprate-log: 0"), "", {}, 2).write_reports);
}

TEST(AstraSystem, KnowsTheOrdersByAllTheirNames) {
  const auto intra = [](const std::string& word) {
    return parse(file_with("intra-dimension-scheduling: " + word)).intra_order;
  };
  EXPECT_EQ(intra("FIFO"), IntraOrder::fifo);
  EXPECT_EQ(intra("SCF"), IntraOrder::smallest_first);
  EXPECT_EQ(intra("smallestFirst"), IntraOrder::smallest_first);
  EXPECT_EQ(intra("lessRemainingPhaseFirst"), IntraOrder::less_remaining_phase_first);
  const auto inter = [](const std::string& word) {
    return parse(file_with("inter-dimension-scheduling: " + word)).inter_order;
  };
  EXPECT_EQ(inter("baseline"), InterOrder::ascending);
  EXPECT_EQ(inter("ascending"), InterOrder::ascending);
  EXPECT_EQ(inter("themis"), InterOrder::themis);
  EXPECT_EQ(inter("offlineGreedy"), InterOrder::themis);
  EXPECT_EQ(inter("themisFlex"), InterOrder::themis_flex);
  EXPECT_EQ(inter("offlineGreedyFlex"), InterOrder::themis_flex);
}

TEST(AstraSystem, ReadsAnAlgorithmPerDimension) {
  const SystemConfig config =
      parse(file_with("all-reduce-implementation: halvingDoubling_doubleBinaryTree\n"
                      "all-to-all-implementation: direct_direct12\n"));
  EXPECT_EQ(config.implementation(all_reduce),
            (Implementation{{{system::kHalvingDoubling}, {system::kDoubleBinaryTree}}}));
  EXPECT_EQ(config.implementation(all_to_all), (Implementation{{{system::kDirect}, {system::kDirect, 12}}}));
}

TEST(AstraSystem, ReadsAnAlgorithmOverAllRanks) {
  const auto flat = [](const std::string& word) {
    return parse(file_with("all-reduce-implementation: " + word)).implementation(all_reduce);
  };
  EXPECT_EQ(flat("oneRing"), (Implementation{{{system::kRing}}, true}));
  EXPECT_EQ(flat("oneDirect"), (Implementation{{{system::kDirect}}, true}));
  EXPECT_EQ(flat("oneDirect3"), (Implementation{{{system::kDirect, 3}}, true}));
  EXPECT_EQ(flat("oneHalvingDoubling"), (Implementation{{{system::kHalvingDoubling}}, true}));
}

TEST(AstraSystem, TakesWhatTheCommandLineAdds) {
  const SystemConfig config = parse(file_with("endpoint-delay: 7"),
                                    {.queues_per_dimension = 2, .injection_scale = 1.5F, .rendezvous = true});
  EXPECT_EQ(config.queues_per_dimension, 2);
  EXPECT_EQ(config.endpoint_delay, 10ns) << "7 x 1.5, cut";
  EXPECT_TRUE(config.rendezvous);
}

TEST(AstraSystem, TokensMayStandAnywhere) {
  std::string text = file_with("endpoint-delay: 7");
  for (char& c : text) {
    if (c == '\n') c = '\t';
  }
  EXPECT_EQ(parse("\r\n\v " + text + "\f").endpoint_delay, 7ns);
}

TEST(AstraSystem, NamesAnUnknownKeyAndWhatItMayHaveBeen) {
  EXPECT_TRUE(
      error_with("endpoint-dealy: 7")
          .starts_with("system.txt:8: unknown key \"endpoint-dealy:\"\n  did you mean \"endpoint-delay\"? "
                       "known: scheduling-policy, "));
  EXPECT_TRUE(error_with("endpoint-delay 7").starts_with("system.txt:8: unknown key \"endpoint-delay\""))
      << "no colon";
}

TEST(AstraSystem, NamesWhatIsMissing) {
  EXPECT_EQ(error_of("scheduling-policy: LIFO"), "system.txt: preferred-dataset-splits: is missing");
  EXPECT_EQ(error_of(""), "system.txt: scheduling-policy: is missing");
  EXPECT_EQ(error_with("endpoint-delay:"), "system.txt:8: endpoint-delay: has no value");
  EXPECT_EQ(error_with("model-shared-bus: 1"), "system.txt: L: is missing");
}

TEST(AstraSystem, RefusesNumbersThatAreNone) {
  EXPECT_EQ(error_with("endpoint-delay: ten"), "system.txt:8: endpoint-delay: \"ten\" is not a number");
  EXPECT_EQ(error_with("endpoint-delay: 7ns"), "system.txt:8: endpoint-delay: \"7ns\" is not a number");
  EXPECT_EQ(error_with("endpoint-delay: nan"), "system.txt:8: endpoint-delay: \"nan\" is not a number");
  EXPECT_EQ(error_with("endpoint-delay: 7.5"), "system.txt:8: endpoint-delay: 7.5 is not a whole number");
  EXPECT_EQ(error_with("endpoint-delay: -1"),
            "system.txt:8: endpoint-delay: -1 is out of range\n  use 0 to 1000000000");
  EXPECT_EQ(error_with("preferred-dataset-splits: 0"),
            "system.txt:8: preferred-dataset-splits: 0 is out of range\n  use 1 to 1000000000");
  EXPECT_EQ(error_with("boost-mode: 2"), "system.txt:8: boost-mode: 2 is out of range\n  use 0 to 1");
}

TEST(AstraSystem, RefusesWordsItDoesNotKnow) {
  EXPECT_EQ(
      error_with("scheduling-policy: LIVO"),
      "system.txt:8: scheduling-policy: unknown value \"LIVO\"\n  did you mean \"LIFO\"? known: LIFO, FIFO");
  EXPECT_TRUE(error_with("all-reduce-implementation: ring_rong")
                  .starts_with("system.txt:8: all-reduce-implementation: unknown algorithm \"rong\"\n"
                               "  did you mean \"ring\"?"));
  for (const char* word : {"direct0", "direct-1", "directX", "one", "oneDoubleBinaryTree", "onering_", ""}) {
    EXPECT_NE(error_with(std::string("all-reduce-implementation: ring_") + word + "\n"), "") << word;
  }
}

TEST(AstraSystem, RefusesAlgorithmsThatDoNotMatchTheDimensions) {
  EXPECT_EQ(error_with("all-reduce-implementation: ring"),
            "system.txt:8: all-reduce-implementation: has 1 algorithm, but the network has 2 dimensions\n"
            "  join one algorithm per dimension with '_', such as ring_direct_halvingDoubling");
  EXPECT_TRUE(error_with("all-reduce-implementation: ring_ring_ring")
                  .starts_with("system.txt:8: all-reduce-implementation: has 3 algorithms"));
  EXPECT_EQ(error_with("all-reduce-implementation: oneRing_ring"),
            "system.txt:8: all-reduce-implementation: \"oneRing\" spans all dimensions, so it must be the "
            "only one");
}

TEST(AstraSystem, ListsMayLeaveOutTheLastDimensionsOfOneNpu) {
  const std::string text = file_with("all-reduce-implementation: direct");
  EXPECT_EQ(parse(text, {.optional_dimensions = 1}).implementation(all_reduce),
            (Implementation{{{system::kDirect}, {system::kRing}}}));
}

TEST(AstraSystem, RefusesADelayThatTheScaleMakesTooLarge) {
  const std::string error = user_error([] { parse(file_with(""), {.injection_scale = 1e12F}); });
  EXPECT_TRUE(error.starts_with("system.txt: endpoint-delay: 10 times")) << error;
}

}  // namespace
}  // namespace overture::formats
