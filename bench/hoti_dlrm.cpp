// How time and memory of a cell of the HOTI study grow with the GPUs: DLRM over TCP, two iterations, packet
// by packet, on a flat and on a hierarchical machine. Prints a table. The arguments are system:gpus, such as
// flat100g:128, a folder of setups before them if it is not examples/hoti, and key=value for all of them.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "overture/setup/setup.h"
#include "overture/simulation/simulation.h"

namespace overture {
namespace {

struct Case {
  std::string system;
  std::string gpus;
};

void print(const std::filesystem::path& folder, const Case& one, std::vector<std::string> overrides) {
  overrides.push_back("network.topology.star.hosts=" + one.gpus);
  const setup::Setup setup = setup::load_setup(folder / (one.system + ".yaml"), overrides);
  const simulation::SimulationResult result = simulation::simulate(setup.simulation);
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  const double seconds = static_cast<double>(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
                         1e-6 * static_cast<double>(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
  fmt::print("{:>9} {:>5} {:>12} {:>12} {:>8.2f} {:>8}\n", one.system, result.ranks,
             to_string(result.finished), result.events, seconds, use.ru_maxrss / 1024);
  std::fflush(stdout);
}

// In a process of its own: the peak of memory is that of a whole process.
void print_apart(const std::filesystem::path& folder, const Case& one,
                 const std::vector<std::string>& overrides) {
  const pid_t child = fork();
  if (child == 0) {
    try {
      print(folder, one, overrides);
    } catch (const std::exception& error) {
      fmt::print(stderr, "{}: {}\n", one.system, error.what());
    }
    _exit(0);
  }
  waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace overture

int main(int argc, char** argv) {
  std::filesystem::path folder = OVERTURE_EXAMPLES "/hoti";
  std::vector<overture::Case> cases;
  std::vector<std::string> overrides;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::size_t colon = word.find(':');
    if (word.find('=') != std::string::npos) {
      overrides.push_back(word);
    } else if (colon != std::string::npos) {
      cases.push_back({word.substr(0, colon), word.substr(colon + 1)});
    } else {
      folder = word;
    }
  }
  if (cases.empty()) {
    for (const char* system : {"flat100g", "hieropt"}) {
      for (const char* gpus : {"16", "32", "64", "128", "256", "512"}) cases.push_back({system, gpus});
    }
  }
  fmt::print("{:>9} {:>5} {:>12} {:>12} {:>8} {:>8}\n", "system", "GPUs", "2 iterations", "events", "CPU s",
             "peak MB");
  std::fflush(stdout);
  for (const overture::Case& one : cases) overture::print_apart(folder, one, overrides);
}
