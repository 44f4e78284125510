#include "overture/study/collective_bench.h"

#include <gtest/gtest.h>

#include "overture/base/error.h"

namespace overture::study {
namespace {

using namespace literals;
using system::AlgorithmKind;
using system::CollectiveKind;

simulation::SimulationConfig with(AlgorithmKind algorithm, const network::NetworkConfig& network) {
  simulation::SimulationConfig config{.network = network};
  for (auto& implementation : config.system.implementations) implementation.per_dimension = {{algorithm}};
  return config;
}

// Eight ranks on one switch of 100 Gbps, 500 ns a link.
const network::AnalyticalConfig kSwitch{.dimensions = {{.kind = topology::DimensionKind::switched,
                                                        .size = 8,
                                                        .links = 1,
                                                        .link_latency_ns = 500,
                                                        .link_gib_per_s = 12.5e9 / (1 << 30)}}};

TEST(CollectiveBench, ARingAllReduceTakesWhatItsStepsTake) {
  const CollectivePoint point =
      run_collective(with(system::kRing, kSwitch), CollectiveKind::all_reduce, 8_MiB);
  // 14 steps of 1 MiB at 12.5 B/ns, 1 us away, and 15 endpoint delays of 10 ns; 3 x 2 ns to reduce.
  const double step_ns = 1048576 / 12.5 + 1000;
  EXPECT_NEAR(to_ns(point.time), 14 * step_ns + 15 * 10 + 7 * 6, 1);
  EXPECT_NEAR(point.bus_bandwidth(CollectiveKind::all_reduce), point.algorithm_bandwidth() * 14 / 8, 1e-9);
}

TEST(CollectiveBench, PacketsAgreeWithSharedLinksOnAStar) {
  const network::PacketNetworkConfig star{.topology = {.shape = topology::StarConfig{.hosts = 8}}};
  for (const AlgorithmKind algorithm : std::initializer_list<AlgorithmKind>{system::kRing, system::kDirect}) {
    for (const CollectiveKind kind : {CollectiveKind::all_to_all, CollectiveKind::all_gather}) {
      const CollectivePoint packets = run_collective(with(algorithm, star), kind, 8_MiB);
      const CollectivePoint links = run_collective(with(algorithm, kSwitch), kind, 8_MiB);
      // Headers take 42 of 1490 bytes; windows, ACKs and store-and-forward a little more. Never faster than
      // the links.
      EXPECT_GT(packets.time, links.time);
      EXPECT_LT(to_ns(packets.time), 1.15 * to_ns(links.time)) << name(kind);
    }
  }
}

// Sizes and bus bandwidths are nccl-tests', so that both can stand side by side: by it, every collective that
// keeps all links busy has the rate of a link.
TEST(CollectiveBench, AnAllGatherHasTheBusBandwidthOfTheReduceScatterThatMirrorsIt) {
  const auto run = [](CollectiveKind kind) {
    return bench_collective(with(system::kRing, kSwitch), kind, 64_MiB);
  };
  const CollectivePoint gather = run(CollectiveKind::all_gather);
  const CollectivePoint scatter = run(CollectiveKind::reduce_scatter);
  EXPECT_EQ(gather.size, 64_MiB);
  EXPECT_NEAR(to_ns(gather.time) / to_ns(scatter.time), 1, 1e-4);
  EXPECT_NEAR(gather.bus_bandwidth(CollectiveKind::all_gather), 12.5, 0.1);
  EXPECT_NEAR(scatter.bus_bandwidth(CollectiveKind::reduce_scatter), 12.5, 0.1);
}

TEST(CollectiveBench, ABarrierHasNoBandwidthAndABroadcastThatOfItsData) {
  const CollectivePoint barrier = bench_collective({.network = kSwitch}, CollectiveKind::barrier, 64_KiB);
  EXPECT_GT(barrier.time, Duration{});
  EXPECT_EQ(barrier.size, 0_B);
  EXPECT_EQ(barrier.bus_bandwidth(CollectiveKind::barrier), 0);
  const CollectivePoint broadcast = bench_collective({.network = kSwitch}, CollectiveKind::broadcast, 64_KiB);
  EXPECT_EQ(broadcast.bus_bandwidth(CollectiveKind::broadcast), broadcast.algorithm_bandwidth());
}

TEST(CollectiveBench, SizesGoUpByTheFactor) {
  EXPECT_EQ(sizes(1_KiB, 5_KiB, 2), (std::vector{1_KiB, 2_KiB, 4_KiB}));
  EXPECT_THROW(sizes(1_KiB, 5_KiB, 1), UserError);
  EXPECT_THROW(sizes(0_B, 5_KiB, 2), UserError);
}

}  // namespace
}  // namespace overture::study
