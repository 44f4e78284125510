#include "program.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace overture::testing {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

struct Pipe {
  Pipe() {
    if (pipe2(ends.data(), O_CLOEXEC) != 0) fail("pipe");
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_end(std::size_t end) {
    if (ends[end] >= 0) close(ends[end]);
    ends[end] = -1;
  }
  // Reads what is there; closes the end when there will be no more.
  void drain(std::string& text) {
    std::array<char, 4096> buffer;
    const ssize_t got = read(ends[0], buffer.data(), buffer.size());
    if (got > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(got));
    } else if (got == 0 || errno != EINTR) {
      close_end(0);
    }
  }

  std::array<int, 2> ends{-1, -1};
};

// What the child does between fork and its program. Leaves the error number in `failure` if that cannot
// start.
[[noreturn]] void become(const Words& command, const Surroundings& surroundings, Pipe& out, Pipe& err,
                         Pipe& failure) {
  setpgid(0, 0);  // so that what it starts can be killed with it
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(out.ends[1], STDOUT_FILENO);
  dup2(err.ends[1], STDERR_FILENO);
  for (const std::string& variable : surroundings.variables) {
    const std::size_t equals = variable.find('=');
    setenv(variable.substr(0, equals).c_str(), variable.substr(equals + 1).c_str(), 1);
  }
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  if (chdir(surroundings.folder.c_str()) == 0) execvp(words[0], words.data());
  const int why = errno;
  [[maybe_unused]] const ssize_t written = write(failure.ends[1], &why, sizeof why);
  _exit(127);
}

// Collects both streams until they close or the time is up; returns whether it was.
bool collect(Pipe& out, Pipe& err, Outcome& outcome, Clock::time_point deadline) {
  while (out.ends[0] >= 0 || err.ends[0] >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return true;
    std::array<pollfd, 2> waiting{pollfd{out.ends[0], POLLIN, 0}, pollfd{err.ends[0], POLLIN, 0}};
    poll(waiting.data(), waiting.size(), static_cast<int>(left.count()));
    if (waiting[0].revents != 0) out.drain(outcome.out);
    if (waiting[1].revents != 0) err.drain(outcome.err);
  }
  return false;
}

std::chrono::milliseconds cpu_time(const rusage& use) {
  const auto of = [](const timeval& t) {
    return std::chrono::seconds{t.tv_sec} + std::chrono::microseconds{t.tv_usec};
  };
  return std::chrono::duration_cast<std::chrono::milliseconds>(of(use.ru_utime) + of(use.ru_stime));
}

}  // namespace

std::string Outcome::text() const {
  std::ostringstream text;
  text << (timed_out ? "killed after its time was up" : "");
  if (signal != 0) text << "signal " << signal << " (" << strsignal(signal) << ")";
  if (exit_code >= 0) text << "exit code " << exit_code;
  text << " after " << cpu.count() << " ms of work\nstdout:\n" << out << "\nstderr:\n" << err;
  return text.str();
}

Outcome run(const Words& command, const Surroundings& surroundings) {
  Pipe out;
  Pipe err;
  Pipe failure;
  const auto deadline = Clock::now() + surroundings.limit;
  const pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) become(command, surroundings, out, err, failure);
  for (Pipe* pipe : {&out, &err, &failure}) pipe->close_end(1);

  Outcome outcome;
  outcome.timed_out = collect(out, err, outcome, deadline);
  if (outcome.timed_out) {
    kill(child, SIGKILL);
    kill(-child, SIGKILL);
  }
  int status = 0;
  rusage use{};
  while (wait4(child, &status, 0, &use) < 0) {
    if (errno != EINTR) fail("wait4");
  }
  int why = 0;
  if (read(failure.ends[0], &why, sizeof why) == sizeof why) {
    errno = why;
    fail("cannot run " + command.front() + " in " + surroundings.folder.string());
  }
  outcome.cpu = cpu_time(use);
  if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  return outcome;
}

std::filesystem::path overture_binary() { return OVERTURE_BINARY; }

Outcome run_overture(const Words& arguments, const Surroundings& surroundings) {
  Words command{overture_binary().string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run(command, surroundings);
}

namespace {

// The words under "Commands:", "Training commands:" and their like of a help text.
std::vector<std::string> commands_in(const std::string& help) {
  std::vector<std::string> names;
  bool inside = false;
  for (const std::string& line : lines_of(help)) {
    if (line == "Commands:" || line.ends_with(" commands:")) {
      inside = true;
    } else if (line.empty()) {
      inside = false;
    } else if (inside && line[2] != ' ') {
      std::istringstream words(line);
      words >> names.emplace_back();
    }
  }
  return names;
}

}  // namespace

std::vector<Words> all_commands(const Words& path) {
  Words ask = path;
  ask.emplace_back("--help");
  std::vector<Words> found;
  for (const std::string& name : commands_in(run_overture(ask).out)) {
    if (name == "help") continue;  // it is the help of the others, tested below
    Words words = path;
    words.push_back(name);
    const auto below = all_commands(words);
    if (below.empty()) found.push_back(words);
    found.insert(found.end(), below.begin(), below.end());
  }
  return found;
}

std::string text_of(const Words& words) {
  std::string text = "overture";
  for (const std::string& word : words) text += " " + word;
  return text;
}

StartedOverture::StartedOverture(const Words& arguments, const std::filesystem::path& folder)
    : process_(fork()) {
  if (process_ < 0) fail("fork");
  if (process_ != 0) return;
  setpgid(0, 0);
  const int nothing = open("/dev/null", O_WRONLY);
  dup2(nothing, STDOUT_FILENO);
  dup2(nothing, STDERR_FILENO);
  const std::string program = overture_binary().string();
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  if (chdir(folder.c_str()) == 0) execv(words[0], words.data());
  _exit(127);
}

StartedOverture::~StartedOverture() {
  if (process_ <= 0) return;
  kill(-process_, SIGKILL);
  exit_code();
}

void StartedOverture::send(int signal) const { kill(process_, signal); }
void StartedOverture::send_to_group(int signal) const { kill(-process_, signal); }

int StartedOverture::exit_code() {
  int status = 0;
  waitpid(process_, &status, 0);
  process_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "overture-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) fail(name);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path TemporaryFolder::write(const std::filesystem::path& name, std::string_view text) const {
  const std::filesystem::path file = path_ / name;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
  return file;
}

std::string read_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) fail(file.string());
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::vector<std::string> join_continued_lines(const std::vector<std::string>& lines) {
  std::vector<std::string> joined;
  bool continues = false;
  for (const std::string& line : lines) {
    const bool more = line.ends_with('\\');
    const std::string text = more ? line.substr(0, line.size() - 1) + ' ' : line;
    if (continues) {
      joined.back() += text;
    } else {
      joined.push_back(text);
    }
    continues = more;
  }
  return joined;
}

Words split_words(std::string_view line) {
  Words words;
  char quote = '\0';
  bool in_word = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool blank = c == ' ' || c == '\t' || c == '\n';
    if (quote == '\0' && blank) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (c == quote) {
      quote = '\0';
    } else if (quote == '\0' && (c == '"' || c == '\'')) {
      quote = c;
    } else if (quote != '\'' && c == '\\' && i + 1 < line.size()) {
      words.back() += line[++i];
    } else {
      words.back() += c;
    }
  }
  return words;
}

}  // namespace overture::testing
