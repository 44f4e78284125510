#include "overture/base/interrupt.h"

#include <atomic>
#include <csignal>
#include <iterator>
#include <string_view>

#include <sys/prctl.h>
#include <unistd.h>

namespace overture {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
constexpr unsigned kGrace = 1;  // seconds to ask in
constexpr int kInterruptedCode = 130;
constexpr int kUnfinishedCode = 3;

volatile std::sig_atomic_t noted = 0;
volatile std::sig_atomic_t deadline_set = 0;
volatile std::sig_atomic_t promised_to_ask = 0;
// What the program does that shows that it is not lost in something long. Lock-free, so signals may look at
// it.
std::atomic<unsigned> signs_of_life = 0;
std::atomic<unsigned> signs_before = 0;

using Handler = void (*)(int);
Handler handlers_before[std::size(kSignals)] = {};  // of the one Interrupt

void tell(std::string_view text) { (void)!write(STDERR_FILENO, text.data(), text.size()); }

// Who pressed Ctrl-C behind a line of progress reads it on a line of its own.
void end_at_once(int signal) {
  if (signal == SIGINT) tell("\ninterrupted\n");
  _exit(kInterruptedCode);
}

bool is_ignored(int signal) {
  struct sigaction now {};
  return sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

void give_a_second() {
  signs_before = signs_of_life.load();
  alarm(kGrace);
}

void note(int signal) {
  noted = 1;
  std::signal(signal, end_at_once);  // a second one ends the program
  if (promised_to_ask != 0) give_a_second();
}

// Of the time limit first, unless a signal was faster; then of the second that was given.
void time_passed(int) {
  if (deadline_set != 0 && noted == 0) {
    deadline_set = 0;
    return give_a_second();
  }
  if (signs_of_life != signs_before) return;
  tell("\nended before there was anything to keep\n");
  _exit(noted != 0 ? kInterruptedCode : kUnfinishedCode);
}

}  // namespace

void ignore_interrupts() {
  for (const int signal : kSignals) std::signal(signal, SIG_IGN);
}

void end_on_interrupts() {
  for (const int signal : kSignals) {
    if (!is_ignored(signal)) std::signal(signal, end_at_once);
  }
}

void end_with(int parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);  // it has ended already
}

Interrupt::Interrupt() {
  noted = 0;
  deadline_set = 0;
  promised_to_ask = 0;
  std::signal(SIGALRM, time_passed);
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    const bool stays_ignored = kSignals[i] == SIGHUP && is_ignored(SIGHUP);
    handlers_before[i] = std::signal(kSignals[i], stays_ignored ? SIG_IGN : note);
  }
}

Interrupt::~Interrupt() {
  alarm(0);
  for (std::size_t i = 0; i < std::size(kSignals); ++i) std::signal(kSignals[i], handlers_before[i]);
  std::signal(SIGALRM, SIG_DFL);
}

bool Interrupt::requested() {
  sign_of_life();
  return noted != 0;
}

void Interrupt::end_after(unsigned seconds) {
  promised_to_ask = 1;
  if (seconds == 0) return;
  deadline_set = 1;
  alarm(seconds);
}

void Interrupt::sign_of_life() { ++signs_of_life; }

}  // namespace overture
