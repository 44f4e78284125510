#include <array>
#include <filesystem>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "overture/base/files.h"
#include "overture/base/table.h"
#include "overture/base/text.h"
#include "overture/base/units.h"
#include "overture/base/version.h"
#include "overture/cli/commands.h"
#include "overture/network/ns3/ns3_program.h"

namespace overture::cli {
namespace {

namespace fs = std::filesystem;

// What Overture can use beyond what its build needs.
struct Optional {
  const char* package;
  const char* file;  // that it brings
  const char* use;
};

constexpr std::array kOptional{
    Optional{"libns3-dev", "/usr/include/ns3/core-module.h", "flows --backend ns3, bench_ns3"},
    Optional{"libsimgrid-dev", "/usr/include/simgrid/s4u.hpp",
             "a second opinion on the flow backend, in tests"},
    Optional{"chromium", "/usr/bin/chromium", "tests of the report in a browser"},
    Optional{"nodejs", "/usr/bin/node", "rebuilding the report's page (with npm)"},
    Optional{"python3-torch", "/usr/lib/python3/dist-packages/torch/__init__.py",
             "PyTorch as a reference in tests"},
    Optional{"clang", "/usr/bin/clang++", "the sanitizer and fuzzing builds"},
    Optional{"valgrind", "/usr/bin/valgrind", "counting instructions"},
};

// What was found when this program was built, whatever is installed now.
struct Part {
  const char* name;
  bool there;
  const char* use;
  const char* package;  // that would add it
};

#ifdef OVERTURE_MPI
constexpr bool kMpi = true;
#else
constexpr bool kMpi = false;
#endif
#ifdef OVERTURE_ZMQ
constexpr bool kZeroMq = true;
#else
constexpr bool kZeroMq = false;
#endif
#ifdef OVERTURE_AVX2
constexpr bool kAvx2 = true;
#else
constexpr bool kAvx2 = false;
#endif
#ifdef OVERTURE_AVX512
constexpr bool kAvx512 = true;
#else
constexpr bool kAvx512 = false;
#endif

Table this_build() {
  const Part parts[]{
      {"MPI", kMpi, "training under mpirun and srun", "libopenmpi-dev"},
      {"ZeroMQ", kZeroMq, "training by processes started by hand", "libzmq3-dev"},
      {"overture-ns3", network::ns3::find_ns3_program().has_value(), "flows --backend ns3", "libns3-dev"},
      {"AVX2 loops", kAvx2, "training on processors with AVX2", "a compiler that knows -mavx2"},
      {"AVX-512 loops", kAvx512, "training on processors with AVX-512", "a compiler that knows -mavx512f"}};
  Table table({"this build has", "", "for", "added by"});
  for (const Part& part : parts)
    table.add({part.name, part.there ? "yes" : "no", part.use, part.there ? "" : part.package});
  return table;
}

std::string memory() {
  const auto pages = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES));
  return to_string(Bytes{pages * static_cast<std::int64_t>(sysconf(_SC_PAGE_SIZE))});
}

std::string free_disk() {
  struct statvfs disk {};
  if (statvfs(".", &disk) != 0) return "unknown";
  return to_string(Bytes{static_cast<std::int64_t>(disk.f_bavail * disk.f_frsize)});
}

std::string huge_pages() {
  const fs::path file = "/sys/kernel/mm/transparent_hugepage/enabled";
  if (!fs::exists(file)) return "not available";
  const std::string text = read_file(file);
  const auto from = text.find('[');
  const auto to = text.find(']');
  return from == std::string::npos || to == std::string::npos ? "unknown"
                                                              : text.substr(from + 1, to - from - 1);
}

std::string vectors() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return "AVX-512";
  if (__builtin_cpu_supports("avx2")) return "AVX2";
  return "SSE2";
#else
  return "as the compiler was told";
#endif
}

int run() {
  fmt::print("{}\n\n", version_text());
  Table machine({"machine", ""});
  machine.add({"cores", fmt::format("{}", std::thread::hardware_concurrency())});
  machine.add({"memory", memory()});
  machine.add({"disk, free here", free_disk()});
  machine.add({"vector unit", vectors()});
  machine.add({"huge pages", huge_pages()});
  fmt::print("{}\n{}\n", machine.text(), this_build().text());
  Table table({"optional package", "installed", "for"});
  std::string missing;
  for (const Optional& optional : kOptional) {
    const bool there = fs::exists(optional.file);
    table.add({optional.package, there ? "yes" : "no", optional.use});
    if (!there) missing += std::string(" ") + optional.package;
  }
  fmt::print("{}\n", table.text());
  if (!missing.empty()) fmt::print("All of them: {}\n", wrap("sudo apt-get install" + missing, 80, 13));
  return 0;
}

}  // namespace

void add_doctor(Command& root) {
  Command command = root.add("doctor", "Show what this machine and this build have, and what could be added");
  command.examples("  overture doctor").runs([] { return run(); });
}

}  // namespace overture::cli
