#include "overture/cli/astra_arguments.h"

#include <array>
#include <filesystem>
#include <string_view>

namespace overture::cli {
namespace {

constexpr std::array<std::string_view, 18> kOptions{"network-configuration",
                                                    "system-configuration",
                                                    "workload-configuration",
                                                    "path",
                                                    "run-name",
                                                    "num-passes",
                                                    "num-queues-per-dim",
                                                    "comm-scale",
                                                    "compute-scale",
                                                    "injection-scale",
                                                    "total-stat-rows",
                                                    "stat-row",
                                                    "rendezvous-protocol",
                                                    "units-count",
                                                    "links-count",
                                                    "link-bandwidth",
                                                    "link-latency",
                                                    "synthetic"};

std::string expand(const std::string& argument) {
  if (!argument.starts_with("--")) return argument;
  const std::size_t equals = argument.find('=');
  const std::string_view typed =
      std::string_view(argument).substr(2, equals == std::string::npos ? equals : equals - 2);
  std::string_view match;
  for (const std::string_view option : kOptions) {
    if (option == typed) return argument;
    if (!option.starts_with(typed)) continue;
    if (!match.empty()) return argument;  // ambiguous: let the parser complain
    match = option;
  }
  if (match.empty()) return argument;
  return "--" + std::string(match) + (equals == std::string::npos ? "" : argument.substr(equals));
}

}  // namespace

std::vector<std::string> as_called(std::vector<std::string> arguments) {
  if (arguments.empty()) return arguments;
  const std::string name = std::filesystem::path(arguments.front()).filename();
  const auto second = arguments.begin() + 1;
  if (name == kAstraProgram) arguments.insert(second, "astra");
  if (name == kAstra2Unaware) arguments.insert(second, {"astra2", "--backend=congestion_unaware"});
  if (name == kAstra2Aware) arguments.insert(second, {"astra2", "--backend=congestion_aware"});
  return arguments;
}

std::vector<std::string> expand_astra_prefixes(std::vector<std::string> arguments) {
  std::size_t first = arguments.size();
  if (arguments.size() > 2 && arguments[1] == "astra") first = 2;
  if (arguments.size() > 3 && arguments[1] == "import" && arguments[2] == "astra") first = 3;
  for (std::size_t i = first; i < arguments.size(); ++i) arguments[i] = expand(arguments[i]);
  return arguments;
}

}  // namespace overture::cli
