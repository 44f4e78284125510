// Words that a shell offers after a tab: commands, their commands, their options; else file names.
#include <memory>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/cli/commands.h"

namespace overture::cli {
namespace {

// "-o,--out" as "-o --out".
std::string completion_words(const CommandText& command) {
  std::string words;
  for (const CommandText& below : command.commands) words += below.name + " ";
  for (const CommandText::Option& option : command.options) {
    if (option.is_positional) continue;
    std::istringstream names(option.names);
    for (std::string name; std::getline(names, name, ',');) words += name + " ";
  }
  return words;
}

// One line per command: the path to it, then the words that may follow.
void add_cases(const CommandText& command, const std::string& path, std::string& out) {
  out += fmt::format("    '{}') words='{}' ;;\n", path, completion_words(command));
  for (const CommandText& below : command.commands) add_cases(below, path + "/" + below.name, out);
}

// All paths to commands, as patterns.
void add_paths(const CommandText& command, const std::string& path, std::string& out) {
  for (const CommandText& below : command.commands) {
    out += (out.empty() ? "" : "|") + path + "/" + below.name;
    add_paths(below, path + "/" + below.name, out);
  }
}

constexpr std::string_view kScript =
    R"(# bash completion for overture; for zsh, run "autoload -U bashcompinit; bashcompinit" first
_overture() {
  local words='' path='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case $path/${COMP_WORDS[i]} in
      %PATHS%) path+=/${COMP_WORDS[i]} ;;
    esac
  done
  case $path in
%CASES%  esac
  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o bashdefault -o default -F _overture overture
)";

std::string bash(const CommandText& root) {
  std::string cases;
  std::string paths;
  add_cases(root, "", cases);
  add_paths(root, "", paths);
  std::string script(kScript);
  script.replace(script.find("%CASES%"), 7, cases);
  script.replace(script.find("%PATHS%"), 7, paths);
  return script;
}

int run(const std::string& shell, Command root) {
  if (shell != "bash" && shell != "zsh")
    throw UserError({.key = "shell"}, fmt::format("no completion for \"{}\"", shell), "known: bash, zsh");
  fmt::print("{}", bash(root.text()));
  return 0;
}

}  // namespace

void add_completion(Command& root) {
  auto shell = std::make_shared<std::string>("bash");
  Command command =
      root.add("completion", "Print a script that completes commands and options in your shell");
  command.positional("shell", *shell, "bash or zsh", false)
      .examples(
          "  source <(overture completion)\n"
          "  overture completion bash > ~/.local/share/bash-completion/completions/overture")
      .runs([shell, root] { return run(*shell, root); });
}

}  // namespace overture::cli
