// What a sender knows of lost segments, and what a receiver tells about those it holds.
#include "overture/network/packet/scoreboard.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "overture/base/random.h"
#include "overture/network/packet/reassembly.h"

namespace overture::network::packet {
namespace {

Scoreboard segments(std::uint64_t count) {
  Scoreboard board;
  for (std::uint64_t i = 0; i < count; ++i) board.append(100 * i, 100);
  return board;
}

TEST(Scoreboard, ThreeSelectivelyAcknowledgedAboveMakeALoss) {
  Scoreboard board = segments(6);
  EXPECT_EQ(board.sack(200, 400), 200);
  board.detect(3);
  EXPECT_EQ(board.next_lost(), nullptr);
  EXPECT_FALSE(board.is_lost(0));
  EXPECT_EQ(board.sack(200, 500), 100);  // only the third is news
  board.detect(3);
  EXPECT_TRUE(board.is_lost(0));
  EXPECT_FALSE(board.is_lost(200));   // arrived
  EXPECT_FALSE(board.is_lost(500));   // above all that arrived
  EXPECT_EQ(board.in_flight(), 100);  // two lost, three arrived, one on its way
  ASSERT_NE(board.next_lost(), nullptr);
  EXPECT_EQ(board.next_lost()->begin, 0);
  board.resend(*board.next_lost(), 100);
  EXPECT_EQ(board.next_lost()->begin, 100);
  EXPECT_EQ(board.acknowledge(500), 200);
  EXPECT_EQ(board.in_flight(), 100);
  EXPECT_TRUE(board.clean());
}

TEST(Scoreboard, AfterATimeoutAllThatIsNotKnownToHaveArrivedIsSentAgain) {
  Scoreboard board = segments(4);
  board.sack(200, 300);
  board.lose_all();
  EXPECT_EQ(board.in_flight(), 0);
  std::vector<std::uint64_t> resent;
  while (Scoreboard::Segment* const lost = board.next_lost()) {
    resent.push_back(lost->begin);
    board.resend(*lost, 100);
  }
  EXPECT_EQ(resent, (std::vector<std::uint64_t>{0, 100, 300}));
}

TEST(Scoreboard, WhatWasSentAgainIsInFlightUntilItIsAcknowledgedInOrder) {
  Scoreboard board = segments(3);
  board.lose_all();
  board.resend(*board.next_lost(), 100);
  board.resend(*board.next_lost(), 100);
  EXPECT_EQ(board.in_flight(), 200);
  EXPECT_EQ(board.sack(100, 200), 100);
  EXPECT_EQ(board.in_flight(), 200);
  EXPECT_TRUE(board.resent_until(100));
  EXPECT_FALSE(board.resent_until(200));  // it has arrived
  EXPECT_TRUE(board.resent_until(200, 100, 2));
  EXPECT_EQ(board.acknowledge(200), 100);
  EXPECT_EQ(board.in_flight(), 0);
}

TEST(Scoreboard, WhatIsSentAgainUnaskedCountsTwice) {
  Scoreboard board = segments(3);
  ASSERT_NE(board.next_unresent(), nullptr);
  board.resend(*board.next_unresent(), 100);
  EXPECT_EQ(board.in_flight(), 400);
  EXPECT_EQ(board.next_unresent()->begin, 100);
}

// A message's short last segment, then those of the next message.
Scoreboard short_first() {
  Scoreboard board;
  board.append(0, 40);
  board.append(40, 100);
  board.append(140, 100);
  return board;
}

TEST(Scoreboard, AShortSegmentIsSentAgainWithSomeOfTheNextOne) {
  Scoreboard board = short_first();
  board.lose_all();
  board.resend(*board.next_lost(), 100);
  EXPECT_EQ(board.first().length, 100);
  EXPECT_EQ(board.in_flight(), 100);
  ASSERT_NE(board.next_lost(), nullptr);
  EXPECT_EQ(board.next_lost()->begin, 100);
  EXPECT_EQ(board.next_lost()->length, 40);
  board.resend(*board.next_lost(), 100);
  EXPECT_EQ(board.next_lost()->begin, 200);
  EXPECT_EQ(board.outstanding(), 240);
}

TEST(Scoreboard, TwoSegmentsThatFitIntoAPacketBecomeOne) {
  Scoreboard board;
  board.append(0, 40);
  board.append(40, 50);
  board.append(90, 100);
  board.lose_all();
  board.resend(*board.next_lost(), 100);
  EXPECT_EQ(board.first().length, 90);  // at most two, even if more fits
  EXPECT_EQ(board.next_lost()->begin, 90);
  EXPECT_EQ(board.acknowledge(90), 90);
  EXPECT_EQ(board.in_flight(), 0);
}

TEST(Scoreboard, NothingIsTakenFromASegmentThatArrivedOrIsNotLost) {
  Scoreboard arrived = short_first();
  arrived.sack(40, 140);
  arrived.lose_all();
  arrived.resend(*arrived.next_lost(), 100);
  EXPECT_EQ(arrived.first().length, 40);

  Scoreboard lost = short_first();
  lost.lose_first();
  lost.resend(*lost.next_lost(), 100);
  EXPECT_EQ(lost.first().length, 40);
}

TEST(Scoreboard, AnAckMayCutASegmentThatGrewWhenItWasSentAgain) {
  Scoreboard board = short_first();
  board.lose_all();
  board.resend(*board.next_lost(), 100);
  EXPECT_EQ(board.acknowledge(40), 0) << "the first packet was late, not lost; no segment has arrived whole";
  EXPECT_EQ(board.first().begin, 40);
  EXPECT_EQ(board.first().length, 60);
  EXPECT_EQ(board.in_flight(), 60);
  EXPECT_EQ(board.outstanding(), 200);
  EXPECT_EQ(board.acknowledge(240), 200);
  EXPECT_TRUE(board.clean());
}

TEST(Scoreboard, AFirstSegmentThatArrivedIsCountedOnceWhereverItIsGivenUp) {
  Scoreboard board = segments(6);
  board.sack(0, 100);  // of what no receiver should say: the first one, but not in order
  board.lose_first();
  EXPECT_EQ(board.next_lost(), nullptr);
  board.sack(300, 400);
  board.sack(400, 500);
  board.detect(3);
  EXPECT_EQ(board.next_lost(), nullptr);  // two above, not three
  board.sack(500, 600);
  board.detect(3);
  EXPECT_EQ(board.next_lost()->begin, 100);
}

// As in ns-3: what arrives right below the highest one counts as the highest from then on.
TEST(Scoreboard, OneRightBelowTheHighestTakesItsPlace) {
  Scoreboard board = segments(8);
  EXPECT_EQ(board.sack(500, 600), 100);
  EXPECT_EQ(board.sack(300, 400), 100);
  board.detect(3);
  EXPECT_EQ(board.sack(400, 500), 100);
  board.detect(3);
  EXPECT_FALSE(board.is_lost(0)) << "two of the three count";
  EXPECT_EQ(board.in_flight(), 500);
  EXPECT_EQ(board.sack(700, 800), 100);
  board.detect(3);
  EXPECT_TRUE(board.is_lost(0));
  EXPECT_EQ(board.in_flight(), 100) << "0 to 300 are lost; 600 has only one above";
}

TEST(Scoreboard, IsKeptWhileASegmentThatWasCutIsOutstanding) {
  Scoreboard board = segments(1);
  board.append_cut(100, 30);
  board.append(130, 100);
  EXPECT_FALSE(board.clean());
  board.acknowledge(100);
  EXPECT_FALSE(board.clean());
  board.acknowledge(130);
  EXPECT_TRUE(board.clean());
}

// ---- against a plain list of equal segments, counted anew for every question

class PlainBoard {
 public:
  static constexpr std::uint32_t kLength = 100;

  void append() {
    segments_.push_back({.begin = next_});
    next_ += kLength;
  }
  std::uint64_t acknowledge(std::uint64_t offset) {
    std::uint64_t news = 0;
    std::erase_if(segments_, [&](const Segment& s) {
      if (s.begin + kLength > offset) return false;
      news += s.sacked ? 0 : kLength;
      return true;
    });
    if (highest_ <= offset) highest_ = 0;
    return news;
  }
  std::uint64_t sack(std::uint64_t begin, std::uint64_t end) {
    std::uint64_t news = 0;
    for (Segment& s : segments_) {
      if (s.begin < begin || s.begin + kLength > end || s.sacked) continue;
      s.sacked = true;
      s.lost = false;
      news += kLength;
      if (highest_ <= s.begin + kLength) highest_ = s.begin;
    }
    return news;
  }
  void detect(int threshold) {
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      const auto above =
          std::count_if(segments_.begin() + static_cast<std::ptrdiff_t>(i) + 1, segments_.end(),
                        [this](const Segment& s) { return s.sacked && s.begin <= highest_; });
      if (above >= threshold && !segments_[i].sacked) segments_[i].lost = true;
    }
  }
  void lose_first() {
    if (segments_.empty()) return;
    segments_.front().resent = false;
    segments_.front().lost = !segments_.front().sacked;
  }
  void lose_all() {
    for (Segment& s : segments_) {
      s.resent = false;
      s.lost = !s.sacked;
    }
  }
  std::uint64_t next_lost() const {
    return first([](const Segment& s) { return s.lost && !s.resent; });
  }
  std::uint64_t next_unresent() const {
    return first([](const Segment& s) { return !s.sacked && !s.resent; });
  }
  void resend(std::uint64_t begin) {
    for (Segment& s : segments_) s.resent = s.resent || s.begin == begin;
  }
  std::uint32_t in_flight() const {
    int count = 0;
    for (const Segment& s : segments_)
      count += 1 - (s.sacked ? 1 : 0) - (s.lost ? 1 : 0) + (s.resent ? 1 : 0);
    return static_cast<std::uint32_t>(count) * kLength;
  }
  std::uint32_t outstanding() const { return static_cast<std::uint32_t>(segments_.size()) * kLength; }
  bool clean() const {
    return std::ranges::none_of(segments_, [](const Segment& s) { return s.sacked || s.lost || s.resent; });
  }
  std::uint64_t begin() const { return next_ - outstanding(); }
  std::uint64_t end() const { return next_; }

 private:
  struct Segment {
    std::uint64_t begin;
    bool sacked = false;
    bool lost = false;
    bool resent = false;
  };
  template <class Is>
  std::uint64_t first(Is is) const {
    const auto found = std::ranges::find_if(segments_, is);
    return found == segments_.end() ? ~std::uint64_t{0} : found->begin;
  }

  std::vector<Segment> segments_;
  std::uint64_t next_ = 0;
  std::uint64_t highest_ = 0;  // begin of the one that counts as highest
};

std::uint64_t begin_of(const Scoreboard::Segment* segment) {
  return segment == nullptr ? ~std::uint64_t{0} : segment->begin;
}

TEST(Scoreboard, AnswersAsAPlainListDoes) {
  constexpr std::uint32_t kLength = PlainBoard::kLength;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomStream random(seed, 0);
    Scoreboard board;
    PlainBoard plain;
    const int threshold = 1 + static_cast<int>(random.below(4));
    const auto somewhere = [&] {
      return plain.begin() + kLength * random.below(plain.outstanding() / kLength + 1);
    };
    for (int step = 0; step < 400; ++step) {
      const std::uint64_t kind = random.below(20);
      if (kind < 7) {
        board.append(plain.end(), kLength);
        plain.append();
      } else if (kind < 11) {
        const std::uint64_t begin = somewhere();
        const std::uint64_t end = begin + kLength * random.below(4);
        ASSERT_EQ(board.sack(begin, end), plain.sack(begin, end));
        board.detect(threshold);
        plain.detect(threshold);
      } else if (kind < 14) {
        if (Scoreboard::Segment* const lost = board.next_lost()) {
          plain.resend(lost->begin);
          board.resend(*lost, kLength);
        }
      } else if (kind == 14) {
        if (Scoreboard::Segment* const unresent = board.next_unresent()) {
          plain.resend(unresent->begin);
          board.resend(*unresent, kLength);
        }
      } else if (kind == 15) {
        board.lose_first();
        plain.lose_first();
      } else if (kind == 16 && random.below(4) == 0) {
        board.lose_all();
        plain.lose_all();
      } else {
        const std::uint64_t ack = somewhere();
        ASSERT_EQ(board.acknowledge(ack), plain.acknowledge(ack));
      }
      ASSERT_EQ(board.outstanding(), plain.outstanding());
      ASSERT_EQ(board.in_flight(), plain.in_flight()) << "step " << step;
      ASSERT_EQ(begin_of(board.next_lost()), plain.next_lost()) << "step " << step;
      ASSERT_EQ(begin_of(board.next_unresent()), plain.next_unresent()) << "step " << step;
      ASSERT_EQ(board.clean(), plain.clean());
    }
  }
}

std::vector<std::uint64_t> begins(const SackBlocks& blocks) {
  std::vector<std::uint64_t> result;
  for (int i = 0; i < blocks.count; ++i) result.push_back(blocks.blocks[static_cast<std::size_t>(i)].begin);
  return result;
}

TEST(Reassembly, TellsTheFourNewestBlocks) {
  Reassembly held;
  for (const std::uint64_t begin : {100, 300, 500, 700, 900}) {
    EXPECT_TRUE(held.add({begin, begin + 100}, 0));
  }
  EXPECT_EQ(begins(held.blocks()), (std::vector<std::uint64_t>{900, 700, 500, 300}));
  EXPECT_FALSE(held.add({500, 600}, 0));  // held already: nothing changes
  EXPECT_TRUE(held.add({600, 700}, 0));   // joins its neighbours
  EXPECT_EQ(begins(held.blocks()), (std::vector<std::uint64_t>{500, 900, 300}));
  EXPECT_EQ(held.blocks().bytes(), 28);
  EXPECT_TRUE(held.add({0, 100}, 0));
  EXPECT_EQ(held.release(0), 200);  // with the block that was forgotten
  EXPECT_EQ(held.release(400), 400);
  EXPECT_EQ(begins(held.blocks()), (std::vector<std::uint64_t>{500, 900}));
}

}  // namespace
}  // namespace overture::network::packet
