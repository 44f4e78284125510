// The command line behind a small header of our own: CLI11 takes nine seconds to compile and stays in
// command.cpp. A subcommand is one file that adds a Command and says what runs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace overture::cli {

// What a command says of itself, for the shell and the manual.
struct CommandText {
  struct Option {
    std::string names;  // "-o,--out", or a positional's name
    std::string help;
    std::string value;    // what follows it, such as "N" or "FILE"
    std::string initial;  // its default, if it has one
    bool is_flag = false;
    bool required = false;
    bool is_positional = false;
  };
  std::string name;
  std::string description;
  std::string footer;
  std::string subject{};  // "Training": under which heading help lists it, if under any of its own
  std::vector<Option> options;
  std::vector<CommandText> commands;
};

// Exit codes beside 0, 1 (a failure of ours) and 2 (something that the user can mend).
inline constexpr int kUnfinished = 3;     // the run was cut short by a limit, or can never end
inline constexpr int kInterrupted = 130;  // by Ctrl-C, as shells have it

class Command {
 public:
  explicit Command(CLI::App& app) : app_(app) {}

  // Of this command and all below it.
  CommandText text() const;

  Command add(std::string_view name, std::string_view description);
  // What the commands that are added from now on are about: help lists them together.
  void subject(std::string_view subject) { subject_ = subject; }

  // The variables must live until the command has run. Options show the value they have now as their default.
  // A word behind the names is what help calls the value: "-o,--out FILE". Else it is N, NUMBER or TEXT.
  // T is std::string, int, std::optional<int>, float, bool (--name true), or a vector of int, of double (both
  // of one or more values) or of std::string (one value each time).
  template <class T>
  Command& option(std::string_view name, T& value, std::string_view help);
  Command& flag(std::string_view name, bool& value, std::string_view help);
  Command& required_option(std::string_view name, std::string& value, std::string_view help);
  Command& positional(std::string_view name, std::string& value, std::string_view help, bool required = true);
  Command& positional(std::string_view name, std::vector<std::string>& values,
                      std::string_view help);  // one or more
  // Shown under --help.
  Command& examples(std::string_view text);
  // Runs when this command was given; returns the exit code. Every command that runs has --json: it then
  // prints what it gave to json_result(), or else its lines of output as JSON, and nothing else.
  Command& runs(std::function<int()> run);

 private:
  CLI::App& app_;
  std::string subject_;
};

// What --json prints in place of all that the command prints. Ends with a newline.
void json_result(std::string text);

// Parses and runs. Exit code 2 for anything the user can mend, with one message; 1 for a failure of ours,
// 130 after Ctrl-C.
int run(int argc, char** argv, const std::function<void(Command&)>& add_commands);

}  // namespace overture::cli
