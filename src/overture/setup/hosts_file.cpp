#include "overture/setup/hosts_file.h"

#include <sstream>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/text.h"

namespace overture::setup {
namespace {

// One line, of a file that is known by name.
class HostLine {
 public:
  HostLine(const std::string& file, int number, const std::string& line) : file_(file), number_(number) {
    std::istringstream words(line.substr(0, line.find('#')));
    for (std::string word; words >> word;) words_.push_back(word);
  }

  void add_to(HostsFile& hosts) const {
    if (words_.empty()) return;
    if (words_.size() == 1) fail("names no role");
    if (words_.size() > 3) fail(fmt::format("has {} words", words_.size()));
    const std::string& role = words_[1];
    if (words_[0].starts_with('-'))
      fail(fmt::format("\"{}\" is no host", words_[0]));  // ssh takes it as a flag
    const auto processes = static_cast<std::size_t>(count());
    if (role == "oracle") {
      if (!hosts.oracle.empty() || processes > 1) fail("a run has one oracle");
      hosts.oracle = words_[0];
    } else if (role == "trainer" || role == "server") {
      auto& all = role == "trainer" ? hosts.trainers : hosts.servers;
      all.insert(all.end(), processes, words_[0]);
    } else {
      fail(fmt::format("unknown role \"{}\"", role));
    }
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw UserError({.file = file_, .line = number_}, what,
                    "a line is: host role [count], with role oracle, trainer or server");
  }

  int count() const {
    if (words_.size() < 3) return 1;
    const std::string& word = words_[2];
    constexpr int kMost = 64;
    const auto number = parse_number<int>(word);
    if (!number || *number < 1 || *number > kMost)
      fail(fmt::format("\"{}\" is not a number of processes from 1 to {}", word, kMost));
    return *number;
  }

  const std::string& file_;
  int number_;
  std::vector<std::string> words_;
};

}  // namespace

HostsFile parse_hosts(std::string_view text, const std::string& file) {
  HostsFile hosts;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) HostLine(file, ++number, line).add_to(hosts);
  if (hosts.oracle.empty() || hosts.trainers.empty())
    throw UserError({.file = file}, "a run has an oracle, at least one trainer, and servers");
  return hosts;
}

HostsFile read_hosts(const std::filesystem::path& file) {
  return parse_hosts(read_file(file), file.string());
}

}  // namespace overture::setup
