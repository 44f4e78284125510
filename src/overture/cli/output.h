// Where the results of a command go: the flags that all commands have in common.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

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

// -o, --overwrite and --no-report. `usual` is the folder of those who give none, as people read it.
void add_output(Command& command, Output& output, std::string_view usual, std::string_view names);
inline void add_output(Command& command, Output& output, std::string_view usual) {
  add_output(command, output, usual, "-o,--results,--out");
}

// Throws UserError unless the folder is new, or holds nothing but a run of the same kind and setup, or may be
// overwritten. Makes it.
void claim(const Output& output, const std::filesystem::path& folder, const std::string& kind,
           const std::string& setup_yaml);

// The last lines of most commands: where to look.
void print_where(const std::filesystem::path& folder, const Output& output);

// For commands that make one file of text: into `file`, or to the terminal if it is empty.
void write_or_print(const std::string& file, const std::string& text);

}  // namespace overture::cli
