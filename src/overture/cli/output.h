// Where the results of a command go: the flags that all commands have in common, and how their runs end.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "overture/base/hash.h"
#include "overture/base/json.h"
#include "overture/cli/command.h"

namespace overture::cli {

struct Output {
  std::string folder;  // empty: the command's own choice
  bool overwrite = false;
  bool no_report = false;

  std::filesystem::path folder_or(const std::filesystem::path& usual) const {
    return folder.empty() ? usual : std::filesystem::path(folder);
  }
};

// -o, --overwrite and --no-report. `usual` is the folder of those who give none, as people read it; empty:
// the one that `output` has.
void add_output(Command& command, Output& output, std::string_view usual = {},
                std::string_view names = "-o,--results,--out");

// Throws UserError unless the folder is new, or holds nothing but a run of the same kind and setup, or may be
// overwritten. Makes it. Without a setup, any run of the kind may be replaced.
void claim(const Output& output, const std::filesystem::path& folder, const std::string& kind,
           const std::optional<std::string>& setup_yaml = std::nullopt);

// The last files of a run: setup.yaml and summary.json, which ends with digest and setup, and then the page.
// --json prints the summary. Throws UserError.
void finish_run(const Output& output, const Json& summary, const Digest& digest,
                const std::string& setup_yaml, const std::filesystem::path& folder);

// 0, or for a run that was cut short: 130 by Ctrl-C, 3 by a limit or because it can never end.
int exit_code(bool complete);

// "why: ..." and "note: ...", in 80 columns; nothing for an empty text.
void print_why(const std::string& why);
void print_note(const std::string& note);

// The last lines of most commands: where to look, and for what.
void print_where(const std::filesystem::path& folder, const Output& output, std::string_view contents = {});

// For commands that make one file of text: into `file`, or to the terminal if it is empty.
void write_or_print(const std::string& file, const std::string& text);

}  // namespace overture::cli
