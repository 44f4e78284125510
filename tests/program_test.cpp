// The helper that the other tests here trust.
#include "program.h"

#include <csignal>

#include <gtest/gtest.h>

namespace overture::testing {
namespace {

using namespace std::chrono_literals;

TEST(Run, TellsStreamsAndExitCodeApart) {
  const Outcome outcome = run({"sh", "-c", "echo good; echo bad >&2; exit 3"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.out, "good\n");
  EXPECT_EQ(outcome.err, "bad\n");
}

TEST(Run, TellsASignalFromAnExit) {
  const Outcome outcome = run({"sh", "-c", "kill -SEGV $$"});
  EXPECT_EQ(outcome.exit_code, -1);
  EXPECT_EQ(outcome.signal, SIGSEGV);
}

TEST(Run, KillsWhatTakesTooLong) {
  const Outcome outcome = run({"sleep", "60"}, {.limit = 1s});
  EXPECT_TRUE(outcome.timed_out);
  EXPECT_EQ(outcome.signal, SIGKILL);
}

TEST(Run, HasAFolderAndVariables) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run({"sh", "-c", "pwd -P; echo $WORD"}, {.folder = folder.path(), .variables = {"WORD=a=b"}});
  EXPECT_EQ(outcome.out, std::filesystem::canonical(folder.path()).string() + "\na=b\n");
}

TEST(Run, TakesMoreOutputThanAPipeHolds) {
  const Outcome outcome = run({"sh", "-c", "head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2"});
  EXPECT_EQ(outcome.out.size(), 1'000'000U);
  EXPECT_EQ(outcome.err.size(), 1'000'000U);
}

TEST(Run, SaysThatThereIsNoSuchProgram) { EXPECT_THROW(run({"no-such-program"}), std::runtime_error); }

TEST(TemporaryFolderTest, GoesWithWhatIsInIt) {
  std::filesystem::path path;
  {
    const TemporaryFolder folder;
    path = folder.path();
    folder.write("deep/file.txt", "text");
    EXPECT_EQ(read_text(path / "deep/file.txt"), "text");
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Words, AreSplitAsAShellWould) {
  EXPECT_EQ(split_words("  a\tb  c\n"), (Words{"a", "b", "c"}));
  EXPECT_EQ(split_words("--name='two words' \"a 'b'\" c\\ d ''"),
            (Words{"--name=two words", "a 'b'", "c d", ""}));
  EXPECT_EQ(join_continued_lines({"a \\", "b", "c"}), (std::vector<std::string>{"a  b", "c"}));
}

}  // namespace
}  // namespace overture::testing
