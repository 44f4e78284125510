#include "overture/cli/help.h"

#include <fmt/format.h>

#include "overture/base/text.h"

namespace overture::cli {
namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kHelpAt = 26;  // column in which explanations start

// A name and what it means beside it, or below it if the name is long.
std::string entry(const std::string& name, const std::string& help) {
  std::string line = "  " + name;
  line +=
      line.size() + 2 > kHelpAt ? "\n" + std::string(kHelpAt, ' ') : std::string(kHelpAt - line.size(), ' ');
  line += wrap(help, kWidth, kHelpAt);
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string names(const CommandText::Option& option) {
  std::string text;
  for (const char c : option.names) text += c == ',' ? std::string(", ") : std::string(1, c);
  return option.is_flag || option.is_positional ? text : text + " " + option.value;
}

std::string help(const CommandText::Option& option) {
  std::string text = option.help;
  if (option.required && !option.is_positional) text += " (required)";
  if (!option.initial.empty() && !option.is_flag && option.initial != "\"\"")
    text += fmt::format(" (default: {})", option.initial);
  return text;
}

std::string usage(const CommandText& command, const std::string& path) {
  std::string text = path;
  if (!command.options.empty()) text += " [OPTIONS]";
  for (const CommandText::Option& option : command.options) {
    if (option.is_positional) text += option.required ? " " + option.names : " [" + option.names + "]";
  }
  return command.commands.empty() ? text : text + " COMMAND";
}

// Flags that are taken so that scripts of another program run, and that do nothing here.
bool is_idle(const CommandText::Option& option) {
  return option.help.find("; does nothing: ") != std::string::npos;
}

std::string idle_flags(const CommandText& command) {
  std::string text;
  for (const CommandText::Option& option : command.options) {
    if (is_idle(option)) text += (text.empty() ? "" : ", ") + option.names.substr(option.names.find("--"));
  }
  if (text.empty()) return text;
  return "\nAccepted from Bagpipe's and DLRM's scripts; they have no effect and say why:\n  " +
         wrap(text, kWidth, 2) + "\n";
}

// Commands of one subject stand together, in the order in which they were added.
std::string list_of_commands(const CommandText& command) {
  std::string text;
  const std::string* subject = nullptr;
  for (const CommandText& below : command.commands) {
    if (subject == nullptr || *subject != below.subject)
      text += below.subject.empty() ? "\nCommands:\n" : fmt::format("\n{} commands:\n", below.subject);
    subject = &below.subject;
    text += entry(below.name, below.description);
  }
  return text;
}

std::string list(const CommandText& command, bool positional) {
  std::string text;
  for (const CommandText::Option& option : command.options) {
    if (option.is_positional == positional && !is_idle(option)) text += entry(names(option), help(option));
  }
  if (text.empty()) return text;
  return (positional ? "\nArguments:\n" : "\nOptions:\n") + text;
}

}  // namespace

std::string help_text(const CommandText& command, const std::string& path) {
  std::string text = wrap(command.description, kWidth, 0) + "\n\nUsage: " + usage(command, path) + "\n";
  text += list_of_commands(command) + list(command, true) + list(command, false) + idle_flags(command);
  return command.footer.empty() ? text : text + "\n" + command.footer + "\n";
}

}  // namespace overture::cli
