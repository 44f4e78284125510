#include "overture/cli/captured_output.h"

#include <array>
#include <cstdio>

#include <sys/mman.h>
#include <unistd.h>

namespace overture::cli {

CapturedOutput::CapturedOutput() {
  std::fflush(stdout);
  kept_ = memfd_create("overture-output", MFD_CLOEXEC);
  if (kept_ < 0) return;
  shown_ = dup(STDOUT_FILENO);
  dup2(kept_, STDOUT_FILENO);
}

CapturedOutput::~CapturedOutput() {
  finish();
  if (kept_ >= 0) close(kept_);
}

std::string CapturedOutput::finish() {
  if (shown_ < 0) return {};
  std::fflush(stdout);
  dup2(shown_, STDOUT_FILENO);
  close(shown_);
  shown_ = -1;
  std::string text;
  std::array<char, 1 << 16> piece{};
  lseek(kept_, 0, SEEK_SET);
  for (ssize_t n = 0; (n = read(kept_, piece.data(), piece.size())) > 0;)
    text.append(piece.data(), static_cast<std::size_t>(n));
  return text;
}

}  // namespace overture::cli
