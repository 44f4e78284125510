#include "overture/cli/terminal_line.h"

#include <algorithm>

namespace overture::cli {
namespace {

constexpr char kEscape = '\x1b';
constexpr char kBell = '\a';

bool is_in(char c, char first, char last) { return c >= first && c <= last; }

// The length of the command that begins with an escape at the start of `text` (ECMA-48); what is cut short
// ends with the text.
std::size_t command_length(std::string_view text) {
  if (text.size() < 2) return text.size();
  std::size_t at = 2;
  if (text[1] == '[') {  // parameters, then a final character
    while (at < text.size() && !is_in(text[at], '@', '~')) ++at;
    return std::min(at + 1, text.size());
  }
  if (text[1] == ']') {  // a title, until a bell or the next escape
    while (at < text.size() && text[at] != kBell && text[at] != kEscape) ++at;
    if (at < text.size() && text[at] == kEscape) ++at;
    return std::min(at + 1, text.size());
  }
  return at;
}

std::string without_commands(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    if (text.front() == kEscape) {
      text.remove_prefix(command_length(text));
      continue;
    }
    if (const auto c = static_cast<unsigned char>(text.front()); (c >= ' ' && c != 0x7f) || c == '\t')
      plain += text.front();
    text.remove_prefix(1);
  }
  return plain;
}

}  // namespace

std::string terminal_line(std::string_view written) {
  for (;;) {
    const std::size_t over = written.rfind('\r');
    if (over == std::string_view::npos) return without_commands(written);
    std::string seen = without_commands(written.substr(over + 1));
    if (!seen.empty()) return seen;
    written = written.substr(0, over);
  }
}

}  // namespace overture::cli
