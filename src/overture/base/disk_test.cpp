#include "overture/base/disk.h"

#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/testing_disk.h"
#include "overture/base/testing_seeds.h"

namespace overture {
namespace {

namespace fs = std::filesystem;

class DiskTest : public ::testing::Test {
 protected:
  DiskTest() {
    std::string pattern = (fs::temp_directory_path() / "disk-XXXXXX").string();
    scratch_ = mkdtemp(pattern.data());
    fs::create_directories(root());
  }
  ~DiskTest() override { fs::remove_all(scratch_); }
  fs::path root() const { return scratch_ / "root"; }
  fs::path after() const { return scratch_ / "after"; }

  fs::path scratch_;
};

std::string version(int number) {
  return std::string(300'000 + 1000 * static_cast<std::size_t>(number), 'a') + std::to_string(number);
}

// After any of its operations, with anything that was not yet certain lost.
TEST_F(DiskTest, AFileIsTheOldOneOrTheNewOneWhereverTheCrashIs) {
  RecordingDisk recording(root());
  std::vector<std::size_t> promised{0};  // operations after which so many versions are there
  {
    const DiskInstead instead(recording);
    for (int number = 1; number <= 4; ++number) {
      write_file(root() / "file", version(number));
      promised.push_back(recording.operations());
    }
  }
  for (std::uint64_t seed = 0; seed < seeds(200); ++seed) {
    const std::size_t crash = RandomStream(seed, 7).below(recording.operations() + 1);
    recording.crash(crash, seed, after());
    int least = 0;
    while (least < 4 && promised[static_cast<std::size_t>(least) + 1] <= crash) ++least;
    const std::string text = fs::exists(after() / "file") ? read_file(after() / "file") : "";
    bool known = text.empty() && least == 0;
    for (int number = std::max(least, 1); number <= 4; ++number) known = known || text == version(number);
    EXPECT_TRUE(known) << "seed " << seed << ", after operation " << crash << " of "
                       << recording.operations();
    fs::remove_all(after());
  }
}

// Without this the tests above could not fail.
TEST_F(DiskTest, ACrashShowsWhoDoesNotSync) {
  RecordingDisk recording(root());
  const int file = recording.create(root() / "file.part");
  const std::string text = version(1);
  recording.write(file, 0, text.data(), text.size());
  recording.close(file);
  recording.rename(root() / "file.part", root() / "file");
  int torn = 0;
  int missing = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    recording.crash(recording.operations(), seed, after());
    if (!fs::exists(after() / "file")) {
      ++missing;
    } else if (read_file(after() / "file") != text) {
      ++torn;
    }
    fs::remove_all(after());
  }
  EXPECT_GT(torn, 10);
  EXPECT_GT(missing, 10);
}

TEST_F(DiskTest, AFullDiskOrAFailedSyncLeavesTheOldFileAndNothingBeside) {
  using Fault = FaultyDisk::Fault;
  write_file(root() / "file", "old");
  for (const Fault fault : {Fault::full, Fault::no_sync}) {
    FaultyDisk faulty(fault, 1);
    const DiskInstead instead(faulty);
    EXPECT_THROW(write_file(root() / "file", version(1)), UserError);
    EXPECT_EQ(read_file(root() / "file"), "old");
    EXPECT_EQ(std::distance(fs::directory_iterator(root()), {}), 1);
  }
}

TEST_F(DiskTest, ShortWritesAreGoneOnWith) {
  FaultyDisk faulty(FaultyDisk::Fault::short_write, 1);
  const DiskInstead instead(faulty);
  write_file(root() / "file", "a text of more than three bytes");
  EXPECT_EQ(read_file(root() / "file"), "a text of more than three bytes");
  EXPECT_TRUE(faulty.happened());
}

TEST_F(DiskTest, AFolderTakesThePlaceOfAnother) {
  for (const char* text : {"first", "second"}) {
    ASSERT_TRUE(disk().make_folder(root() / "a/b.part"));
    write_file(root() / "a/b.part/file", text);
    ASSERT_TRUE(disk().replace_folder(root() / "a/b.part", root() / "a/b"));
    EXPECT_EQ(read_file(root() / "a/b/file"), text);
    EXPECT_FALSE(fs::exists(root() / "a/b.part"));
  }
  write_file(root() / "file", "");
  EXPECT_FALSE(disk().make_folder(root() / "file/below"));
}

}  // namespace
}  // namespace overture
