// Ctrl-C as a question: long work asks now and then whether it should come to an end, so that it can leave
// valid results. A second Ctrl-C ends the program at once.
#pragma once

namespace overture {

// From now on SIGINT, SIGTERM and SIGHUP do nothing: another process hears of them, and ends this one.
void ignore_interrupts();

// While one exists, SIGINT, SIGTERM and SIGHUP are noted instead of ending the program. At most one exists.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  // Was one of the signals sent?
  static bool requested();
};

}  // namespace overture
