// Opera's schedules: what every generated one promises, and the timing formulas.
#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/topology/opera_paths.h"
#include "overture/topology/opera_picture.h"

namespace overture::topology {
namespace {

using namespace literals;

TEST(Matchings, MeetEveryPairOnceBeforeAndAfterMixing) {
  RandomStream random = RandomStreams(1).make("test");
  for (const int tors : {1, 2, 3, 4, 5, 8, 9, 32, 33}) {
    std::vector<Matching> matchings = circle_matchings(tors);
    EXPECT_TRUE(meets_every_pair_once(matchings)) << tors;
    const auto before = matchings;
    mix(matchings, 200 * tors, random);
    EXPECT_TRUE(meets_every_pair_once(matchings)) << tors;
    if (tors > 4) {
      EXPECT_NE(matchings, before) << tors;
    }
  }
}

TEST(Matchings, AreRefusedWhenAPairMeetsTwice) {
  EXPECT_FALSE(meets_every_pair_once({{1, 0}, {1, 0}}));
  EXPECT_FALSE(meets_every_pair_once({{0, 1}, {0, 1}}));
  EXPECT_FALSE(meets_every_pair_once({{0, 1}, {1, 2}}));
}

TEST(Opera, EveryPairMeetsOnceACycleAndEverySliceIsConnected) {
  for (const auto& [tors, ports] : {std::pair{4, 8}, {8, 8}, {12, 8}, {32, 8}, {9, 6}, {36, 12}}) {
    const Opera opera = generate_opera({.tors = tors, .ports = ports, .draws = 2});
    ASSERT_EQ(opera.tors(), tors);
    EXPECT_TRUE(count_hops(opera).connected);
    // A rotor shows a matching for as many slices as there are rotors, the last one darkened.
    std::vector<int> slices_met(static_cast<std::size_t>(tors * tors));
    for (int slice = 0; slice < opera.slices(); ++slice) {
      for (int tor = 0; tor < tors; ++tor) {
        for (int uplink = 0; uplink < opera.uplinks(); ++uplink) {
          const int peer = opera.peer(slice, tor, uplink);
          EXPECT_EQ(opera.peer(slice, peer, uplink), tor);
          ++slices_met[static_cast<std::size_t>(tor * tors + peer)];
        }
      }
    }
    for (const int met : slices_met) EXPECT_EQ(met, ports / 2);
  }
}

TEST(Opera, RotorsChangeOneAtATime) {
  const Opera opera = generate_opera({.tors = 8, .ports = 8, .draws = 1});
  const Duration slice = opera.timing().slice();
  for (int s = 0; s < 8; ++s) {
    const Time begin{slice * s};
    for (int uplink = 0; uplink < 4; ++uplink) {
      const bool dark = uplink == (s + 1) % 4;
      EXPECT_EQ(opera.peer_at(begin + slice - 1_ps, 0, uplink) == -1, dark);
      EXPECT_NE(opera.peer_at(begin + slice - opera.timing().dark - 1_ps, 0, uplink), -1);
      EXPECT_EQ(opera.fresh_rotor((s + 1) % 8), (s + 1) % 4);
    }
  }
}

// The table of section 1.3 of the specification.
TEST(Opera, TimingFollowsTheFormulas) {
  const auto timing = [](Bandwidth rate, int hops) { return opera_timing({.rate = rate}, hops); };
  EXPECT_EQ(timing(10_Gbps, 2).stable, 18'500'000_ps);
  EXPECT_EQ(timing(10_Gbps, 2).slice(), 30'200'000_ps);
  EXPECT_EQ(timing(100_Gbps, 2).slice(), 12'920'000_ps);
  EXPECT_EQ(timing(100_Gbps, 3).slice(), 14'380'000_ps);
  EXPECT_EQ(timing(100_Gbps, 7).slice(), 20'220'000_ps);
  EXPECT_EQ(timing(100_Gbps, 4).stable, 5'220'000_ps);
  EXPECT_EQ(timing(10_Gbps, 6).slice(), 70'600'000_ps);
}

TEST(Opera, TheStudysNetworksHaveFewHops) {
  const auto hops = [](int tors, int ports, int draws) {
    return count_hops(generate_opera({.tors = tors, .ports = ports, .draws = draws}));
  };
  EXPECT_EQ(hops(4, 8, 20).worst, 2);
  EXPECT_LE(hops(32, 8, 20).worst, 8);  // the specification's draws: 7 and 8
  EXPECT_LE(hops(128, 16, 1).worst, 5);
  EXPECT_LE(hops(108, 12, 1).worst, 6);
}

TEST(Opera, TheSameSeedGivesTheSameSchedule) {
  const auto draw = [](std::uint64_t seed) {
    return generate_opera({.tors = 32, .ports = 8, .seed = seed, .draws = 2});
  };
  EXPECT_EQ(draw(1), draw(1));
  EXPECT_FALSE(draw(1) == draw(2));
}

TEST(Opera, MoreDrawsAreNeverWorse) {
  const auto hops = [](int draws) {
    return count_hops(generate_opera({.tors = 32, .ports = 8, .draws = draws}));
  };
  const HopCount one = hops(1);
  const HopCount many = hops(8);
  EXPECT_TRUE(many.worst < one.worst || (many.worst == one.worst && many.mean <= one.mean));
}

TEST(Opera, RefusesWhatHasNoSchedule) {
  EXPECT_THROW(generate_opera({.tors = 10, .ports = 8}), UserError);
  EXPECT_THROW(generate_opera({.tors = 8, .ports = 7}), UserError);
  EXPECT_THROW(generate_opera({.tors = 1, .ports = 2}), UserError);
  EXPECT_THROW(generate_opera({.tors = 16, .ports = 2}), UserError);  // one rotor, and that one dark
  EXPECT_THROW(generate_opera({.tors = 8, .ports = 4}), UserError);   // one rotor left while one is dark
  EXPECT_THROW(generate_opera({.tors = 4, .ports = 8, .slice = 10us}), UserError);
  EXPECT_EQ(generate_opera({.tors = 4, .ports = 8, .slice = 20us}).timing().slice(), Duration{20us});
}

TEST(Opera, HopsAreCountedAsSearchedFromEveryToR) {
  for (const auto& [tors, ports] : {std::pair{4, 8}, {9, 6}, {32, 8}, {72, 12}}) {
    const Opera opera = generate_opera({.tors = tors, .ports = ports, .draws = 1});
    std::int64_t sum = 0;
    int worst = 0;
    for (int slice = 0; slice < opera.slices(); ++slice) {
      const SliceDistances distances(opera, slice);
      EXPECT_TRUE(distances.connected());
      sum += distances.sum();
      worst = std::max(worst, distances.worst());
    }
    const HopCount hops = count_hops(opera);
    EXPECT_EQ(hops.worst, worst);
    const double pairs = static_cast<double>(tors) * (tors - 1) * opera.slices();
    EXPECT_DOUBLE_EQ(hops.mean, static_cast<double>(sum) / pairs);
  }
}

TEST(OperaPaths, AreShortestAndAvoidTheDark) {
  const Opera opera = generate_opera({.tors = 32, .ports = 8, .draws = 1});
  const OperaPaths paths(opera, 12);
  for (int slice = 0; slice < opera.slices(); slice += 5) {
    const SliceDistances distances(opera, slice);
    for (int from = 0; from < 32; ++from) {
      for (int to = 0; to < 32; ++to) {
        ASSERT_EQ(paths.count(slice, from, to) > 0, from != to);
        for (int number = 0; number < paths.count(slice, from, to); ++number) {
          const auto path = paths.path(slice, from, to, number);
          EXPECT_EQ(static_cast<int>(path.size()), distances(from, to));
          int tor = from;
          for (const int uplink : path) {
            EXPECT_NE(uplink, opera.dark_rotor(slice));
            tor = opera.peer(slice, tor, uplink);
          }
          EXPECT_EQ(tor, to);
        }
      }
    }
  }
}

// With a broken uplink, paths are still shortest among those that are left, and none takes it.
TEST(OperaPaths, GoAroundWhatIsBroken) {
  const Opera opera = generate_opera({.tors = 16, .ports = 8, .draws = 1});
  const auto works = [](int tor, int uplink) { return tor != 3 || uplink != 1; };
  const OperaPaths paths(opera, 4, works);
  for (int slice = 0; slice < opera.slices(); ++slice) {
    const SliceDistances distances(opera, slice, works);
    for (int from = 0; from < 16; ++from) {
      for (int to = 0; to < 16; ++to) {
        for (int number = 0; number < paths.count(slice, from, to); ++number) {
          const auto path = paths.path(slice, from, to, number);
          EXPECT_EQ(static_cast<int>(path.size()), distances(from, to));
          int tor = from;
          for (const int uplink : path) {
            EXPECT_TRUE(works(tor, uplink));
            tor = opera.peer(slice, tor, uplink);
            EXPECT_TRUE(works(tor, uplink)) << "the other end of the circuit";
          }
          EXPECT_EQ(tor, to);
        }
      }
    }
  }
}

TEST(OperaPaths, OfAToRWithoutUplinksThereAreNone) {
  const Opera opera = generate_opera({.tors = 8, .ports = 8, .draws = 1});
  const auto works = [](int tor, int) { return tor != 3; };
  const OperaPaths paths(opera, 4, works);
  EXPECT_FALSE(SliceDistances(opera, 0, works).connected());
  for (int other = 0; other < 8; ++other) {
    EXPECT_EQ(paths.count(0, 3, other), 0);
    EXPECT_EQ(paths.count(0, other, 3), 0);
  }
}

// The parts of a slice follow each other, and the cycle comes round.
TEST(Opera, EveryMomentIsInOnePart) {
  const Opera opera = generate_opera({.tors = 8, .ports = 8, .draws = 1});
  const OperaTiming& timing = opera.timing();
  for (int cycle = 0; cycle < 2; ++cycle) {
    for (int slice = 0; slice < opera.slices(); ++slice) {
      const Time begin{opera.cycle() * cycle + timing.slice() * slice};
      const std::pair<Duration, int> moments[] = {{Duration{}, 0},
                                                  {timing.stable - Duration{1}, 0},
                                                  {timing.stable, 1},
                                                  {timing.stable + timing.drain, 2},
                                                  {timing.slice() - Duration{1}, 2}};
      for (const auto& [after, part] : moments) {
        const OperaMoment moment = opera.at(begin + after);
        EXPECT_EQ(moment.slice, slice);
        EXPECT_EQ(moment.part, part) << after.count();
      }
    }
  }
}

TEST(Opera, OnlyTheDarkRotorHasNoPeer) {
  const Opera opera = generate_opera({.tors = 8, .ports = 8, .draws = 1});
  const OperaTiming& timing = opera.timing();
  for (int slice = 0; slice < opera.slices(); ++slice) {
    const Time dark{timing.slice() * slice + timing.stable + timing.drain};
    for (int uplink = 0; uplink < opera.uplinks(); ++uplink) {
      const int peer = opera.peer_at(dark, 2, uplink);
      if (uplink == opera.dark_rotor(slice)) {
        EXPECT_EQ(peer, -1);
      } else {
        EXPECT_EQ(peer, opera.peer(slice, 2, uplink));
      }
    }
  }
}

TEST(OperaPicture, ShowsEveryCircuitOnce) {
  const Opera opera = generate_opera({.tors = 8, .ports = 8, .draws = 1});
  const std::string svg = opera_picture(opera);
  std::size_t titles = 0;
  for (std::size_t at = 0; (at = svg.find("<title>", at)) != std::string::npos; ++at) ++titles;
  EXPECT_EQ(titles, 8 * 8 * 4 - 8 * 4);  // each ToR loops for four slices of the cycle
  EXPECT_NE(svg.find("</svg>"), std::string::npos);
}

}  // namespace
}  // namespace overture::topology
