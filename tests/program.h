// Runs programs the way a user does, and keeps what they say. For tests of the whole program: temporary
// folders, files with given text, and a `overture` that was just built.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace overture::testing {

using Words = std::vector<std::string>;

struct Outcome {
  int exit_code = -1;  // -1 when a signal ended it
  int signal = 0;
  bool timed_out = false;
  std::chrono::milliseconds
      cpu{};  // user and system; unlike the clock on the wall, the same on a busy machine
  std::string out;
  std::string err;

  // Everything above in a few lines, for messages of failed tests.
  std::string text() const;
};

struct Surroundings {
  std::filesystem::path folder = ".";  // where the program runs
  std::vector<std::string> variables;  // NAME=value, on top of the test's own
  std::chrono::seconds limit{60};      // on the wall; then it is killed
};

// Runs `command` with nothing to read on stdin. Throws std::runtime_error if there is no such program.
Outcome run(const Words& command, const Surroundings& surroundings = {});

// Runs the overture that this build made.
Outcome run_overture(const Words& arguments, const Surroundings& surroundings = {});
std::filesystem::path overture_binary();

// An overture in the background, silent and in a process group of its own. It is killed with the object.
class StartedOverture {
 public:
  StartedOverture(const Words& arguments, const std::filesystem::path& folder);
  ~StartedOverture();
  StartedOverture(const StartedOverture&) = delete;
  StartedOverture& operator=(const StartedOverture&) = delete;

  void send(int signal) const;
  void send_to_group(int signal) const;  // as a terminal does it
  // Waits for its end; 128 and the signal if one ended it.
  int exit_code();

 private:
  pid_t process_ = -1;
};

// A folder of its own that goes when the object goes.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // With folders on the way, if there are any.
  std::filesystem::path write(const std::filesystem::path& name, std::string_view text) const;

 private:
  std::filesystem::path path_;
};

// Every command that the program's help names, and every command of a command, as words.
std::vector<Words> all_commands(const Words& path = {});
// "overture generate dataset"
std::string text_of(const Words& words);

// The whole file; the test fails by exception if it cannot be read.
std::string read_text(const std::filesystem::path& file);

std::vector<std::string> lines_of(std::string_view text);

// Words at blanks; quotes and backslashes keep blanks in a word, as in a shell.
Words split_words(std::string_view line);

// Lines of commands, those that end with a backslash joined to the next.
std::vector<std::string> join_continued_lines(const std::vector<std::string>& lines);

}  // namespace overture::testing
