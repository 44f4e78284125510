// The manual page, from what the commands say of themselves.
#include <fmt/format.h>

#include "overture/base/version.h"
#include "overture/cli/commands.h"

namespace overture::cli {
namespace {

// Text as roff takes it: no control characters at a line's start, no stray backslashes or hyphens.
std::string roff(const std::string& text) {
  std::string result;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
    line_start = c == '\n';
  }
  return result;
}

void add_command(const CommandText& command, const std::string& path, std::string& out) {
  const std::string name = path + " " + command.name;
  out += fmt::format(".SS {}\n{}.\n", roff(name), roff(command.description));
  for (const CommandText::Option& option : command.options) {
    out += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(option.names), roff(option.help));
  }
  if (!command.footer.empty()) out += fmt::format(".PP\n.nf\n{}\n.fi\n", roff(command.footer));
  for (const CommandText& below : command.commands) add_command(below, name, out);
}

int run(const Command& root) {
  const CommandText all = root.text();
  std::string page = fmt::format(
      ".TH OVERTURE 1 \"\" \"{}\"\n.SH NAME\noverture \\- train, simulate and co\\-design deep learning "
      "recommendation models\n.SH SYNOPSIS\n\\fBoverture\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]...\n.SH "
      "COMMANDS\n",
      roff(version_text()));
  for (const CommandText& command : all.commands) add_command(command, "overture", page);
  page +=
      ".SH EXIT STATUS\n0: it worked. 1: a failure of the program. 2: something that you can mend, with a "
      "message. 3: the run was cut short by a limit, or can never end. 130: interrupted, as by Ctrl\\-C.\n";
  fmt::print("{}", page);
  return 0;
}

}  // namespace

void add_manual(Command& root) {
  Command command = root.add("manual", "Print the manual page");
  command.examples("  overture manual | man -l -").runs([root] { return run(root); });
}

}  // namespace overture::cli
