// What a process may take: memory, files and folders of which it is the only user.
#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "overture/base/file_lock.h"
#include "overture/base/folder_hold.h"
#include "overture/base/memory.h"
#include "overture/base/run_summary.h"
#include "overture/base/testing.h"

namespace overture {
namespace {

namespace fs = std::filesystem;

struct Pipe {
  Pipe() { EXPECT_EQ(pipe(ends), 0); }
  int ends[2];
};

// What `call` says in a process that was started before `first` was done here: "", or the message of its
// UserError.
template <class Call, class First>
std::string in_another_process(Call call, First first) {
  const Pipe go;
  const Pipe answer;
  char byte = 0;
  const pid_t child = fork();
  if (child == 0) {
    (void)!read(go.ends[0], &byte, 1);
    const std::string said = user_error(call);
    (void)!write(answer.ends[1], said.data(), said.size());
    _exit(0);
  }
  close(answer.ends[1]);
  first();
  (void)!write(go.ends[1], &byte, 1);
  std::string said;
  char buffer[512];
  for (ssize_t got = 0; (got = read(answer.ends[0], buffer, sizeof buffer)) > 0;)
    said.append(buffer, static_cast<std::size_t>(got));
  waitpid(child, nullptr, 0);
  return said;
}

template <class Call>
std::string in_another_process(Call call) {
  return in_another_process(call, [] {});
}

class Folder : public ::testing::Test {
 protected:
  Folder() : path_(fs::path(::testing::TempDir()) / ("overture_limits_" + std::to_string(getpid()))) {
    fs::remove_all(path_);
    fs::create_directories(path_ / "a/b");
  }
  ~Folder() override { fs::remove_all(path_); }
  fs::path path_;
};

TEST_F(Folder, HeldByOneProcessIsRefusedToAnother) {
  const auto hold = [&] {
    hold_folder(path_ / "a");
    hold_folder(path_ / "a");            // again changes nothing
    hold_folder(path_ / "a/b/../../a");  // nor does another name
  };
  const std::string said = in_another_process([&] { hold_folder(path_ / "a"); }, hold);
  EXPECT_NE(said.find("in use by another run"), std::string::npos) << said;
  EXPECT_EQ(in_another_process([&] { hold_folder(path_ / "a/b"); }), "") << "folders in it are not held";
  EXPECT_TRUE(fs::is_empty(path_ / "a/b")) << "a lock leaves nothing behind";
}

TEST_F(Folder, ThatIsSharedIsRefusedToWhoWantsItAlone) {
  const auto share = [&] { hold_folder(path_, FolderUse::shared); };
  EXPECT_NE(in_another_process([&] { hold_folder(path_); }, share), "");
}

TEST_F(Folder, IsSharedByThoseWhoWantToShareIt) {
  const auto share = [&] { hold_folder(path_, FolderUse::shared); };
  EXPECT_EQ(in_another_process(share, share), "");
}

TEST_F(Folder, IsFreeWhenItsHolderHasEnded) {
  EXPECT_EQ(in_another_process([&] { hold_folder(path_ / "a/b"); }), "");
  EXPECT_EQ(in_another_process([&] { hold_folder(path_ / "a/b"); }), "");
}

TEST_F(Folder, AFileHasOneUserUntilTheLockGoes) {
  const fs::path file = path_ / "rows";
  {
    FileLock lock(file);
    EXPECT_NE(user_error([&] { FileLock{file}; }).find("in use"), std::string::npos);
    FileLock moved = std::move(lock);
    EXPECT_NE(user_error([&] { FileLock{file}; }), "") << "a lock that moves stays one";
  }
  EXPECT_EQ(user_error([&] { FileLock{file}; }), "");
  EXPECT_NE(user_error([&] { FileLock{path_ / "no/such/file"}; }).find("cannot be created"),
            std::string::npos);
}

TEST(Memory, SomeIsFree) {
  const auto free = free_memory();
  ASSERT_TRUE(free);
  EXPECT_GT(*free, Bytes{1 << 20});
}

TEST(Memory, ALimitRefusesWhatNeedsMoreAndIsOnlyEverLowered) {
  const std::string said = in_another_process([] {
    limit_memory(Bytes{std::int64_t{2} << 30});
    limit_memory(Bytes{std::int64_t{8} << 30});  // no way back up
    require_memory(Bytes{std::int64_t{1} << 30}, "a small graph");
    require_memory(Bytes{std::int64_t{3} << 30}, "a graph of 5 links");
  });
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_EQ(said.find("a graph of 5 links needs about"), 0u) << said;
  EXPECT_NE(said.find("--max-memory"), std::string::npos) << said;
#endif
}

TEST(RunSummary, WhatWasCutShortIsNotComplete) {
  EXPECT_TRUE(is_complete(Json::object()));
  EXPECT_TRUE(is_complete({{"complete", true}}));
  EXPECT_FALSE(is_complete({{"complete", false}}));
  EXPECT_FALSE(is_complete({{"stopped_early", true}}));
  EXPECT_TRUE(is_complete({{"stopped_early", true}, {"out_of_patience", true}})) << "it was asked to";
  EXPECT_FALSE(is_complete({{"complete", false}, {"stopped_early", true}, {"out_of_patience", true}}));
  EXPECT_TRUE(is_complete({{"complete", "no"}})) << "only true and false count";
  EXPECT_FALSE(is_complete(Json::array()));
}

}  // namespace
}  // namespace overture
