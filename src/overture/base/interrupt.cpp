#include "overture/base/interrupt.h"

#include <csignal>

namespace overture {
namespace {

volatile std::sig_atomic_t noted = 0;

void note(int signal) {
  noted = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

Interrupt::Interrupt() {
  noted = 0;
  std::signal(SIGINT, note);
  std::signal(SIGTERM, note);
}

Interrupt::~Interrupt() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool Interrupt::requested() { return noted != 0; }

}  // namespace overture
