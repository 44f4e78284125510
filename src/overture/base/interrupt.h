// Ctrl-C as a question: long work asks now and then whether it should come to an end, so that it can leave
// valid results. A second Ctrl-C ends the program at once.
#pragma once

namespace overture {

// From now on SIGINT, SIGTERM and SIGHUP do nothing: another process hears of them, and ends this one.
void ignore_interrupts();

// From now on they end this one with exit code 130, unless whoever started it has them ignored (nohup, a
// script's background).
void end_on_interrupts();

// In a child, right after fork(): it ends when `parent` does, however that ends, so that it writes nothing
// that belongs to somebody else by then.
void end_with(int parent);

// While one exists, SIGINT, SIGTERM and SIGHUP are noted instead of ending the program; a SIGHUP that is
// ignored (nohup) stays so. At most one exists.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  // Was one of the signals sent?
  static bool requested();

  // For those who ask many times a second: a signal that nobody asks about for a second ends the program,
  // exit code 130. Who has a limit on the wall clock asks the clock himself. Should he be in the middle of
  // something long, such as building a network, when the time is up, the program ends a second later with
  // exit code 3. 0: no limit.
  static void end_after(unsigned seconds);

  // Results are being written: that is as good as a question.
  static void sign_of_life();
};

}  // namespace overture
