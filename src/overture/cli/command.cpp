#include "overture/cli/command.h"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/cli/version.h"

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

// Set by the callback of the command that was given, read after parsing.
struct Chosen {
  std::function<int()> run;
};

Chosen& chosen() {
  static Chosen command;
  return command;
}

template <class T>
CLI::Option* add_option(CLI::App& app, std::string_view name, T& value, std::string_view help) {
  return app.add_option(std::string(name), value, std::string(help))->capture_default_str();
}

// What is wrong with the command line. To a misspelt command CLI11 says only that one is required.
std::string complaint(const CLI::App& app, const CLI::ParseError& error, const std::string& first_word) {
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    known.push_back(command->get_name());
  }
  const bool a_command = std::find(known.begin(), known.end(), first_word) != known.end();
  if (a_command || first_word.empty() || first_word.starts_with('-')) return error.what();
  return fmt::format("unknown command \"{}\"\n  {}", first_word, suggest(first_word, known));
}

CommandText text_of(const CLI::App& app) {
  CommandText text{.name = app.get_name(), .description = app.get_description(), .footer = app.get_footer()};
  for (const CLI::Option* option : app.get_options()) {
    const bool positional = option->get_positional();
    text.options.push_back({.names = option->get_name(positional, !positional),
                            .help = option->get_description(),
                            .is_flag = option->get_expected_max() == 0,
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
  command->fallthrough(false);
  return Command(*command);
}

Command& Command::option(std::string_view name, std::string& value, std::string_view help) {
  add_option(app_, name, value, help);
  return *this;
}
Command& Command::option(std::string_view name, int& value, std::string_view help) {
  add_option(app_, name, value, help);
  return *this;
}
Command& Command::option(std::string_view name, std::optional<int>& value, std::string_view help) {
  app_.add_option(std::string(name), value, std::string(help));
  return *this;
}
Command& Command::option(std::string_view name, float& value, std::string_view help) {
  add_option(app_, name, value, help);
  return *this;
}
Command& Command::option(std::string_view name, bool& value, std::string_view help) {
  add_option(app_, name, value, help);
  return *this;
}
Command& Command::option(std::string_view name, std::vector<int>& values, std::string_view help) {
  app_.add_option(std::string(name), values, std::string(help));
  return *this;
}
Command& Command::option(std::string_view name, std::vector<double>& values, std::string_view help) {
  app_.add_option(std::string(name), values, std::string(help));
  return *this;
}
Command& Command::option(std::string_view name, std::vector<std::string>& values, std::string_view help) {
  app_.add_option(std::string(name), values, std::string(help))
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  return *this;
}
Command& Command::flag(std::string_view name, bool& value, std::string_view help) {
  app_.add_flag(std::string(name), value, std::string(help));
  return *this;
}
Command& Command::required_option(std::string_view name, std::string& value, std::string_view help) {
  app_.add_option(std::string(name), value, std::string(help))->required();
  return *this;
}
Command& Command::positional(std::string_view name, std::string& value, std::string_view help,
                             bool required) {
  app_.add_option(std::string(name), value, std::string(help))->required(required);
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
  app_.final_callback([run = std::move(run)] { chosen().run = run; });
  return *this;
}

int run(int argc, char** argv, const std::function<void(Command&)>& add_commands) {
  CLI::App app("Overture: train, simulate and co-design deep learning recommendation models", "overture");
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  app.footer("Every command has --help with examples.");
  Command root(app);
  add_commands(root);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "error: {}\n  see {} --help\n", complaint(app, error, argc > 1 ? argv[1] : ""),
               commands_given(app));
    return 2;
  }
  if (!chosen().run) {
    fmt::print(stderr, "error: {} wants one of its commands\n  see {} --help\n", commands_given(app),
               commands_given(app));
    return 2;
  }
  try {
    return chosen().run();
  } catch (const UserError& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 2;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "error: not enough memory for this run\n  use fewer ranks, or a coarser setup\n");
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}

}  // namespace overture::cli
