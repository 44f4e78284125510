#include "overture/cli/recording_text.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "overture/base/json.h"
#include "overture/cli/testing.h"

namespace overture::cli {
namespace {

// An oracle, a trainer and a server; each works 2 ms, waits 1 ms and sends one message of 4 kB in 5 ms.
recording::Recording some_recording() {
  recording::Recording recording;
  for (int party = 0; party < 3; ++party) {
    recording::PartyRecord& record = recording.parties.emplace_back();
    record.head.party = party;
    record.head.machine.processor = "Abacus 7";
    record.head.machine.cores = 4;
    record.head.machine.host = "desk";
    record.head.program = "1.0";
    record.head.kinds = {"hello", "step"};
    constexpr std::int64_t kStart = 1'000'000'000;
    record.events.emplace_back(recording::Piece{.work = Work::plan, .begin = kStart, .length = 1'000'000});
    record.events.emplace_back(
        recording::Piece{.work = Work::plan, .begin = kStart + 1'000'000, .length = 500'000});
    record.events.emplace_back(
        recording::Received{.at = kStart + 3'000'000, .waited = 1'000'000, .bytes = 10});
    record.events.emplace_back(
        recording::Sent{.begin = kStart + 4'500'000, .length = 500'000, .to = 1, .kind = 1, .bytes = 4000});
    record.events.emplace_back(recording::Computed{.at = kStart + 5'000'000, .thread = 1'250'000});
  }
  recording.parties[2].full = true;
  return recording;
}

std::string shown() {
  CapturedOutput output;
  print_recording(some_recording(), "rec");
  return output.finish();
}

TEST(RecordingText, SaysWhoTookPartAndWhere) {
  EXPECT_EQ(shown().rfind("rec: recording of 1 trainer and 1 server\non Abacus 7, 4 cores, by 1.0\n\n", 0),
            0u)
      << shown();
}

TEST(RecordingText, SharesAreOfTheTimeFromTheFirstEventToTheLast) {
  const std::string text = shown();
  EXPECT_TRUE(has(text, "oracle     5                0.005  40.0 %  20.0 %  0.001\n") ||
              has(text, "40.0 %  20.0 %"))
      << text;
  EXPECT_TRUE(has(text, "server 0   5 (full)")) << text;
  EXPECT_TRUE(has(text, "trainer 0")) << text;
}

TEST(RecordingText, WorkAndMessagesAreCountedByKind) {
  const std::string text = shown();
  EXPECT_TRUE(has(text, "0.7500  30.0 %")) << "two pieces of 1.5 ms in all: " << text;
  EXPECT_TRUE(has(text, "3.906 KiB")) << "4000 bytes: " << text;
}

TEST(RecordingText, TheJsonSaysTheSame) {
  const Json json = parse_json(recording_json(some_recording(), "rec"));
  EXPECT_EQ(json["recording"], "rec");
  EXPECT_EQ(json["trainers"], 1);
  EXPECT_EQ(json["parties"].size(), 3u);
  const Json& oracle = json["parties"][0];
  EXPECT_EQ(oracle["name"], "oracle");
  EXPECT_EQ(oracle["full"], false);
  EXPECT_NEAR(oracle["seconds"].get<double>(), 0.005, 1e-9);
  EXPECT_NEAR(oracle["worked_seconds"].get<double>(), 0.002, 1e-9);
  EXPECT_NEAR(oracle["waited_seconds"].get<double>(), 0.001, 1e-9);
  EXPECT_NEAR(oracle["cpu_seconds"].get<double>(), 0.00125, 1e-9);
  EXPECT_EQ(oracle["work"]["plan"]["pieces"], 2);
  EXPECT_EQ(oracle["work"]["send"]["pieces"], 1);
  EXPECT_EQ(oracle["sent"]["step"]["bytes"], 4000);
  EXPECT_EQ(json["parties"][2]["name"], "server 0");
  EXPECT_EQ(json["parties"][2]["full"], true);
}

TEST(RecordingText, APartyThatDidNothingHasNoShares) {
  recording::Recording recording = some_recording();
  recording.parties[1].events.clear();
  const Json json = parse_json(recording_json(recording, "rec"));
  EXPECT_EQ(json["parties"][1]["seconds"], 0);
  CapturedOutput output;
  print_recording(recording, "rec");
  EXPECT_FALSE(has(output.finish(), "nan"));
}

}  // namespace
}  // namespace overture::cli
