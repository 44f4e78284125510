// How time and memory of the Opera study grow with the nodes: one step of model A's baseline, sound, on the
// fat tree and on Opera, as a fluid and packet by packet. Prints a table. The arguments are backend:nodes
// (flow:16 flow:128 flow:1024 packet:16 packet:128 if there are none; packet:1024 takes many minutes).
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "overture/study/opera_dlrm/run.h"

namespace overture {
namespace {

using study::opera_dlrm::Cell;

void print(const Cell& cell) {
  const study::opera_dlrm::CellResult result = study::opera_dlrm::run_cell(cell);
  fmt::print("{:>6} {:>5} {:>9} {:>12} {:>8.2f} {:>8.0f}\n", name(cell.backend), cell.nodes,
             name(cell.network), to_string(result.iteration), result.cpu_seconds, result.memory_mb);
  std::fflush(stdout);
}

// In a process of its own: the peak of memory is that of a whole process.
void print_apart(const Cell& cell) {
  const pid_t child = fork();
  if (child == 0) {
    print(cell);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
}

Cell parse(const std::string& word, std::string_view network) {
  const std::size_t colon = std::min(word.find(':'), word.size());
  return study::opera_dlrm::parse_cell(fmt::format("A.baseline.{}.{}.dps.{}.sound.1",
                                                   word.substr(std::min(colon + 1, word.size())), network,
                                                   word.substr(0, colon)));
}

}  // namespace
}  // namespace overture

int main(int argc, char** argv) try {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty()) words = {"flow:16", "flow:128", "flow:1024", "packet:16", "packet:128"};
  fmt::print("{:>6} {:>5} {:>9} {:>12} {:>8} {:>8}\n", "", "nodes", "network", "iteration", "CPU s",
             "peak MB");
  std::fflush(stdout);
  for (const std::string& word : words) {
    for (const char* network : {"fat-tree", "opera"}) overture::print_apart(overture::parse(word, network));
  }
} catch (const std::exception& error) {
  fmt::print(stderr, "error: {}\n", error.what());
  return 2;
}
