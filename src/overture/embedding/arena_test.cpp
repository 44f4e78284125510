#include "overture/embedding/arena.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/testing_folder.h"

namespace overture::embedding {
namespace {

TEST(Arena, StartsAsZerosOnAHugePage) {
  const Arena arena(5'000'000);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(arena.floats()) % (2 << 20), 0u);
  EXPECT_EQ(arena.floats()[0], 0);
  EXPECT_EQ(arena.floats()[1'249'999], 0);
}

TEST(Arena, AFileHoldsWhatWasWritten) {
  const auto file = std::filesystem::temp_directory_path() / "overture_arena_test.rows";
  {
    Arena arena(40'000, file);
    arena.floats()[9'999] = 3.5f;
    const Arena moved = std::move(arena);
    EXPECT_EQ(moved.floats()[9'999], 3.5f);
    EXPECT_EQ(std::filesystem::file_size(file), 40'016u) << "with the mark of a file of tables";
  }
  std::filesystem::remove(file);
}

TEST(Arena, AFileThatCannotBeMadeIsAUserError) {
  EXPECT_THROW(Arena(1000, "/no/such/folder/rows"), UserError);
  EXPECT_THROW(Arena(std::size_t{1} << 60, std::filesystem::temp_directory_path() / "overture_too_large"),
               UserError);
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::temp_directory_path() / "overture_too_large"));
}

TEST(Arena, WhatIsNoFileIsRefusedAndStays) {
  const TestFolder folder;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THROW(Arena(4096, folder / "pipe"), UserError);
  EXPECT_TRUE(std::filesystem::is_fifo(folder / "pipe"));
}

TEST(Arena, AFileOfTheUsersIsRefusedAndStays) {
  const TestFolder folder;
  const std::string clicks(10'000, '7');
  write_file(folder / "clicks.ovd", clicks);
  EXPECT_THROW(Arena(4096, folder / "clicks.ovd"), UserError);
  EXPECT_EQ(read_file(folder / "clicks.ovd"), clicks);
  write_file(folder / "empty", "");
  EXPECT_NO_THROW(Arena(4096, folder / "empty"));
  EXPECT_NO_THROW(Arena(1000, folder / "empty")) << "an arena of another size takes its place";
}

TEST(Arena, AFileIsUsedByOneAtATime) {
  const auto file =
      std::filesystem::temp_directory_path() / ("overture_arena_lock_" + std::to_string(getpid()));
  {
    const Arena first(4096, file);
    first.floats()[7] = 5;
    EXPECT_THROW(Arena(4096, file), UserError);
    EXPECT_EQ(first.floats()[7], 5) << "the second has not touched it";
  }
  const Arena again(4096, file);
  EXPECT_EQ(again.floats()[7], 0);
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace overture::embedding
