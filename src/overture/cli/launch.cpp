// overture launch: starts all parties of a training run over ssh, shows what they say with their names in
// front, and leaves nothing running.
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "overture/base/error.h"
#include "overture/base/interrupt.h"
#include "overture/cli/commands.h"
#include "overture/cli/launch_command.h"
#include "overture/cli/terminal_line.h"
#include "overture/setup/hosts_file.h"
#include "overture/train/messages.h"

namespace overture::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// Parties end by themselves when one is gone; after this they are ended.
constexpr auto kPatience = 15s;
// The exit code of ssh itself.
constexpr int kNoConnection = 255;

// A process here that holds the connection to one there.
class Child {
 public:
  Child(std::string name, std::vector<std::string> words) : name_(std::move(name)) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
      throw UserError(std::string("cannot create a pipe: ") + std::strerror(errno));
    const pid_t self = getpid();
    pid_ = fork();
    if (pid_ == 0) become(words, ends[1], self);
    close(ends[1]);
    out_ = ends[0];
    if (pid_ < 0) throw UserError(std::string("cannot start a process: ") + std::strerror(errno));
  }
  ~Child() {
    if (running()) {
      kill(-pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    if (out_ >= 0) close(out_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int out() const { return out_; }
  bool running() const { return pid_ > 0; }
  int code() const { return code_; }
  const std::string& name() const { return name_; }
  void signal(int number) const {
    if (running()) kill(-pid_, number);
  }

  // Shows what has come, line by line.
  void show() {
    std::array<char, 4096> buffer{};
    const ssize_t got = read(out_, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) return;
    if (got > 0) text_.append(buffer.data(), static_cast<std::size_t>(got));
    for (std::size_t end = text_.find('\n'); end != std::string::npos; end = text_.find('\n')) {
      print(text_.substr(0, end));
      text_.erase(0, end + 1);
    }
    if (got > 0) return;
    if (!text_.empty()) print(text_);
    close(out_);
    out_ = -1;
  }

  void note_end() {
    int status = 0;
    if (!running() || waitpid(pid_, &status, WNOHANG) != pid_) return;
    pid_ = -1;
    code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  }

 private:
  [[noreturn]] static void become(const std::vector<std::string>& words, int out, pid_t launch) {
    end_with(launch);
    setpgid(0, 0);  // Ctrl-C is for this program to pass on
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    std::perror(arguments[0]);
    _exit(127);
  }
  // ssh -tt gives the program there a terminal, so that it ends with its connection: it writes as to one.
  void print(const std::string& line) const {
    fmt::print("[{}] {}\n", name_, terminal_line(line));
    std::fflush(stdout);
  }

  std::string name_;
  pid_t pid_ = -1;
  int out_ = -1;
  int code_ = 0;
  std::string text_;
};

using Children = std::vector<std::unique_ptr<Child>>;

Children start(const LaunchOptions& options, const setup::HostsFile& hosts) {
  const train::Parties parties{static_cast<int>(hosts.trainers.size()),
                               static_cast<int>(hosts.servers.size())};
  Children children;
  for (int worker = 0; worker < parties.count(); ++worker) {
    const rpc::Address address{worker};
    const bool trainer = worker > 0 && worker <= parties.trainers;
    const std::string role = worker == 0 ? "oracle" : trainer ? "trainer" : "server";
    const std::string& host = worker == 0 ? hosts.oracle
                              : trainer
                                  ? hosts.trainers[static_cast<std::size_t>(parties.rank(address))]
                                  : hosts.servers[static_cast<std::size_t>(parties.server_number(address))];
    std::istringstream ssh(options.ssh);
    std::vector<std::string> words;
    for (std::string word; ssh >> word;) words.push_back(word);
    words.push_back(host);
    words.push_back(launch_command(options, hosts, role, worker));
    children.push_back(std::make_unique<Child>(worker == 0 ? "oracle" : parties.name(address), words));
  }
  return children;
}

void show_all(Children& children) {
  std::vector<pollfd> open;
  for (const auto& child : children) open.push_back({.fd = child->out(), .events = POLLIN, .revents = 0});
  poll(open.data(), open.size(), 100);
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (open[i].fd >= 0 && open[i].revents != 0) children[i]->show();
    children[i]->note_end();
  }
}

int run(const LaunchOptions& options) {
  const setup::HostsFile hosts = setup::read_hosts(options.hosts);
  const Interrupt interrupt;
  Children children = start(options, hosts);
  bool asked = false;
  std::optional<Clock::time_point> until;  // then all are ended
  const auto goes_on = [](const auto& child) { return child->running() || child->out() >= 0; };
  while (std::ranges::any_of(children, goes_on)) {
    show_all(children);
    if (Interrupt::requested() && !std::exchange(asked, true)) {
      fmt::print(stderr, "stopping: the oracle writes a checkpoint and ends all\n");
      children.front()->signal(SIGTERM);
    }
    const bool ending =
        asked || std::ranges::any_of(children, [](const auto& child) { return !child->running(); });
    if (ending && !until) until = Clock::now() + kPatience;
    if (until && Clock::now() > *until) {
      for (const auto& child : children) child->signal(SIGKILL);
    }
  }
  int code = children.front()->code();
  for (const auto& child : children) code = code == 0 ? child->code() : code;
  for (const auto& child : children) {
    if (child->code() != kNoConnection) continue;
    fmt::print(stderr,
               "error: ssh did not reach the host of {}; what it says is above\n"
               "  try `ssh HOST true`, which must need no password\n",
               child->name());
    return 1;
  }
  return code;
}

}  // namespace

void add_launch(Command& root) {
  auto options = std::make_shared<LaunchOptions>();
  Command command = root.add("launch", "Start all processes of a training run over ssh");
  command
      .positional("hosts", options->hosts,
                  "File with lines of: host role [count]; roles are oracle, trainer, server")
      .positional("setup", options->setup, "Setup file (YAML) of the run");
  add_run_flags(command, options->run);
  command.option("--ssh COMMAND", options->ssh, "Command that runs another on a host")
      .option("--program FILE", options->program, "Path of overture on the hosts (default: the same as here)")
      .option("--master-ip ADDRESS", options->master_ip,
              "Address of the oracle's host (default: as in the file)")
      .option("--master-port", options->master_port, "Port at which the oracle waits for the other processes")
      .option("--timeout", options->timeout, "Seconds to wait for the other processes")
      .examples("  overture launch hosts.txt setup.yaml -o /shared/results/run")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
