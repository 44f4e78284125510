#include "overture/train/recorder.h"

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "overture/train/testing.h"

namespace overture::train {
namespace {

namespace fs = std::filesystem;
using recording::Computed;
using recording::Event;
using recording::Piece;
using recording::Received;
using recording::Sent;

class RecorderTest : public testing::Test {
 protected:
  RecorderTest()
      : folder_(fs::path(testing::TempDir()) /
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    config_ = small_config();
    config_.record = folder_;
  }

  // What the recorder of trainer 0 has written after `play`.
  template <class Play>
  recording::PartyRecord record(Play play) {
    Recorder recorder(config_, rpc::Address{1}, 7);
    play(recorder);
    recorder.finish();
    return recording::read_party(recording::party_file(folder_, 1));
  }

  template <class T>
  static std::vector<T> all(const recording::PartyRecord& party) {
    std::vector<T> found;
    for (const Event& event : party.events) {
      if (const auto* one = std::get_if<T>(&event)) found.push_back(*one);
    }
    return found;
  }

  // As a driver does it.
  static void receive(Recorder& recorder, std::int64_t step) {
    const std::int64_t began = wall_nanoseconds();
    recorder.receiving(began);
    rpc::Message message{.from = rpc::Address{0}, .to = rpc::Address{1}, .kind = 3, .step = step};
    message.payload.resize(100);
    recorder.received(message, began, wall_nanoseconds());
  }

  fs::path folder_;
  TrainConfig config_;
};

TEST_F(RecorderTest, TheHeadSaysWhoAndWhere) {
  const recording::PartyRecord party = record([](Recorder&) {});
  EXPECT_TRUE(party.head.is_trainer());
  EXPECT_EQ(party.head.rank(), 0);
  EXPECT_EQ(party.head.first_step, 7);
  EXPECT_EQ(party.head.trainers, config_.trainers);
  EXPECT_EQ(party.head.table_rows.size(), config_.tables.tables.size());
  EXPECT_EQ(party.head.kind(static_cast<std::uint32_t>(Kind::hello)), name(Kind::hello));
  EXPECT_GT(party.head.process, 0);
}

TEST_F(RecorderTest, PiecesFollowEachOtherFromMarkToMark) {
  const std::int64_t began = wall_nanoseconds();
  const auto pieces = all<Piece>(record([&](Recorder& recorder) {
    recorder.begin(began);
    recorder.done(Work::gather, {10, 20, 30});
    recorder.done(Work::end_step, {5, 0, 0}, 9);
  }));
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(pieces[0].begin, began);
  EXPECT_EQ(pieces[0].numbers, (WorkNumbers{10, 20, 30}));
  EXPECT_EQ(pieces[0].step, Marks::kThisStep);
  EXPECT_EQ(pieces[1].begin, pieces[0].begin + pieces[0].length);
  EXPECT_EQ(pieces[1].step, 9);
}

TEST_F(RecorderTest, WhatIsTooShortToMatterIsNoRest) {
  const auto pieces = all<Piece>(record([](Recorder& recorder) {
    const std::int64_t now = wall_nanoseconds();
    recorder.begin(now + 1'000'000'000);  // as if the clock had not moved since
    recorder.rest(Work::other, 0);
    recorder.begin(now - 1'000'000);
    recorder.rest(Work::take, 64);
  }));
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_EQ(pieces[0].work, Work::take);
  EXPECT_EQ(pieces[0].numbers[0], 64);
  EXPECT_GE(pieces[0].length, 1'000'000);
}

TEST_F(RecorderTest, MessagesHaveSizeKindAndStep) {
  const recording::PartyRecord party = record([](Recorder& recorder) {
    const std::int64_t began = wall_nanoseconds();
    recorder.sent({.to = rpc::Address{2}, .kind = 8, .step = 4}, 1234, began);
    receive(recorder, 5);
  });
  const auto sent = all<Sent>(party);
  const auto received = all<Received>(party);
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].to, 2);
  EXPECT_EQ(sent[0].kind, 8u);
  EXPECT_EQ(sent[0].step, 4);
  EXPECT_EQ(sent[0].bytes, 1234);
  ASSERT_EQ(received.size(), 1u);
  EXPECT_EQ(received[0].from, 0);
  EXPECT_EQ(received[0].step, 5);
  EXPECT_EQ(received[0].bytes, 100);
}

// Clocks before and after it: the difference is what receiving computes.
TEST_F(RecorderTest, EverySixteenthMessageIsBetweenTwoReadingsOfTheClocks) {
  const recording::PartyRecord party = record([](Recorder& recorder) {
    for (int i = 0; i < 40; ++i) receive(recorder, i);
  });
  std::vector<std::int64_t> between;
  for (std::size_t i = 2; i < party.events.size(); ++i) {
    const auto* received = std::get_if<Received>(&party.events[i - 1]);
    if (received != nullptr && std::holds_alternative<Computed>(party.events[i - 2]) &&
        std::holds_alternative<Computed>(party.events[i]))
      between.push_back(received->step);
  }
  for (const std::int64_t step : {0, 16, 32}) EXPECT_TRUE(std::ranges::count(between, step) == 1) << step;
}

TEST_F(RecorderTest, ClocksOfAnotherThreadAreLeftOut) {
  const recording::PartyRecord party = record([](Recorder& recorder) {
    recorder.leave_out_computing();
    for (int i = 0; i < 40; ++i) receive(recorder, i);
  });
  EXPECT_TRUE(all<Computed>(party).empty());
  EXPECT_EQ(all<Received>(party).size(), 40u);
}

TEST_F(RecorderTest, ProcessClocksNeverFallBehindTheThreads) {
  const auto clocks = all<Computed>(record([](Recorder& recorder) {
    for (int i = 0; i < 100; ++i) receive(recorder, i);
  }));
  ASSERT_GE(clocks.size(), 2u);
  for (std::size_t i = 1; i < clocks.size(); ++i) {
    EXPECT_GE(clocks[i].thread, clocks[i - 1].thread);
    EXPECT_GE(clocks[i].process, clocks[i - 1].process);
    EXPECT_GE(clocks[i].process, clocks[i].thread);
  }
}

}  // namespace
}  // namespace overture::train
