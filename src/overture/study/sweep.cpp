#include "overture/study/sweep.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <map>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "overture/base/disk.h"
#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/hash.h"
#include "overture/base/interrupt.h"
#include "overture/base/json.h"
#include "overture/base/run_summary.h"

namespace overture::study {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDone = "summary.json";  // a command writes it last
constexpr const char* kErrors = "errors.txt";
constexpr const char* kCost = "cost.json";

// Of a run that is not kept. One that says nothing and left nothing whole was cut short.
int code_of(int status) {
  constexpr int kCutShort = 3;
  if (!WIFEXITED(status)) return 128 + WTERMSIG(status);
  return WEXITSTATUS(status) == 0 ? kCutShort : WEXITSTATUS(status);
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

void write_cost(const fs::path& folder, const rusage& use) {
  const Json cost{{"cpu_s", seconds(use.ru_utime) + seconds(use.ru_stime)},
                  {"peak_MiB", static_cast<double>(use.ru_maxrss) / 1024}};
  write_file(folder / kCost, cost.dump(2) + "\n");
}

Json summary_in(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / kDone, error) ? parse_json(read_file(folder / kDone)) : Json();
}

class Runs {
 public:
  explicit Runs(const SweepJob& job) : job_(job) {}
  ~Runs() { stop(); }
  Runs(const Runs&) = delete;
  Runs& operator=(const Runs&) = delete;

  std::size_t running() const { return point_of_.size(); }

  void start(std::size_t point) {
    const fs::path folder = unfinished(job_.points[point]);
    disk().remove(folder);
    if (!disk().make_folder(folder)) throw UserError({.file = folder.string()}, "cannot be created");
    std::vector<std::string> words = words_of(job_.points[point], folder);
    const pid_t sweep = getpid();
    const pid_t child = fork();
    if (child == 0) become(words, folder, sweep);
    if (child < 0) throw UserError("no further process can be started");
    point_of_[child] = point;
  }

  // Waits a moment for one to end.
  std::optional<SweepFailure> reap(bool& ended) {
    int status = 0;
    rusage use{};
    const pid_t child = wait4(-1, &status, WNOHANG, &use);
    const auto found = point_of_.find(child);
    ended = child > 0 && found != point_of_.end();
    if (!ended) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      return std::nullopt;
    }
    const std::size_t point = found->second;
    point_of_.erase(found);
    const SweepPoint& done = job_.points[point];
    const bool well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (well && job_.notes_costs) write_cost(unfinished(done), use);
    if (well && keep_if_complete(done)) return std::nullopt;
    return SweepFailure{point, code_of(status), read_file(unfinished(done) / kErrors)};
  }

  void stop() {
    for (const auto& [child, point] : point_of_) {
      kill(-child, SIGKILL);  // it leads a group of its own
      kill(child, SIGKILL);   // or did not come so far
      waitpid(child, nullptr, 0);
      disk().remove(unfinished(job_.points[point]));
    }
    point_of_.clear();
  }

 private:
  std::vector<std::string> words_of(const SweepPoint& point, const fs::path& folder) const {
    std::vector<std::string> words{job_.program.string(), job_.command};
    if (point.arguments.empty()) {
      words.insert(words.end(), {job_.setup.string(), "--no-report"});
      // A sweep is itself a way to find what helps.
      if (job_.command != "train") words.emplace_back("--no-why");
      for (const std::string& override : point.overrides) words.insert(words.end(), {"-s", override});
    } else {
      words.insert(words.end(), point.arguments.begin(), point.arguments.end());
    }
    words.insert(words.end(), {"-o", folder.string()});
    return words;
  }

  // Ctrl-C is the sweep's to handle, so the child is in a group of its own; and it must not outlive a sweep
  // that was killed, or it would write into the folder of the next one.
  [[noreturn]] static void become(std::vector<std::string>& words, const fs::path& folder, pid_t sweep) {
    setpgid(0, 0);
    end_with(sweep);
    const int out = open("/dev/null", O_WRONLY);
    const int errors = open((folder / kErrors).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    dup2(out, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    execv(pointers[0], pointers.data());
    _exit(127);
  }

  const SweepJob& job_;
  std::map<pid_t, std::size_t> point_of_;
};

}  // namespace

fs::path point_folder(const fs::path& root, std::size_t number, const std::string& command,
                      const std::string& setup_text, const std::vector<std::string>& overrides) {
  std::string all = command + '\n' + setup_text;
  for (const std::string& override : overrides) all += '\n' + override;
  return root / fmt::format("{:04}-{:08x}", number, static_cast<std::uint32_t>(fnv1a(all)));
}

fs::path unfinished(const SweepPoint& point) { return point.folder.string() + ".part"; }

bool is_finished(const SweepPoint& point) {
  const Json summary = summary_in(point.folder);
  if (!is_complete(summary)) return false;
  return point.version.empty() || summary.value("overture", "") == point.version;
}

bool keep_if_complete(const SweepPoint& point) {
  const fs::path made = unfinished(point);
  if (!is_complete(summary_in(made))) return false;
  disk().remove(made / kErrors);
  if (!disk().replace_folder(made, point.folder))
    throw UserError({.file = point.folder.string()},
                    std::string("cannot be created: ") + std::strerror(errno));
  disk().sync_folder(point.folder.parent_path());
  return true;
}

std::vector<SweepFailure> run_sweep(const SweepJob& job, const std::vector<std::size_t>& mine,
                                    const std::function<bool(std::size_t)>& finished) {
  std::vector<std::size_t> waiting;
  for (const std::size_t point : mine) {
    if (!is_finished(job.points[point])) waiting.push_back(point);
  }
  std::size_t done = mine.size() - waiting.size();
  std::vector<SweepFailure> failures;
  Runs runs(job);
  for (std::size_t next = 0; next < waiting.size() || runs.running() > 0;) {
    if (!finished(done)) return failures;
    if (next < waiting.size() && runs.running() < static_cast<std::size_t>(job.jobs)) {
      runs.start(waiting[next++]);
      continue;
    }
    bool ended = false;
    if (auto failure = runs.reap(ended)) failures.push_back(std::move(*failure));
    if (ended) ++done;
  }
  finished(done);
  return failures;
}

std::optional<RunCost> cost_of(const SweepPoint& point) {
  const fs::path file = point.folder / kCost;
  std::error_code error;
  if (!fs::exists(file, error)) return std::nullopt;
  const Json cost = parse_json(read_file(file));
  const auto number = [&](const char* key) {
    return cost.is_object() && cost.contains(key) && cost[key].is_number() ? cost[key].get<double>() : 0.0;
  };
  return RunCost{.cpu_seconds = number("cpu_s"), .peak_mib = number("peak_MiB")};
}

std::vector<std::pair<std::string, double>> numbers_of(const SweepPoint& point) {
  std::vector<std::pair<std::string, double>> numbers;
  const fs::path file = point.folder / kDone;
  const auto summary = parse_json(read_file(file));
  if (!summary.is_object())
    throw UserError({.file = file.string()}, "is not a summary", "delete the folder and run again");
  for (const auto& [key, value] : summary.items()) {
    if (value.is_number()) numbers.emplace_back(key, value.get<double>());
    if (!value.is_object()) continue;
    for (const auto& [inner, number] : value.items()) {
      if (number.is_number()) numbers.emplace_back(key + "." + inner, number.get<double>());
    }
  }
  return numbers;
}

}  // namespace overture::study
