#include "overture/base/interrupt.h"

#include <csignal>

namespace overture {
namespace {

volatile std::sig_atomic_t noted = 0;

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

void note(int signal) {
  noted = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void ignore_interrupts() {
  for (const int signal : kSignals) std::signal(signal, SIG_IGN);
}

Interrupt::Interrupt() {
  noted = 0;
  for (const int signal : kSignals) std::signal(signal, note);
}

Interrupt::~Interrupt() {
  for (const int signal : kSignals) std::signal(signal, SIG_DFL);
}

bool Interrupt::requested() { return noted != 0; }

}  // namespace overture
