// A run is a function of its inputs, not of the pieces in which it is run.
#include <limits>

#include <gtest/gtest.h>

#include "overture/network/packet/engine.h"
#include "overture/network/packet/testing.h"

namespace overture::network::packet {
namespace {

using topology::Topology;

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

struct Outcome {
  std::vector<std::int64_t> when;  // by message
  std::uint64_t digest = 0;
  std::uint64_t hops = 0;

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

// Runs to the end, each time as far as `piece_end` says, given when the next event is due.
template <class PieceEnd>
Outcome run(const Topology& topology, const PacketConfig& config, const std::vector<FlowSpec>& flows,
            PieceEnd piece_end) {
  Engine engine(topology, config, Pause::when_idle);
  for (const FlowSpec& flow : flows) {
    if (flow.from == flow.to) continue;
    engine.post(index(flow.from), index(flow.to), flow.size.count(), flow.start.time_since_epoch().count());
  }
  Outcome outcome;
  outcome.when.resize(flows.size(), -1);
  while (engine.next_time() != kNever) engine.run(piece_end(engine.next_time()));
  for (const Completion& done : engine.completions()) outcome.when[done.message] = done.when;
  outcome.digest = engine.digest();
  outcome.hops = engine.statistics().packet_hops;
  return outcome;
}

void expect_the_same_in_pieces(bool ndp, std::uint64_t seed) {
  RandomStream random = RandomStreams(seed).make("slices");
  const Topology topology = draw_topology(random);
  const PacketConfig config = ndp ? draw_ndp(random) : draw_tcp(random);
  std::vector<FlowSpec> flows = draw_flows(random, topology.graph.hosts());
  if (random.below(2) == 0) {  // all at once: more ties
    for (FlowSpec& flow : flows) flow.start = Time{};
  }
  const Outcome whole = run(topology, config, flows, [](std::int64_t) { return kNever; });
  const std::uint64_t longest = std::uint64_t{1} << (4 + random.below(22));
  const Outcome pieces = run(topology, config, flows, [&](std::int64_t next) {
    // Often much shorter than a bucket of the calendar, and not always long enough for an event.
    return next - 5 + static_cast<std::int64_t>(random.below(longest));
  });
  EXPECT_TRUE(whole == pieces) << (ndp ? "ndp" : "tcp") << ", seed " << seed;
}

TEST(Slices, ATcpRunInPiecesIsTheSameRun) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) expect_the_same_in_pieces(false, seed);
}

TEST(Slices, AnNdpRunInPiecesIsTheSameRun) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) expect_the_same_in_pieces(true, seed);
}

}  // namespace
}  // namespace overture::network::packet
