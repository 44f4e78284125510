#include "overture/cli/command.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <system_error>
#include <type_traits>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "overture/base/error.h"
#include "overture/base/interrupt.h"
#include "overture/base/json.h"
#include "overture/base/memory.h"
#include "overture/base/text.h"
#include "overture/base/version.h"
#include "overture/cli/arguments.h"
#include "overture/cli/captured_output.h"
#include "overture/cli/help.h"

namespace overture::cli {
namespace {

// Such as "overture generate dataset".
std::string commands_given(const CLI::App& app) {
  std::string text = app.get_name();
  for (const CLI::App* at = &app; !at->get_subcommands().empty();) {
    at = at->get_subcommands().front();
    text += " " + at->get_name();
  }
  return text;
}

const CLI::App& last_given(const CLI::App& app) {
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  return *at;
}

// Set while parsing, read afterwards.
struct Chosen {
  std::function<int()> run;
  bool json = false;
  std::string max_memory;
  bool tells_itself = false;  // a command with a --json of its own
  std::optional<std::string> result;
};

Chosen& chosen() {
  static Chosen command;
  return command;
}

std::vector<std::string> names_of_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

std::vector<std::string> flags_of(const CLI::App& app) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
    for (const std::string& name : option->get_snames()) flags.push_back("-" + name);
  }
  return flags;
}

// A word that the command cannot do without, with what it is.
std::string missing(const CLI::App& app, const std::string& name) {
  const CLI::Option* option = app.get_option_no_throw(name);
  const std::string meaning = option == nullptr ? "" : option->get_description();
  const std::string word = name.starts_with('-') ? name : "the argument \"" + name + "\"";
  return fmt::format("{} is missing{}{}", word, meaning.empty() ? "" : "\n  ", meaning);
}

// CLI11's words for a value that is missing or no number, in ours.
std::string in_our_words(const CLI::App& app, const std::string& text) {
  constexpr std::string_view kRequired = " is required";
  if (text.ends_with(kRequired)) return missing(app, text.substr(0, text.size() - kRequired.size()));
  constexpr std::string_view kConvert = "Could not convert: ";
  const std::size_t equals = text.find(" = ");
  if (text.starts_with(kConvert) && equals != std::string::npos) {
    const std::string value = text.substr(equals + 3);
    char* end = nullptr;
    std::strtod(value.c_str(), &end);
    const bool number = !value.empty() && *end == '\0';
    return fmt::format("{}: \"{}\" is {}", text.substr(kConvert.size(), equals - kConvert.size()), value,
                       number ? "not a whole number, or too large" : "not a number");
  }
  const std::size_t required = text.find(": 1 required ");
  if (required != std::string::npos && text.ends_with(" missing"))
    return fmt::format("{}: its value is missing", text.substr(0, required));
  return text;
}

// Commands that take this flag, as "`overture flows`".
void collect_takers(const CLI::App& app, const std::string& path, const std::string& flag,
                    std::vector<std::string>& takers) {
  const std::vector<std::string> flags = flags_of(app);
  if (std::ranges::find(flags, flag) != flags.end()) takers.push_back("`" + path + "`");
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    collect_takers(*command, path + " " + command->get_name(), flag, takers);
}

// People try flags that they know from another command.
std::string unknown_flag(const CLI::App& app, const CLI::App& at, const std::string& flag) {
  constexpr std::size_t kMostTakers = 6;
  std::string text = fmt::format("unknown flag \"{}\"", flag);
  if (const std::string hint = suggest(flag, flags_of(at)); !hint.empty()) text += "\n  " + hint;
  std::vector<std::string> takers;
  collect_takers(app, app.get_name(), flag, takers);
  if (!takers.empty() && takers.size() <= kMostTakers)
    text += fmt::format("\n  it is a flag of {}", fmt::join(takers, ", "));
  return text;
}

// One below the other, without those that are empty.
std::string lines_below(std::vector<std::string> lines) {
  std::erase(lines, "");
  return fmt::format("{}", fmt::join(lines, "\n  "));
}

// What is wrong with the command line. To a misspelt command or flag CLI11 says only that it was not
// expected.
std::string complaint(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& at = last_given(app);
  const auto unknown = app.remaining(true);
  if (unknown.empty()) return in_our_words(at, error.what());
  const std::string word = unknown.front().substr(0, unknown.front().find('='));
  const auto commands = names_of_commands(at);
  if (!commands.empty() && !word.starts_with('-'))
    return lines_below({fmt::format("unknown command \"{}\"", word), wrap(suggest(word, commands), 80, 2)});
  if (word.starts_with('-')) return unknown_flag(app, at, word);
  return fmt::format("\"{}\" is one argument too many", word);
}

// "--samples N" is an option whose value help calls N.
template <class T>
CLI::Option* bare_option(CLI::App& app, std::string_view name, T& value, std::string_view help) {
  const std::size_t blank = name.find(' ');
  CLI::Option* option = app.add_option(std::string(name.substr(0, blank)), value, std::string(help));
  if (blank != std::string_view::npos) option->type_name(std::string(name.substr(blank + 1)));
  return option;
}

// "20k" and "1e6" as CLI11 reads them; what is no count stays, and CLI11 complains.
std::string plain_count(const std::string& text) {
  const Result<std::int64_t> count = overture::parse_count(text);
  return count ? std::to_string(count.value()) : text;
}

std::string value_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (type == "INT" || type == "UINT") return "N";
  if (type == "FLOAT") return "NUMBER";
  return type == "BOOLEAN" ? "true|false" : type;
}

CommandText text_of(const CLI::App& app) {
  CommandText text{.name = app.get_name(),
                   .description = app.get_description(),
                   .footer = app.get_footer(),
                   .subject = app.get_group()};
  for (const CLI::Option* option : app.get_options()) {
    const bool positional = option->get_positional();
    text.options.push_back({.names = option->get_name(positional, !positional),
                            .help = option->get_description(),
                            .value = value_of(*option),
                            .initial = option->get_default_str(),
                            .is_flag = option->get_expected_max() == 0,
                            .required = option->get_required(),
                            .is_positional = positional});
  }
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    text.commands.push_back(text_of(*command));
  }
  return text;
}

}  // namespace

CommandText Command::text() const { return text_of(app_); }

Command Command::add(std::string_view name, std::string_view description) {
  CLI::App* command = app_.add_subcommand(std::string(name), std::string(description));
  command->fallthrough(false)->group(subject_);
  return Command(*command);
}

template <class T>
Command& Command::option(std::string_view name, T& value, std::string_view help) {
  CLI::Option* option = bare_option(app_, name, value, help);
  constexpr bool kCounts =
      std::is_same_v<T, int> || std::is_same_v<T, std::optional<int>> || std::is_same_v<T, std::vector<int>>;
  constexpr bool kHasDefault = std::is_same_v<T, std::string> || std::is_arithmetic_v<T>;
  if constexpr (kHasDefault) option->capture_default_str();
  if constexpr (kCounts) option->transform(plain_count, "", "");
  if constexpr (std::is_same_v<T, std::vector<std::string>>)
    option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  return *this;
}
template Command& Command::option(std::string_view, std::string&, std::string_view);
template Command& Command::option(std::string_view, int&, std::string_view);
template Command& Command::option(std::string_view, std::optional<int>&, std::string_view);
template Command& Command::option(std::string_view, float&, std::string_view);
template Command& Command::option(std::string_view, bool&, std::string_view);
template Command& Command::option(std::string_view, std::vector<int>&, std::string_view);
template Command& Command::option(std::string_view, std::vector<double>&, std::string_view);
template Command& Command::option(std::string_view, std::vector<std::string>&, std::string_view);

Command& Command::flag(std::string_view name, bool& value, std::string_view help) {
  app_.add_flag(std::string(name), value, std::string(help));
  return *this;
}
Command& Command::required_option(std::string_view name, std::string& value, std::string_view help) {
  bare_option(app_, name, value, help)->required();
  return *this;
}
Command& Command::positional(std::string_view name, std::string& value, std::string_view help,
                             bool required) {
  CLI::Option* option = app_.add_option(std::string(name), value, std::string(help))->required(required);
  if (!value.empty()) option->capture_default_str();
  return *this;
}

Command& Command::positional(std::string_view name, std::vector<std::string>& values, std::string_view help) {
  app_.add_option(std::string(name), values, std::string(help))->required();
  return *this;
}

Command& Command::examples(std::string_view text) {
  app_.footer("Examples:\n" + std::string(text));
  return *this;
}

Command& Command::runs(std::function<int()> run) {
  const bool tells_itself = app_.get_option_no_throw("--json") != nullptr;
  if (!tells_itself) app_.add_flag("--json", chosen().json, "Print the result as JSON, and errors too");
  if (app_.get_option_no_throw("--max-memory") == nullptr)
    bare_option(app_, "--max-memory SIZE", chosen().max_memory,
                "Most memory to take, such as \"8 GiB\" (default: what is free)");
  app_.final_callback([run = std::move(run), tells_itself] {
    chosen().run = run;
    chosen().tells_itself = tells_itself;
  });
  return *this;
}

void json_result(std::string text) { chosen().result = std::move(text); }

namespace {

void print_json(const Json& value) {
  fmt::print("{}\n", value.dump(2, ' ', false, Json::error_handler_t::replace));
}

struct Outcome {
  int code = 0;
  std::string error{};
};

void limit_memory_as_asked() {
  if (chosen().max_memory.empty()) {
    if (const std::optional<Bytes> most = free_memory()) limit_memory(*most);
    return;
  }
  limit_memory(parsed(parse_bytes(chosen().max_memory), "--max-memory"));
}

Outcome out_of_memory() {
  return {2, fmt::format(
                 "this run needs more memory than the {} that it may take\n  use something smaller, or more "
                 "memory with --max-memory",
                 to_string(memory_limit()))};
}

Outcome run_chosen() {
  try {
    limit_memory_as_asked();
    return {.code = chosen().run()};
  } catch (const UserError& error) {
    return {2, error.what()};
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::length_error&) {  // more than any machine has
    return out_of_memory();
  } catch (const std::filesystem::filesystem_error& error) {
    return {2, UserError({.file = error.path1().string()}, error.code().message()).what()};
  } catch (const std::system_error& error) {
    // fmt says that it could not write, not where.
    if (std::ferror(stdout) != 0) return {2, "standard output: " + std::string(error.what())};
    return {std::ferror(stderr) != 0 ? 2 : 1, error.what()};
  } catch (const std::exception& error) {
    return {1, error.what()};
  }
}

// A person reads it: in a file or a pipe the first line stays whole, so that scripts can search it.
bool is_read_on_screen() { return isatty(STDERR_FILENO) == 1 || std::getenv("COLUMNS") != nullptr; }

// What would work stands on lines of its own behind the first, in 80 columns.
std::string wrapped(const std::string& error) {
  const std::size_t line_end = std::min(error.find('\n'), error.size());
  constexpr std::size_t kLead = std::string_view("error: ").size();
  std::string text = error.substr(0, line_end);
  if (is_read_on_screen()) text = wrap(std::string(kLead, '.') + text, 80, 2).substr(kLead);
  if (line_end == error.size()) return text;
  for (const std::string& line : split(std::string_view(error).substr(line_end + 1), '\n')) {
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    text += "\n" + line.substr(0, indent) + wrap(std::string_view(line).substr(indent), 80, indent);
  }
  return text;
}

// With --json, standard output is one JSON value whatever happens; people still find the message on stderr.
int tell_failure(const Outcome& outcome, bool json) {
  if (outcome.error.empty()) return outcome.code;
  std::fputs(fmt::format("error: {}\n", wrapped(outcome.error)).c_str(),
             stderr);  // throws nothing if it is full
  if (json) print_json({{"error", outcome.error}, {"exit_code", outcome.code}});
  return outcome.code;
}

Json lines_of(const std::string& text) {
  Json lines = Json::array();
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

int run_for_json(const std::string& command) {
  CapturedOutput output;
  const Outcome outcome = run_chosen();
  const std::string text = output.finish();
  if (!outcome.error.empty()) return tell_failure(outcome, true);
  if (chosen().result) {
    fmt::print("{}", *chosen().result);
  } else {
    print_json({{"command", command}, {"exit_code", outcome.code}, {"output", lines_of(text)}});
  }
  return outcome.code;
}

// "overture help flows" is "overture flows --help".
std::vector<std::string> without_help_command(const CLI::App& app, std::vector<std::string> words) {
  if (words.size() < 2 || words[1] != "help") return words;
  const CLI::App* at = &app;
  std::string path = app.get_name();
  for (const std::string& word : std::span(words).subspan(2)) {
    if (word.starts_with('-')) continue;
    const auto commands = names_of_commands(*at);
    if (std::ranges::find(commands, word) == commands.end())
      throw UserError(fmt::format("unknown command \"{}\"", word),
                      lines_below({suggest(word, commands), fmt::format("see {} --help", path)}));
    at = at->get_subcommand(word);
    path += " " + word;
  }
  words.erase(words.begin() + 1);
  words.emplace_back("--help");
  return words;
}

std::string help_of(const CLI::App& app) { return help_text(text_of(last_given(app)), commands_given(app)); }

// Nothing if the command line is in order and a command is to be run.
std::optional<int> parse(CLI::App& app, const std::vector<std::string>& words) {
  const bool json = std::ranges::find(words, "--json") != words.end();
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  try {
    app.parse(static_cast<int>(pointers.size()), pointers.data());
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", help_of(app));
    return 0;
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return tell_failure({2, fmt::format("{}\n  see {} --help", complaint(app, error), commands_given(app))},
                        json);
  }
  if (chosen().run) return std::nullopt;
  const std::string given = commands_given(app);
  return tell_failure({2, fmt::format("{} needs one of its commands\n  known: {}\n  see {} --help", given,
                                      fmt::join(names_of_commands(last_given(app)), ", "), given)},
                      json);
}

int run_given(int argc, char** argv, const std::function<void(Command&)>& add_commands) {
  chosen() = {};
  CLI::App app("Train, simulate and co-design deep learning recommendation models", "overture");
  app.set_version_flag("--version", version_text());
  app.require_subcommand(0, 1);
  app.footer("Every command has --help with examples.");
  Command root(app);
  add_commands(root);
  const std::vector<std::string> words(argv, argv + argc);
  try {
    if (const auto code = parse(app, without_help_command(app, words))) return *code;
  } catch (const UserError& error) {
    return tell_failure({2, error.what()}, std::ranges::find(words, "--json") != words.end());
  }
  if (chosen().json && !chosen().tells_itself) return run_for_json(commands_given(app));
  return tell_failure(run_chosen(), chosen().json);
}

}  // namespace

// What nobody received is no success: much of it reaches its place only here.
int run(int argc, char** argv, const std::function<void(Command&)>& add_commands) {
  int code = 0;
  end_on_interrupts();
  try {
    code = run_given(argc, argv, add_commands);
  } catch (const std::system_error&) {  // fmt could not write, which is told below
    if (std::ferror(stdout) == 0) throw;
  }
  const bool received = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (code == kInterrupted) std::fputs("interrupted\n", stderr);
  if (received) return code;
  if (code == 0)
    std::fputs(fmt::format("error: standard output cannot be written: {}\n", std::strerror(errno)).c_str(),
               stderr);
  return code == 0 ? 2 : code;
}

}  // namespace overture::cli
