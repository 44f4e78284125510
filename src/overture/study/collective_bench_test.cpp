#include "overture/study/collective_bench.h"

#include <gtest/gtest.h>

#include "overture/base/error.h"

namespace overture::study {
namespace {

using namespace literals;
using system::AlgorithmKind;
using system::CollectiveKind;

system::SystemConfig with(AlgorithmKind algorithm) {
  system::SystemConfig config;
  for (auto& implementation : config.implementations) implementation.per_dimension = {{algorithm}};
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
      run_collective(kSwitch, with(AlgorithmKind::ring), CollectiveKind::all_reduce, 8_MiB);
  // 14 steps of 1 MiB at 12.5 B/ns, 1 us away, and 15 endpoint delays of 10 ns; 3 x 2 ns to reduce.
  const double step_ns = 1048576 / 12.5 + 1000;
  EXPECT_NEAR(to_ns(point.time), 14 * step_ns + 15 * 10 + 7 * 6, 1);
  EXPECT_NEAR(point.bus_bandwidth(CollectiveKind::all_reduce), point.algorithm_bandwidth() * 14 / 8, 1e-9);
}

TEST(CollectiveBench, PacketsAgreeWithSharedLinksOnAStar) {
  const network::PacketNetworkConfig star{.topology = {.shape = topology::StarConfig{.hosts = 8}}};
  for (const AlgorithmKind algorithm : {AlgorithmKind::ring, AlgorithmKind::direct}) {
    for (const CollectiveKind kind : {CollectiveKind::all_to_all, CollectiveKind::all_gather}) {
      const CollectivePoint packets = run_collective(star, with(algorithm), kind, 8_MiB);
      const CollectivePoint links = run_collective(kSwitch, with(algorithm), kind, 8_MiB);
      // Headers take 42 of 1490 bytes; windows, ACKs and store-and-forward a little more. Never faster than
      // the links.
      EXPECT_GT(packets.time, links.time);
      EXPECT_LT(to_ns(packets.time), 1.15 * to_ns(links.time)) << name(kind);
    }
  }
}

TEST(CollectiveBench, SizesGoUpByTheFactor) {
  EXPECT_EQ(sizes(1_KiB, 5_KiB, 2), (std::vector{1_KiB, 2_KiB, 4_KiB}));
  EXPECT_THROW(sizes(1_KiB, 5_KiB, 1), UserError);
  EXPECT_THROW(sizes(0_B, 5_KiB, 2), UserError);
}

}  // namespace
}  // namespace overture::study
