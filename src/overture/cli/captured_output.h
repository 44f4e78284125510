// Standard output, kept instead of shown, until it is asked for.
#pragma once

#include <string>

namespace overture::cli {

class CapturedOutput {
 public:
  CapturedOutput();
  ~CapturedOutput();
  CapturedOutput(const CapturedOutput&) = delete;
  CapturedOutput& operator=(const CapturedOutput&) = delete;

  // What was written since; from now on it is shown again.
  std::string finish();

 private:
  int shown_ = -1;  // the descriptor that standard output had; -1: not captured, or no longer
  int kept_ = -1;
};

}  // namespace overture::cli
