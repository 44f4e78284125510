#include "overture/formats/recording/recorded_run.h"

#include <gtest/gtest.h>

#include "overture/base/error.h"

namespace overture::formats {
namespace {

using recording::Computed;
using recording::Event;
using recording::Piece;
using recording::Received;
using recording::Recording;
using recording::Sent;
using std::chrono::microseconds;

enum Kind : std::uint32_t { kStep, kFetch, kStore, kRows };

std::int64_t us(std::int64_t n) { return 1000 * n; }

Piece piece(Work work, std::int64_t begin, std::int64_t length, std::int64_t step = Marks::kThisStep) {
  return {.work = work, .step = step, .begin = us(begin), .length = us(length)};
}

// A trainer, a server and the oracle; `steps` steps of a millisecond. In each the oracle plans for 50 us, and
// the trainer asks for 100 bytes, is given 4,000, gathers for 200 us and ends.
Recording made_up_run(int steps) {
  Recording run;
  run.parties.resize(3);
  for (int party = 0; party < 3; ++party) {
    recording::Head& head = run.parties[static_cast<std::size_t>(party)].head;
    head.party = party;
    head.kinds = {"step", "fetch", "store", "rows"};
  }
  recording::PartyRecord& oracle = run.parties[0];
  recording::PartyRecord& trainer = run.parties[1];
  recording::PartyRecord& server = run.parties[2];
  for (int i = 0; i < steps; ++i) {
    const std::int64_t at = 1000 * i;
    oracle.events.insert(
        oracle.events.end(),
        {Event{piece(Work::plan, at, 50, i)}, Event{piece(Work::pack_order, at + 50, 10, i)},
         Event{
             Sent{.begin = us(at + 60), .length = us(5), .to = 1, .kind = kStep, .step = i, .bytes = 500}}});
    trainer.events.insert(
        trainer.events.end(),
        {Event{piece(Work::ask_rows, at + 100, 7, i)}, Event{piece(Work::begin_step, at + 107, 20, i)},
         Event{
             Sent{.begin = us(at + 127), .length = us(3), .to = 2, .kind = kFetch, .step = i, .bytes = 100}},
         Event{Received{
             .at = us(at + 300), .waited = us(150), .from = 2, .kind = kRows, .step = i, .bytes = 4000}},
         Event{piece(Work::take_rows, at + 300, 30)}, Event{piece(Work::gather, at + 330, 200)},
         Event{piece(Work::end_step, at + 530, 40, i)}});
    server.events.insert(
        server.events.end(),
        {Event{Received{
             .at = us(at + 200), .waited = us(100), .from = 1, .kind = kFetch, .step = i, .bytes = 100}},
         Event{piece(Work::serve_rows, at + 200, 60)},
         Event{Sent{
             .begin = us(at + 260), .length = us(4), .to = 1, .kind = kRows, .step = i, .bytes = 4000}}});
  }
  return run;
}

TEST(RecordedRun, HasTheTimesAndBytesOfEveryStep) {
  const RecordedRun run = recorded_run(made_up_run(4), "here");
  ASSERT_EQ(run.run.steps.size(), 4u);
  for (const workload::TrainedStep& step : run.run.steps) {
    EXPECT_EQ(step.oracle, microseconds(65));  // plans, packs, sends
    const workload::TrainedStep::Trainer& trainer = step.trainers.at(0);
    EXPECT_EQ(trainer.order, Bytes{500});
    EXPECT_EQ(trainer.begin, microseconds(27));
    ASSERT_EQ(trainer.chores.size(), 1u);
    EXPECT_EQ(trainer.chores.front().work, Work::gather);
    EXPECT_EQ(trainer.chores.front().length, microseconds(200));
    ASSERT_EQ(step.requests.size(), 1u);
    const workload::TrainedStep::Request& request = step.requests.front();
    EXPECT_EQ(request.for_batch, step.batch);
    EXPECT_EQ(request.ask, Bytes{100});
    EXPECT_EQ(request.answer, Bytes{4000});
    EXPECT_EQ(request.serve, microseconds(64));
    EXPECT_EQ(request.take, microseconds(30));
  }
  EXPECT_DOUBLE_EQ(run.seconds_per_step(0, 3), 1e-3);
}

// Half of the time something else had the trainer's core.
TEST(RecordedRun, WorkTakesWhatItComputes) {
  Recording recording = made_up_run(3);
  auto& events = recording.parties[1].events;
  events.insert(events.begin(), Computed{.at = 0});
  events.emplace_back(Computed{.at = us(9000), .thread = us(3 * 150)});  // of 3 x 300 us
  const RecordedRun run = recorded_run(recording, "here");
  EXPECT_EQ(run.run.steps.at(1).trainers.at(0).chores.front().length, microseconds(100));
  EXPECT_EQ(run.run.steps.at(1).requests.front().serve, microseconds(64));  // the server's own
}

TEST(RecordedRun, StepsThatAreNotWholeDoNotCount) {
  Recording recording = made_up_run(5);
  recording.parties[1].events.pop_back();  // the last step never ends
  EXPECT_EQ(recorded_run(recording, "here").run.steps.size(), 4u);
}

TEST(RecordedRun, AfterAGapNothingCounts) {
  Recording recording = made_up_run(5);
  auto& events = recording.parties[0].events;
  events.erase(events.begin() + 3 * 3, events.begin() + 4 * 3);  // the order of step 3
  EXPECT_EQ(recorded_run(recording, "here").run.steps.size(), 3u);
}

TEST(RecordedRun, RefusesWhatCannotBePlayedAndSaysWhere) {
  try {
    recorded_run(made_up_run(1), "results/short");
    FAIL() << "one step has no time from end to end";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("results/short"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("has 1 whole steps"), std::string::npos);
  }
  Recording without_servers = made_up_run(3);
  without_servers.parties.pop_back();
  for (recording::PartyRecord& party : without_servers.parties) party.head.servers = 0;
  EXPECT_THROW(recorded_run(without_servers, "here"), UserError);
}

TEST(RecordedRun, DamagedLengthsDoNotOverflow) {
  Recording recording = made_up_run(3);
  for (Event& event : recording.parties[1].events) {
    if (auto* one = std::get_if<Piece>(&event); one != nullptr && one->work == Work::gather)
      one->length = std::int64_t{1} << 49;
  }
  EXPECT_EQ(recorded_run(recording, "here").run.steps.front().trainers.front().chores.front().length,
            std::chrono::seconds(1000));
}

}  // namespace
}  // namespace overture::formats
