#include "overture/study/calibrate/fit.h"

#include <gtest/gtest.h>

namespace overture::study {
namespace {

using recording::Event;
using recording::Piece;
using recording::Received;
using recording::Recording;
using recording::Sent;

// A party that gathers: 2 us and 3 ns a lookup; every tenth time it is interrupted for a millisecond.
// Products of one shape take 1 us and 40 ns a sample. Messages take 30 us and 1 ns a byte.
Recording made_up() {
  Recording recording;
  recording.parties.resize(2);
  std::int64_t now = 1'000'000;
  for (int i = 0; i < 200; ++i) {
    const std::int64_t lookups = 1000 + 37 * i;
    const std::int64_t length = 2000 + 3 * lookups + (i % 10 == 0 ? 1'000'000 : 0);
    auto& events = recording.parties[1].events;
    events.emplace_back(
        Piece{.work = Work::gather, .numbers = {lookups, 16 * lookups, 500}, .begin = now, .length = length});
    const std::int64_t samples = i % 2 == 0 ? 128 : 512;
    events.emplace_back(Piece{
        .work = Work::forward, .numbers = {samples, 64, 32}, .begin = now, .length = 1000 + 40 * samples});
    now += 10'000'000;
    const std::int64_t bytes = 1000 * i;
    events.emplace_back(Sent{.begin = now, .length = 500, .to = 0, .kind = 1, .step = i, .bytes = bytes});
    recording.parties[0].events.emplace_back(Received{
        .at = now + 30'000 + bytes, .waited = 9'000'000, .from = 1, .kind = 1, .step = i, .bytes = bytes});
  }
  recording.parties[1].head.party = 1;
  recording.parties[0].head.machine = {.processor = "Abacus 7", .cores = 4};
  return recording;
}

TEST(Fit, FindsTheConstantsOfAMadeUpRecording) {
  const Recording recording = made_up();
  const FittedMachine fitted = fit_machine({&recording, 1});
  const auto at = [&](Work work, const WorkNumbers& numbers) {
    return static_cast<double>(fitted.machine.time(work, numbers).count()) / 1000;
  };
  EXPECT_NEAR(at(Work::gather, {5000, 80'000, 500}), 17'000, 20);
  EXPECT_NEAR(at(Work::gather, {20'000, 320'000, 500}), 62'000, 100);
  EXPECT_NEAR(at(Work::forward, {2048, 64, 32}), 1000 + 40 * 2048, 10);  // a batch that was not measured
  EXPECT_NEAR(at(Work::send, {1 << 20, 0, 0}), 500, 1);
  EXPECT_NEAR(static_cast<double>(fitted.machine.message.count()), 30e6, 1e4);
  EXPECT_NEAR(static_cast<double>(fitted.machine.wire.bits_per_second()), 8e9, 1e7);
  EXPECT_EQ(fitted.machine.name.processor, "Abacus 7");
  EXPECT_LT(fitted.machine.cost(Work::gather)->spread, 0.001);
  EXPECT_EQ(fitted.machine.cost(Work::gather)->pieces, 144u);  // of 160; the others were interrupted
  EXPECT_FALSE(fitted.machine.cost(Work::plan));
}

TEST(Fit, NoCostIsNegative) {
  std::vector<Observation> falling;
  for (int i = 1; i <= 10; ++i) falling.push_back({{static_cast<double>(i), 0, 0}, 100.0 - i});
  const LinearFit fit = fit_costs(falling);
  EXPECT_EQ(fit.per[0], 0);
  EXPECT_NEAR(fit.each, 94.5, 1);
}

TEST(Fit, ResidualsOnOtherRecordingsSayHowFarItIs) {
  const Recording recording = made_up();
  model::Machine machine = fit_machine({&recording, 1}).machine;
  Recording slower = made_up();
  for (Event& event : slower.parties[1].events) {
    if (auto* piece = std::get_if<Piece>(&event)) piece->length *= 2;
  }
  for (const Residual& one : residuals(machine, {&slower, 1})) {
    if (one.work == Work::forward) {
      EXPECT_NEAR(one.median_error, 1, 0.01);
      EXPECT_NEAR(one.measured_ms / one.fitted_ms, 2, 0.01);
    }
  }
}

// Two processes, each with threads that carry its messages: 15 us and 300 us for a million bytes.
Recording carried() {
  Recording recording;
  recording.parties.resize(2);
  for (int p = 0; p < 2; ++p) {
    recording::PartyRecord& party = recording.parties[static_cast<std::size_t>(p)];
    party.head.party = p;
    party.head.process = 100 + p;
    std::int64_t thread = 0;
    std::int64_t beside = 0;
    for (int i = 0; i < 100; ++i) {
      const std::int64_t at = 1'000'000LL * i;
      party.events.emplace_back(recording::Computed{.at = at, .thread = thread, .process = thread + beside});
      const std::int64_t bytes = 10'000 * (p + 1);
      party.events.emplace_back(
          Sent{.begin = at, .length = 1000, .to = 1 - p, .kind = 1, .step = i, .bytes = bytes});
      thread += 700'000;
      beside += 15'000 + 300 * bytes / 1000;
    }
    party.events.emplace_back(
        recording::Computed{.at = 100'000'000, .thread = thread, .process = thread + beside});
  }
  return recording;
}

TEST(Fit, FindsWhatCarryingAMessageComputes) {
  const Recording recording = carried();
  const model::Machine machine = fit_machine({&recording, 1}).machine;
  EXPECT_NEAR(static_cast<double>(machine.message_cpu.count()), 15e6, 1e4);
  EXPECT_NEAR(static_cast<double>(machine.message_cpu_per_million.count()), 300e6, 1e5);
}

// Over links that hold bytes back, carrying computes more; part of it shows in what interrupted pieces
// compute.
TEST(Fit, InterruptsOfHeldBackLinksAreWhatComputesMoreThere) {
  const Recording free = carried();
  model::Machine machine = fit_machine({&free, 1}).machine;
  EXPECT_EQ(interrupts_held_back(machine, {&free, 1}), Duration{}) << "nothing more";
  machine.costs[static_cast<std::size_t>(Work::forward)] =
      model::WorkCost{.each = Duration{std::chrono::microseconds(1)}};
  Recording held = carried();
  for (recording::PartyRecord& party : held.parties) {
    std::int64_t bytes = 0;
    std::vector<Event> events;
    for (Event& event : party.events) {
      if (auto* computed = std::get_if<recording::Computed>(&event)) {
        computed->thread = computed->at;                                  // it always had its core
        computed->process += computed->at / 10 * 3 + 200 * bytes / 1000;  // 200 us more for a million bytes
      }
      events.push_back(event);
      const auto* sent = std::get_if<Sent>(&event);
      if (sent == nullptr) continue;
      bytes += sent->bytes;  // and 100 us more in a piece
      events.emplace_back(Piece{.work = Work::forward,
                                .numbers = {},
                                .begin = sent->begin,
                                .length = 1000 + 100 * sent->bytes / 1000});
    }
    party.events = std::move(events);
  }
  EXPECT_NEAR(static_cast<double>(interrupts_held_back(machine, {&held, 1}).count()), 300e6, 6e6);
}

// All messages take 8 us, so both sides compute at most 4 us for each of the 400; the rest is that of bytes.
TEST(Fit, CarryingAMessageComputesNoMoreThanTheMessageTakes) {
  Recording recording = carried();
  for (int p = 0; p < 2; ++p) {
    std::vector<Event> events;
    std::int64_t step = 0;
    for (const Event& event : recording.parties[static_cast<std::size_t>(p)].events) {
      events.push_back(event);
      if (!std::holds_alternative<Sent>(event)) continue;
      events.emplace_back(recording::Received{.at = std::get<Sent>(event).begin + 8000,
                                              .waited = 500'000,
                                              .from = 1 - p,
                                              .kind = 1,
                                              .step = step++,
                                              .bytes = 10'000 * (2 - p)});
    }
    recording.parties[static_cast<std::size_t>(p)].events = std::move(events);
  }
  const model::Machine machine = fit_machine({&recording, 1}).machine;
  EXPECT_NEAR(static_cast<double>(machine.message.count()), 8e6, 1e4);
  EXPECT_NEAR(static_cast<double>(machine.message_cpu.count()), 4e6, 1e4);
  const double beside = 100 * (15'000 + 3000) + 100 * (15'000 + 6000);
  EXPECT_NEAR(static_cast<double>(machine.message_cpu_per_million.count()),
              1e9 * (beside - 400 * 4000) / 6'000'000, 1e6);
}

TEST(Fit, CostsOfTheOtherMachineArePreferred) {
  const auto us = [](int n) { return Duration{std::chrono::microseconds(n)}; };
  model::Machine machine{.message_cpu = us(7)};
  machine.costs[static_cast<std::size_t>(Work::gather)] = model::WorkCost{.each = us(1)};
  machine.costs[static_cast<std::size_t>(Work::plan)] = model::WorkCost{.each = us(2)};
  machine.shapes = {{.inputs = 4, .outputs = 2, .each = us(3)}, {.inputs = 8, .outputs = 2, .each = us(4)}};
  model::Machine better{.message_cpu = us(9)};
  better.costs[static_cast<std::size_t>(Work::gather)] = model::WorkCost{.each = us(5)};
  better.shapes = {{.inputs = 8, .outputs = 2, .each = us(6)}, {.inputs = 1, .outputs = 1, .each = us(8)}};
  prefer_costs(machine, better);
  EXPECT_EQ(machine.cost(Work::gather)->each, us(5));
  EXPECT_EQ(machine.cost(Work::plan)->each, us(2));
  ASSERT_EQ(machine.shapes.size(), 3U);
  EXPECT_EQ(machine.shapes[0].each, us(3));
  EXPECT_EQ(machine.shapes[1].each, us(6));
  EXPECT_EQ(machine.shapes[2].each, us(8));
  EXPECT_EQ(machine.message_cpu, us(7));
}

TEST(Fit, PartiesOfOneProcessDoNotTellWhatCarryingComputes) {
  Recording recording = carried();
  for (recording::PartyRecord& party : recording.parties) party.head.process = 7;
  EXPECT_EQ(fit_machine({&recording, 1}).machine.message_cpu, Duration{});
}

TEST(Fit, ThreadsOfATrainersOwnAreNotItsTransport) {
  Recording recording = carried();
  for (recording::PartyRecord& party : recording.parties) party.head.threads = 4;
  EXPECT_EQ(fit_machine({&recording, 1}).machine.message_cpu, Duration{});
}

// The thread had a core for half of the time: the work computes for half of what it took.
TEST(Fit, TimeWithoutACoreIsNotTheWorks) {
  Recording recording;
  recording.parties.resize(1);
  auto& events = recording.parties[0].events;
  for (int i = 0; i < 50; ++i) {
    const std::int64_t at = 100'000LL * i;
    events.emplace_back(recording::Computed{.at = at, .thread = 20'000LL * i, .process = 20'000LL * i});
    events.emplace_back(Piece{.work = Work::end_step, .numbers = {10, 0, 0}, .begin = at, .length = 40'000});
  }
  events.emplace_back(recording::Computed{.at = 5'000'000, .thread = 1'000'000, .process = 1'000'000});
  const model::Machine machine = fit_machine({&recording, 1}).machine;
  EXPECT_NEAR(static_cast<double>(machine.time(Work::end_step, {10, 0, 0}).count()), 20e6, 1e5);
}

// 5 + 2a + 0.5b, without noise.
TEST(FitCosts, FindsTheLineThatThereIs) {
  std::vector<Observation> observations;
  for (int a = 1; a <= 5; ++a) {
    for (int b = 10; b <= 50; b += 10)
      observations.push_back({.counts = {1.0 * a, 1.0 * b, 0}, .value = 5 + 2.0 * a + 0.5 * b});
  }
  const LinearFit fit = fit_costs(observations);
  EXPECT_NEAR(fit.each, 5, 1e-6);
  EXPECT_NEAR(fit.per[0], 2, 1e-6);
  EXPECT_NEAR(fit.per[1], 0.5, 1e-6);
  EXPECT_DOUBLE_EQ(fit.per[2], 0);
  EXPECT_NEAR(fit.spread, 0, 1e-9);
  EXPECT_EQ(fit.kept, observations.size());
  EXPECT_NEAR(fit.at({3, 30, 0}), 5 + 6 + 15, 1e-6);
}

// Ten times as long as the others: something else ran meanwhile.
TEST(FitCosts, PiecesThatWereInterruptedDoNotCount) {
  std::vector<Observation> observations;
  for (int i = 1; i <= 100; ++i) observations.push_back({.counts = {1000.0 * i, 0, 0}, .value = 3000.0 * i});
  observations[50].value *= 10;
  observations[99].value *= 10;
  const LinearFit fit = fit_costs(observations);
  EXPECT_NEAR(fit.per[0], 3, 0.1);
  EXPECT_EQ(fit.kept, 98u);
}

TEST(FitCosts, WhatFallsWithItsNumbersIsFlat) {
  const LinearFit fit = fit_costs(std::vector<Observation>{{.counts = {1, 0, 0}, .value = 30},
                                                           {.counts = {2, 0, 0}, .value = 20},
                                                           {.counts = {3, 0, 0}, .value = 10}});
  EXPECT_GE(fit.each, 0);
  EXPECT_GE(fit.per[0], 0);
  EXPECT_GT(fit.at({2, 0, 0}), 10);
  EXPECT_LT(fit.at({2, 0, 0}), 30);
}

}  // namespace
}  // namespace overture::study
