#include "overture/base/interrupt.h"

#include <csignal>

#include <gtest/gtest.h>
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
        testing::ExitedWithCode(130), "");
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

}  // namespace
}  // namespace overture
