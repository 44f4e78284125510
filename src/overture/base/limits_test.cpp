// What a process may take: memory, files and folders of which it is the only user.
#include <filesystem>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "overture/base/folder_hold.h"
#include "overture/base/memory.h"
#include "overture/base/testing.h"
#include "overture/base/testing_folder.h"

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
  Folder() { fs::create_directories(folder_ / "a/b"); }
  TestFolder folder_;
};

TEST_F(Folder, HeldByOneProcessIsRefusedToAnother) {
  const auto hold = [&] {
    hold_folder(folder_ / "a");
    hold_folder(folder_ / "a");            // again changes nothing
    hold_folder(folder_ / "a/b/../../a");  // nor does another name
  };
  const std::string said = in_another_process([&] { hold_folder(folder_ / "a"); }, hold);
  EXPECT_NE(said.find("in use by another run"), std::string::npos) << said;
  EXPECT_EQ(in_another_process([&] { hold_folder(folder_ / "a/b"); }), "") << "folders in it are not held";
  EXPECT_TRUE(fs::is_empty(folder_ / "a/b")) << "a lock leaves nothing behind";
}

TEST_F(Folder, ThatIsSharedIsRefusedToWhoWantsItAlone) {
  const auto share = [&] { hold_folder(folder_.path(), FolderUse::shared); };
  EXPECT_NE(in_another_process([&] { hold_folder(folder_.path()); }, share), "");
}

TEST_F(Folder, IsSharedByThoseWhoWantToShareIt) {
  const auto share = [&] { hold_folder(folder_.path(), FolderUse::shared); };
  EXPECT_EQ(in_another_process(share, share), "");
}

TEST_F(Folder, IsFreeWhenItsHolderHasEnded) {
  EXPECT_EQ(in_another_process([&] { hold_folder(folder_ / "a/b"); }), "");
  EXPECT_EQ(in_another_process([&] { hold_folder(folder_ / "a/b"); }), "");
}

TEST(Memory, SomeIsFree) {
  const auto free = free_memory();
  ASSERT_TRUE(free);
  EXPECT_GT(*free, Bytes{1 << 20});
}

// What the system of a machine with 8 GB, of which 4 are free, says of control groups.
std::optional<Bytes> free_in_groups(std::initializer_list<std::pair<const char*, const char*>> files) {
  const TestFolder folder;
  folder.write("proc/meminfo", "MemTotal: 8000000 kB\nMemAvailable: 4000000 kB\n");
  for (const auto& [name, text] : files) folder.write(name, text);
  return free_memory(folder.path());
}

TEST(Memory, OfAControlGroupCounts) {
  EXPECT_EQ(free_in_groups({}), Bytes{4'096'000'000});
  EXPECT_EQ(free_in_groups({{"proc/self/cgroup", "0::/\n"},
                            {"sys/fs/cgroup/memory.max", "max\n"},
                            {"sys/fs/cgroup/memory.current", "5000\n"}}),
            Bytes{4'096'000'000});
  EXPECT_EQ(free_in_groups({{"proc/self/cgroup", "0::/\n"},
                            {"sys/fs/cgroup/memory.max", "8000\n"},
                            {"sys/fs/cgroup/memory.current", "5000\n"}}),
            Bytes{3000});
  EXPECT_EQ(free_in_groups({{"proc/self/cgroup", "5:cpu:/\n4:memory:/job\n0::/\n"},
                            {"sys/fs/cgroup/memory/job/memory.limit_in_bytes", "8000\n"},
                            {"sys/fs/cgroup/memory/job/memory.usage_in_bytes", "6000\n"}}),
            Bytes{2000});
}

TEST(Memory, OfTheControlGroupsAroundItCountsToo) {
  EXPECT_EQ(free_in_groups({{"proc/self/cgroup", "0::/slurm/job_7/step_0\n"},
                            {"sys/fs/cgroup/slurm/job_7/step_0/memory.max", "max\n"},
                            {"sys/fs/cgroup/slurm/job_7/step_0/memory.current", "1000\n"},
                            {"sys/fs/cgroup/slurm/job_7/memory.max", "8000\n"},
                            {"sys/fs/cgroup/slurm/job_7/memory.current", "1000\n"}}),
            Bytes{7000});
  // A container sees its own group at the top, and the name that it has outside.
  EXPECT_EQ(free_in_groups({{"proc/self/cgroup", "4:memory:/docker/0123\n"},
                            {"sys/fs/cgroup/memory/memory.limit_in_bytes", "8000\n"},
                            {"sys/fs/cgroup/memory/memory.usage_in_bytes", "8000\n"}}),
            Bytes{0});
}

TEST(Memory, PagesOfFilesAreFreeThoughTheGroupHoldsThem) {
  EXPECT_EQ(
      free_in_groups({{"proc/self/cgroup", "0::/\n"},
                      {"sys/fs/cgroup/memory.max", "8000\n"},
                      {"sys/fs/cgroup/memory.current", "8000\n"},
                      {"sys/fs/cgroup/memory.stat", "anon 1000\ninactive_file 4000\nactive_file 2500\n"}}),
      Bytes{6500});
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

}  // namespace
}  // namespace overture
