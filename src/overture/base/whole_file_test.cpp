#include "overture/base/whole_file.h"

#include <thread>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "overture/base/file_lock.h"
#include "overture/base/files.h"
#include "overture/base/testing.h"
#include "overture/base/testing_folder.h"

namespace overture {
namespace {

TEST(WholeFile, IsNotThereBeforeItIsClosed) {
  const TestFolder folder;
  WholeFile file(folder / "a");
  file.write("half");
  EXPECT_FALSE(std::filesystem::exists(folder / "a"));
  file.write(" and half");
  EXPECT_EQ(file.size(), 13);
  file.close();
  EXPECT_EQ(bytes_of(folder / "a"), "half and half");
  EXPECT_EQ(folder.files(), 1u) << "nothing beside it";
}

TEST(WholeFile, ThatIsNotClosedLeavesTheOldOneAndNothingElse) {
  const TestFolder folder;
  folder.write("a", "old");
  { WholeFile(folder / "a").write("new"); }
  EXPECT_EQ(bytes_of(folder / "a"), "old");
  EXPECT_EQ(folder.files(), 1u);
}

TEST(WholeFile, PiecesOfAnySizeComeInTheirOrder) {
  const TestFolder folder;
  std::string expected;
  WholeFile file(folder / "a");
  for (const std::size_t size : {1UL, 300'000UL, 0UL, 17UL, 262'144UL, 262'143UL, 1UL, 1'000'000UL, 5UL}) {
    const std::string piece(size, static_cast<char>('a' + expected.size() % 26));
    file.write(piece);
    expected += piece;
    EXPECT_EQ(file.size(), static_cast<std::int64_t>(expected.size()));
  }
  file.close();
  EXPECT_EQ(bytes_of(folder / "a"), expected);
}

TEST(WholeFile, TheFrontCanBeWrittenOver) {
  const TestFolder folder;
  WholeFile file(folder / "a");
  file.write("????body");
  file.write_front("head", 4);
  file.write("tail");
  file.close();
  EXPECT_EQ(bytes_of(folder / "a"), "headbodytail");
}

TEST(WholeFile, ALinkIsFollowedAndStays) {
  namespace fs = std::filesystem;
  const TestFolder folder;
  folder.write("there/a", "old");
  fs::create_symlink("there/a", folder / "link");
  write_file(folder / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(bytes_of(folder / "there/a"), "new");
  EXPECT_EQ(folder.files(), 2u);
}

TEST(WholeFile, WhatIsNoFileIsWrittenToAndStays) {
  namespace fs = std::filesystem;
  const TestFolder folder;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = bytes_of(folder / "pipe"); });
  write_file(folder / "pipe", std::string(300'000, 'a') + "end");
  reader.join();
  EXPECT_EQ(got, std::string(300'000, 'a') + "end");
  EXPECT_TRUE(fs::is_fifo(folder / "pipe"));
  fs::create_symlink("/dev/full", folder / "device");
  EXPECT_NE(user_error([&] { write_file(folder / "device", "text"); }).find("No space left"),
            std::string::npos);
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
  EXPECT_EQ(folder.files(), 2u);
}

TEST(WholeFile, WhereItCannotBeTheUserIsTold) {
  const TestFolder folder;
  EXPECT_EQ(user_error([&] { WholeFile(folder.path()); }),
            folder.path().string() + ": is a folder, not a file");
  const std::string nowhere = (folder / "no/such/a").string();
  EXPECT_EQ(user_error([&] { WholeFile{nowhere}; }),
            nowhere + ": cannot be written: No such file or directory");
}

TEST(ReadFile, GivesAllBytesOfAFileOrSaysWhyNot) {
  const TestFolder folder;
  const std::string bytes("a\0b\r\n\xff", 6);
  write_file(folder / "a", bytes);
  EXPECT_EQ(read_file(folder / "a"), bytes);
  write_file(folder / "empty", "");
  EXPECT_EQ(read_file(folder / "empty"), "");
  EXPECT_EQ(user_error([&] { read_file(folder.path()); }),
            folder.path().string() + ": is a folder, not a file");
  EXPECT_EQ(user_error([&] { read_file(folder / "b"); }),
            (folder / "b").string() + ": cannot be read: No such file or directory");
  EXPECT_EQ(user_error([] { read_file("/proc/self/mem"); }),
            "/proc/self/mem: could not be read to its end: Input/output error");
}

TEST(FileLock, OneAtATimeHasTheFile) {
  const TestFolder folder;
  const std::string file = (folder / "lock").string();
  {
    const FileLock mine(file);
    EXPECT_EQ(user_error([&] { FileLock{file}; }),
              file + ": is in use by another run\n  wait until it ends, or name another file");
  }
  EXPECT_EQ(user_error([&] { FileLock{file}; }), "") << "it ends with its object";
}

TEST(FileLock, MovesToWhoTakesIt) {
  const TestFolder folder;
  const std::string file = (folder / "lock").string();
  FileLock kept;
  {
    FileLock first(file);
    kept = std::move(first);
  }
  EXPECT_NE(user_error([&] { FileLock{file}; }), "");
}

TEST(FileLock, WhereNoFileCanBeIsSaid) {
  EXPECT_EQ(user_error([] { FileLock{"/nowhere/at/all"}; }),
            "/nowhere/at/all: cannot be created: No such file or directory");
}

}  // namespace
}  // namespace overture
