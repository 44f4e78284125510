#include "overture/recording/recording.h"

#include <algorithm>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/testing.h"
#include "overture/base/testing_disk.h"
#include "overture/base/testing_seeds.h"
#include "overture/recording/writer.h"

namespace overture::recording {
namespace {

namespace fs = std::filesystem;

class Scratch {
 public:
  Scratch() : path_(fs::temp_directory_path() / ("overture-recording-" + std::to_string(getpid()))) {
    fs::create_directories(path_);
  }
  ~Scratch() { fs::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

Head some_head(int party) {
  return {.party = party,
          .trainers = 2,
          .servers = 1,
          .machine = {.processor = "Abacus 7", .cores = 4, .host = "desk"},
          .program = "1.0",
          .dense_features = 13,
          .table_rows = {100, 7},
          .weighted = true};
}

void write(const fs::path& file, int party, int events) {
  RecordingWriter writer(file, some_head(party));
  for (int i = 0; i < events; ++i) {
    writer.add(
        Piece{.work = Work::gather, .numbers = {1, 2, i}, .step = i, .begin = 1000 + 10 * i, .length = 9});
    writer.add(Sent{.begin = 1009 + 10 * i, .length = 1, .to = 3, .kind = 8, .step = -1, .bytes = 64});
    writer.add(Received{.at = 1010 + 10 * i, .waited = 2, .from = 0, .kind = 3, .step = i, .bytes = 1 << 20});
  }
  writer.add(Computed{.at = 1 << 20, .thread = 77, .process = 78});
  writer.finish();
}

std::string message_of(const fs::path& file) {
  try {
    read_party(file);
  } catch (const UserError& error) {
    return error.what();
  }
  return "none";
}

TEST(Recording, ReadsBackWhatWasWritten) {
  const Scratch folder;
  write(folder.path() / "a", 1, 20'000);  // several blocks
  const PartyRecord record = read_party(folder.path() / "a");
  ASSERT_EQ(record.events.size(), 60'001u);
  EXPECT_EQ(record.head.machine.processor, "Abacus 7");
  EXPECT_EQ(record.head.table_rows, (std::vector<std::int64_t>{100, 7}));
  const auto& piece = std::get<Piece>(record.events[3 * 19'999]);
  EXPECT_EQ(piece.begin, 1000 + 10 * 19'999);
  EXPECT_EQ(piece.numbers, (WorkNumbers{1, 2, 19'999}));
  EXPECT_EQ(std::get<Sent>(record.events[1]).step, -1);
  EXPECT_EQ(std::get<Received>(record.events[2]).bytes, 1 << 20);
  EXPECT_EQ(std::get<Computed>(record.events.back()).process, 78);
  EXPECT_LT(fs::file_size(folder.path() / "a"), 400'000u);
}

TEST(Recording, CutAnywhereIsSaidAndNeverRead) {
  const Scratch folder;
  const fs::path file = folder.path() / "a";
  write(file, 1, 30);
  const std::string whole = read_file(file);
  for (std::size_t size = 0; size < whole.size(); size += 37) {
    write_file(folder.path() / "b", whole.substr(0, size));
    EXPECT_NE(message_of(folder.path() / "b"), "none") << size;
  }
  write_file(folder.path() / "b", whole.substr(0, whole.size() - 1));
  EXPECT_NE(message_of(folder.path() / "b").find("is cut short after"), std::string::npos);
}

// A party records again over an earlier run: what is there is one of the two, from the first promise on.
TEST(Recording, IsTheOldOneOrTheNewOneWhereverTheCrashIs) {
  const Scratch folder;
  const fs::path root = folder.path() / "root";
  const fs::path after = folder.path() / "after";
  fs::create_directories(root);
  RecordingDisk recording(root);
  const auto events_of = [](int run) { return 100 * run; };
  std::vector<std::size_t> promised{0};
  {
    const DiskInstead instead(recording);
    for (const int run : {1, 2, 3}) {
      write(root / "a", 1, events_of(run));
      promised.push_back(recording.operations());
    }
  }
  for (std::uint64_t seed = 0; seed < seeds(200); ++seed) {
    const std::size_t crash = RandomStream(seed, 11).below(recording.operations() + 1);
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", after operation " << crash);
    recording.crash(crash, seed, after);
    const auto least = std::ranges::upper_bound(promised, crash) - promised.begin() - 1;
    EXPECT_TRUE(fs::exists(after / "a") || least == 0);
    if (fs::exists(after / "a")) {
      const auto run = static_cast<std::ptrdiff_t>(read_party(after / "a").events.size() / 300);
      EXPECT_GE(run, std::max<std::ptrdiff_t>(least, 1));
      EXPECT_EQ(read_party(after / "a").events.size(), 3 * events_of(static_cast<int>(run)) + 1u);
    }
    fs::remove_all(after);
  }
}

// Only what is an earlier recording may go.
TEST(Recording, BeginsInANewFolderOrOverAnEarlierOneAndTouchesNoOther) {
  const Scratch folder;
  const fs::path place = folder.path() / "deep/place";
  begin_recording(place, "name: first");
  write(party_file(place, 0), 1, 30);
  write(party_file(place, 1), 1, 30);
  begin_recording(place, "name: second");
  EXPECT_EQ(read_file(setup_file(place)), "name: second");
  EXPECT_FALSE(fs::exists(party_file(place, 1)));
  write_file(place / "thesis.txt", "years of work");
  write(party_file(place, 0), 1, 30);
  EXPECT_NE(user_error([&] { begin_recording(place, "name: third"); }).find("is not empty, and no recording"),
            std::string::npos);
  EXPECT_EQ(read_file(place / "thesis.txt"), "years of work");
  EXPECT_EQ(read_file(setup_file(place)), "name: second");
  EXPECT_TRUE(fs::exists(party_file(place, 0)));
  EXPECT_NE(user_error([&] { begin_recording(place / "thesis.txt", ""); }), "");
}

TEST(Recording, DamageAndOtherVersionsAreSaid) {
  const Scratch folder;
  const fs::path file = folder.path() / "a";
  write(file, 1, 30);
  std::string bytes = read_file(file);
  bytes[bytes.size() - 20] ^= 1;
  write_file(folder.path() / "b", bytes);
  EXPECT_NE(message_of(folder.path() / "b").find("damaged"), std::string::npos);
  bytes = read_file(file);
  bytes[19] = '7';
  write_file(folder.path() / "c", bytes);
  EXPECT_NE(message_of(folder.path() / "c").find("another version; this program reads version 1"),
            std::string::npos);
  write_file(folder.path() / "d", "something else");
  EXPECT_NE(message_of(folder.path() / "d").find("is not a recording"), std::string::npos);
}

TEST(Recording, AFolderNeedsTheFilesOfAll) {
  const Scratch folder;
  for (int party = 0; party < 4; ++party) write(party_file(folder.path(), party), party, 3);
  EXPECT_EQ(read_recording(folder.path()).parties.size(), 4u);
  write(party_file(folder.path(), 2), 1, 3);
  EXPECT_THROW(read_recording(folder.path()), UserError);
  fs::remove(party_file(folder.path(), 2));
  EXPECT_THROW(read_recording(folder.path()), UserError);
}

}  // namespace
}  // namespace overture::recording
