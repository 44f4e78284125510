#include "overture/topology/opera_paths.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "overture/base/testing.h"
#include "overture/topology/graph.h"
#include "overture/topology/opera_picture.h"

namespace overture::topology {
namespace {

using namespace literals;

using Hops = std::vector<std::uint8_t>;

// Every way of exactly `left` circuits that last, low uplinks first.
void enumerate(const Opera& opera, int slice, int at, int to, int left, Hops& taken,
               std::vector<Hops>& found) {
  if (left == 0) {
    if (at == to) found.push_back(taken);
    return;
  }
  for (int uplink = 0; uplink < opera.uplinks(); ++uplink) {
    if (uplink == opera.dark_rotor(slice)) continue;
    taken.push_back(static_cast<std::uint8_t>(uplink));
    enumerate(opera, slice, opera.peer(slice, at, uplink), to, left - 1, taken, found);
    taken.pop_back();
  }
}

std::vector<Hops> shortest(const Opera& opera, int slice, int from, int to) {
  std::vector<Hops> found;
  Hops taken;
  for (int hops = 1; found.empty() && hops <= opera.tors(); ++hops)
    enumerate(opera, slice, from, to, hops, taken, found);
  return found;
}

std::vector<Hops> told(const OperaPaths& paths, int slice, int from, int to) {
  std::vector<Hops> all;
  for (int number = 0; number < paths.count(slice, from, to); ++number) {
    const OperaPaths::Path path = paths.path(slice, from, to, number);
    all.emplace_back(path.begin(), path.end());
  }
  return all;
}

TEST(OperaPaths, AreAllShortestOnesInTheOrderOfTheirUplinks) {
  for (const auto& [tors, ports] : {std::pair{4, 8}, {8, 8}, {9, 6}, {12, 8}}) {
    const Opera opera = generate_opera({.tors = tors, .ports = ports, .draws = 1});
    const OperaPaths all(opera, 1000);
    const OperaPaths two(opera, 2);
    for (int slice = 0; slice < opera.slices(); ++slice) {
      for (int from = 0; from < tors; ++from) {
        for (int to = 0; to < tors; ++to) {
          if (from == to) {
            EXPECT_EQ(all.count(slice, from, to), 0);
            continue;
          }
          std::vector<Hops> expected = shortest(opera, slice, from, to);
          ASSERT_EQ(told(all, slice, from, to), expected) << tors << ' ' << slice;
          expected.resize(std::min<std::size_t>(expected.size(), 2));
          ASSERT_EQ(told(two, slice, from, to), expected) << "the first two";
        }
      }
    }
  }
}

TEST(OperaPaths, ReadFromAFileAreThoseThatWereWritten) {
  const Opera opera = generate_opera({.tors = 8, .ports = 8, .draws = 1});
  const OperaPaths written(opera, 3);
  OperaPaths read(8);
  for (int slice = 0; slice < opera.slices(); ++slice) {
    for (int from = 0; from < 8; ++from) {
      for (int to = 0; to < 8; ++to) {
        read.add_pair();
        for (const Hops& path : told(written, slice, from, to)) read.add_path(path);
      }
    }
  }
  read.finish();
  EXPECT_EQ(read, written);
}

TEST(SliceDistances, AreSymmetricAndSumUp) {
  const Opera opera = generate_opera({.tors = 12, .ports = 8, .draws = 1});
  for (int slice = 0; slice < opera.slices(); ++slice) {
    const SliceDistances distances(opera, slice);
    std::int64_t sum = 0;
    int worst = 0;
    for (int from = 0; from < 12; ++from) {
      EXPECT_EQ(distances(from, from), 0);
      for (int to = 0; to < 12; ++to) {
        EXPECT_EQ(distances(from, to), distances(to, from)) << "circuits go both ways";
        sum += distances(from, to);
        worst = std::max(worst, distances(from, to));
      }
    }
    EXPECT_EQ(distances.sum(), sum);
    EXPECT_EQ(distances.worst(), worst);
    EXPECT_TRUE(distances.connected());
  }
}

TEST(CountHops, IsTheWorstAndTheMeanOfAllSlices) {
  const Opera opera = generate_opera({.tors = 9, .ports = 6, .draws = 1});
  std::size_t worst = 0;
  double sum = 0;
  for (int slice = 0; slice < 9; ++slice) {
    for (int from = 0; from < 9; ++from) {
      for (int to = 0; to < 9; ++to) {
        if (from == to) continue;
        const std::size_t hops = shortest(opera, slice, from, to).front().size();
        worst = std::max(worst, hops);
        sum += static_cast<double>(hops);
      }
    }
  }
  EXPECT_EQ(static_cast<std::size_t>(count_hops(opera).worst), worst);
  EXPECT_DOUBLE_EQ(count_hops(opera).mean, sum / (9 * 8 * 9));
}

// Two rotors, of which one is always dark: each slice is one matching, which joins pairs.
Opera two_rotors() {
  const std::vector<Matching> all = circle_matchings(4);
  return {1, {{all[0], all[1]}, {all[2], all[3]}}, {.stable = 5us, .drain = 1us, .dark = 2us}};
}

TEST(CountHops, OfASliceThatFallsApartIsNotConnected) {
  EXPECT_FALSE(count_hops(two_rotors()).connected);
  EXPECT_FALSE(SliceDistances(two_rotors(), 0).connected());
}

// Whatever formula says which matching a rotor shows: it changes when it comes out of the dark, and only
// then.
TEST(Opera, ARotorChangesItsMatchingInTheDarkAndAtNoOtherTime) {
  for (const auto& [tors, ports] : {std::pair{4, 8}, {8, 8}, {9, 6}, {24, 12}}) {
    const Opera opera = generate_opera({.tors = tors, .ports = ports, .draws = 1});
    for (int slice = 0; slice < tors; ++slice) {
      for (int uplink = 0; uplink < opera.uplinks(); ++uplink) {
        int same = 0;
        for (int tor = 0; tor < tors; ++tor)
          same += opera.peer(slice, tor, uplink) == opera.peer((slice + 1) % tors, tor, uplink) ? 1 : 0;
        const bool one_matching = tors == opera.uplinks();  // a rotor that shows the same one all the time
        if (uplink != opera.dark_rotor(slice) || one_matching) {
          EXPECT_EQ(same, tors);
        } else {
          EXPECT_EQ(same, 0) << "no pair meets twice";
        }
      }
    }
  }
}

TEST(Opera, ASlotLastsFromComingUpUntilTheDrain) {
  const Opera opera = two_rotors();
  EXPECT_EQ(opera.timing().slice(), Duration{8us});
  EXPECT_EQ(opera.cycle(), Duration{32us});
  EXPECT_EQ(opera.slot(), Duration{8us + 5us}) << "a slice, and the stable part of the next";
  EXPECT_EQ(opera.at(Time{13us - 1_ps}).part, 0);
  EXPECT_EQ(opera.at(Time{13us}).part, 1);
  EXPECT_EQ(opera.at(Time{14us}).part, 2);
  EXPECT_EQ(opera.at(Time{32us + 9us}).slice, 1) << "in the next cycle";
}

TEST(Opera, HostsAreNumberedToRByToR) {
  const Opera opera = generate_opera({.tors = 4, .ports = 8, .draws = 1});
  EXPECT_EQ(opera.hosts(), 16);
  EXPECT_EQ(opera.hosts_per_tor(), 4);
  EXPECT_EQ(opera.tor_of(3), 0);
  EXPECT_EQ(opera.tor_of(4), 1);
  EXPECT_EQ(opera.tor_of(15), 3);
}

std::string error_of(int hosts, std::vector<std::vector<Matching>> rotors,
                     OperaTiming timing = {.stable = 1us}) {
  return user_error([&] { Opera(hosts, std::move(rotors), timing); });
}

TEST(Opera, AScheduleThatIsGivenIsChecked) {
  const std::vector<Matching> all = circle_matchings(4);
  EXPECT_EQ(error_of(1, {{all[0], all[1]}, {all[2], all[3]}}), "");
  EXPECT_EQ(error_of(0, {{all[0], all[1]}, {all[2], all[3]}}), "an Opera ToR has a host and an uplink");
  EXPECT_EQ(error_of(1, {}), "an Opera ToR has a host and an uplink");
  EXPECT_EQ(error_of(1, {{all[0], all[1], all[2]}, {all[3]}}), "rotors have different numbers of matchings");
  EXPECT_EQ(error_of(1, {{all[0], all[1]}, {all[2], all[2]}}),
            "some pair of ToRs does not meet exactly once in a cycle");
  EXPECT_NE(error_of(1, {all}, {.stable = 0us, .drain = 1us}).find("make the slice longer"),
            std::string::npos);
  EXPECT_NE(error_of(1, {all}, {.stable = 1us, .drain = Duration{-1}}).find("leaves no time"),
            std::string::npos);
}

TEST(Opera, SaysWhatWouldWork) {
  const auto error = [](const OperaConfig& config) { return user_error([&] { generate_opera(config); }); };
  EXPECT_NE(error({.tors = 10, .ports = 8}).find("use a multiple of 4 ToRs"), std::string::npos);
  EXPECT_NE(error({.tors = 8, .ports = 7}).find("half of them go to hosts"), std::string::npos);
  EXPECT_NE(error({.tors = 5000, .ports = 8}).find("2 to 4096 ToRs, not 5000"), std::string::npos);
  EXPECT_NE(error({.draws = 0}).find("at least one draw"), std::string::npos);
  EXPECT_NE(error({.queue_packets = 0}).find("a queue of at least one packet"), std::string::npos);
  EXPECT_NE(error({.dark = kMostDelay + 1_ps}).find("too long"), std::string::npos);
  EXPECT_NE(error({.tors = 8, .ports = 4}).find("give the ToRs more ports"), std::string::npos);
}

TEST(Opera, WithoutLowLatencyTrafficSlicesMayFallApart) {
  const Opera opera = generate_opera({.tors = 8, .ports = 4, .draws = 1, .connected = false});
  EXPECT_EQ(opera.tors(), 8);
  EXPECT_FALSE(count_hops(opera).connected);
}

TEST(OperaTiming, ASliceThatIsGivenTakesItsStablePartFromWhatIsLeft) {
  const OperaTiming timing = opera_timing({.slice = 30us}, 3);
  EXPECT_EQ(timing.slice(), Duration{30us});
  EXPECT_EQ(timing.dark, Duration{10us});
  EXPECT_EQ(timing.drain, Duration{500ns + 120ns}) << "the wire and 1,500 bytes at 100 Gbps";
}

TEST(OperaTiming, WithOneHopAndAQueueOfOnePacketThereIsStillTimeForAPacket) {
  EXPECT_EQ(opera_timing({.queue_packets = 1}, 1).stable, Duration{120ns});
}

std::size_t count(const std::string& text, std::string_view word) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size()) ++found;
  return found;
}

TEST(OperaPicture, HasABlackStripePerToRAndSlice) {
  const std::string svg = opera_picture(generate_opera({.tors = 8, .ports = 8, .draws = 1}));
  EXPECT_EQ(count(svg, "fill=\"#222\""), 64U);
  EXPECT_EQ(count(svg, ">ToR "), 8U) << "one label each";
  EXPECT_EQ(svg.find("the first"), std::string::npos);
  EXPECT_NE(svg.find("8 ToRs, 4 rotors, 32 hosts"), std::string::npos);
}

TEST(OperaPicture, OfManyToRsShowsTheFirstAndSaysSo) {
  const std::string svg = opera_picture(generate_opera({.tors = 12, .ports = 8, .draws = 1}), 5);
  EXPECT_NE(svg.find("(the first 5 ToRs and slices)"), std::string::npos);
  EXPECT_EQ(count(svg, "fill=\"#222\""), 25U);
  EXPECT_EQ(svg.find("slice 5,"), std::string::npos);
}

}  // namespace
}  // namespace overture::topology
