#include "overture/base/interrupt.h"

#include <csignal>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace overture {
namespace {

constexpr int kStillAlive = 7;

void ends_with(int code, void (*program)()) { EXPECT_EXIT(program(), testing::ExitedWithCode(code), ""); }

TEST(Interrupts, EndAProgramThatHasNothingToKeepWithAHundredAndThirty) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    EXPECT_EXIT(
        {
          end_on_interrupts();
          std::raise(signal);
        },
        testing::ExitedWithCode(130), signal == SIGINT ? "interrupted" : "");
  }
}

TEST(Interrupts, OnesThatAreIgnoredStaySo) {
  ends_with(kStillAlive, [] {
    std::signal(SIGHUP, SIG_IGN);
    end_on_interrupts();
    std::raise(SIGHUP);
    const Interrupt interrupt;
    std::raise(SIGHUP);
    _exit(Interrupt::requested() ? 1 : kStillAlive);
  });
}

TEST(Interrupts, TheFirstOneIsNotedAndTheSecondEndsTheProgram) {
  ends_with(kStillAlive, [] {
    const Interrupt interrupt;
    std::raise(SIGTERM);
    _exit(Interrupt::requested() ? kStillAlive : 1);
  });
  ends_with(130, [] {
    const Interrupt interrupt;
    std::raise(SIGTERM);
    std::raise(SIGTERM);
  });
}

TEST(Interrupts, AfterTheQuestionsTheyDoWhatTheyDidBefore) {
  ends_with(130, [] {
    end_on_interrupts();
    { const Interrupt interrupt; }
    std::raise(SIGINT);
  });
  ends_with(kStillAlive, [] {
    std::signal(SIGINT, [](int) { _exit(kStillAlive); });
    { const Interrupt interrupt; }
    std::raise(SIGINT);
  });
}

// A process that starts another one and is killed: the other one's end of a pipe is then closed.
TEST(Interrupts, AChildEndsWithItsParentHoweverThatEnds) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    const pid_t self = getpid();
    if (fork() == 0) {
      end_with(self);
      (void)!write(ends[1], "x", 1);
    }
    pause();
  }
  close(ends[1]);
  char byte = 0;
  EXPECT_EQ(read(ends[0], &byte, 1), 1);
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  EXPECT_EQ(read(ends[0], &byte, 1), 0) << "the end: nobody has it open";
  close(ends[0]);
}

}  // namespace
}  // namespace overture
