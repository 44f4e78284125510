#include "overture/study/validate/program.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/interrupt.h"

namespace overture::study {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPathFlag = "--path=";

// The commands of cmd.txt, one per line, writing to `results`.
std::vector<std::vector<std::string>> commands(const fs::path& folder, const fs::path& results) {
  std::vector<std::vector<std::string>> commands;
  std::istringstream lines(read_file(folder / "cmd.txt"));
  bool continued = false;
  for (std::string line; std::getline(lines, line);) {
    if (!continued) commands.push_back({"astra"});
    continued = !line.empty() && line.back() == '\\';
    if (continued) line.pop_back();
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      std::erase(word, '"');
      commands.back().push_back(word.starts_with(kPathFlag) ? std::string(kPathFlag) + results.string() + '/'
                                                            : word);
    }
    if (!continued && commands.back().size() == 1) commands.pop_back();
  }
  return commands;
}

std::vector<std::string> cells_of(const std::string& text) {
  std::vector<std::string> cells;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream columns(line + ",");
    for (std::string cell; std::getline(columns, cell, ',');) cells.push_back(cell);
  }
  return cells;
}

double child_seconds() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

bool same(const std::string& a, const std::string& b) {
  const auto no_number = [](const std::string& cell) { return cell == "nan" || cell == "-nan"; };
  return a == b || (no_number(a) && no_number(b));
}

}  // namespace

void run_program(const fs::path& program, const fs::path& folder, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::fflush(stdout);
  const pid_t self = getpid();
  const pid_t child = fork();
  if (child == 0) {
    end_with(self);
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    if (chdir(folder.c_str()) == 0) execv(pointers[0], pointers.data());
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw UserError({.file = folder.string()}, fmt::format("overture {} failed there", arguments.front()));
}

Check run_program_case(const fs::path& folder, const fs::path& program, const fs::path& results,
                       const std::string& source) {
  const double before = child_seconds();
  for (const auto& command : commands(folder, results)) run_program(program, folder, command);
  Check check{.source = source, .scenario = folder.filename().string(), .what = "equal cells"};
  check.seconds = child_seconds() - before;
  for (const auto& entry : fs::directory_iterator(folder / "expected")) {
    if (entry.path().extension() != ".csv") continue;
    const auto expected = cells_of(read_file(entry.path()));
    const auto ours = cells_of(read_file(results / entry.path().filename()));
    check.reference += static_cast<double>(expected.size());
    for (std::size_t i = 0; i < std::min(expected.size(), ours.size()); ++i)
      check.ours += same(expected[i], ours[i]) ? 1 : 0;
  }
  return check;
}

std::vector<fs::path> program_cases(const fs::path& folder) {
  std::vector<fs::path> cases;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (fs::exists(entry.path() / "cmd.txt")) cases.push_back(entry.path());
  }
  if (error) throw UserError({.file = folder.string()}, "cannot be read: " + error.message());
  std::sort(cases.begin(), cases.end());
  return cases;
}

ScratchFolder::ScratchFolder() {
  std::string scratch = (fs::temp_directory_path() / "overture-validate-XXXXXX").string();
  if (mkdtemp(scratch.data()) == nullptr) throw UserError({.file = scratch}, "cannot be created");
  path_ = scratch;
}

ScratchFolder::~ScratchFolder() {
  std::error_code error;
  fs::remove_all(path_, error);
}

}  // namespace overture::study
