#include "overture/formats/chakra/inspect.h"

#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/error.h"
#include "overture/base/json.h"
#include "overture/base/printable.h"
#include "overture/base/table.h"
#include "overture/base/units.h"
#include "overture/cli/commands.h"
#include "overture/cli/recording_text.h"
#include "overture/formats/chakra/reader.h"

namespace overture::cli {
namespace {

struct InspectOptions {
  std::string file;
  bool json = false;
};

using chakra::Inspection;
using chakra::RankTrace;

std::string size_text(std::uint64_t bytes) { return to_string(Bytes{static_cast<std::int64_t>(bytes)}); }

void print_kinds(const Inspection& found) {
  Table table({"what", "nodes", "bytes", "recorded"});
  const auto row = [&](const std::string& what, const Inspection::Sum& sum) {
    table.add({what, fmt::format("{}", sum.count), size_text(sum.bytes), fmt::format("{} us", sum.micros)});
  };
  if (found.compute.count > 0) row("compute", found.compute);
  for (const auto& [what, sum] : found.communication) row(what, sum);
  for (int kind = 0; kind <= chakra::kNodeKinds; ++kind) {
    using chakra::NodeKind;
    const auto node = static_cast<NodeKind>(kind);
    const bool told = node == NodeKind::compute || node == NodeKind::send || node == NodeKind::receive ||
                      node == NodeKind::collective;
    const std::uint64_t count = found.of_kind[static_cast<std::size_t>(kind)];
    if (!told && count > 0) table.add({std::string(name(node)), fmt::format("{}", count), "", ""});
  }
  fmt::print("{}\n", table.text());
}

void print_path(const RankTrace& trace, const Inspection& found) {
  constexpr std::size_t kShown = 10;
  fmt::print("critical path: {} us of recorded time in {} nodes\n", found.critical_micros,
             found.critical_path.size());
  for (std::size_t i = 0; i < std::min(kShown, found.critical_path.size()); ++i) {
    const chakra::Node& node = trace.nodes[found.critical_path[i]];
    fmt::print("  node {} {} ({}, {} us)\n", node.id, printable(trace.name(node)), name(node.kind),
               node.duration_micros);
  }
  if (found.critical_path.size() > kShown) fmt::print("  and {} more\n", found.critical_path.size() - kShown);
}

void print_inspection(const RankTrace& trace, const Inspection& found) {
  fmt::print("{}: Chakra{}, {} nodes, {} dependencies, {} roots\n\n", trace.file,
             trace.version.empty() ? std::string(" without a version") : " " + trace.version, found.nodes,
             found.dependencies, found.roots);
  print_kinds(found);
  print_path(trace, found);
  for (const std::string& sentence : found.missing) fmt::print("missing: {}\n", sentence);
  for (const auto& [attribute, count] : trace.unknown)
    fmt::print("not read: attribute {} of {} nodes\n", attribute, count);
  fmt::print("memory: {} per node\n", size_text(found.memory / std::max<std::uint64_t>(1, found.nodes)));
}

std::string inspection_json(const RankTrace& trace, const Inspection& found) {
  Json root{{"file", trace.file},
            {"version", trace.version},
            {"nodes", found.nodes},
            {"dependencies", found.dependencies},
            {"roots", found.roots},
            {"compute_nodes", found.compute.count},
            {"critical_path_us", found.critical_micros},
            {"critical_path_nodes", found.critical_path.size()},
            {"missing", found.missing}};
  Json& communication = root["communication"] = Json::object();
  for (const auto& [what, sum] : found.communication)
    communication[what] = {{"nodes", sum.count}, {"bytes", sum.bytes}, {"recorded_us", sum.micros}};
  Json& unknown = root["unknown_attributes"] = Json::object();
  for (const auto& [attribute, count] : trace.unknown) unknown[attribute] = count;
  return write_json(root, 2);
}

int inspect_recording(const InspectOptions& options) {
  const recording::Recording recording = recording::read_recording(options.file);
  if (options.json) {
    fmt::print("{}\n", recording_json(recording, options.file));
  } else {
    print_recording(recording, options.file);
  }
  return 0;
}

int run(const InspectOptions& options) {
  if (std::filesystem::is_directory(options.file)) return inspect_recording(options);
  // A prefix stands for its first rank.
  const bool there = std::filesystem::exists(options.file);
  const std::string first = there ? options.file : chakra::rank_file(options.file, 0);
  if (!std::filesystem::exists(first))
    throw UserError({.file = options.file}, "is not there, and there is no " + first,
                    "give a trace, the prefix of traces, or the folder of a recording");
  const RankTrace trace = chakra::read_trace(first);
  const Inspection found = chakra::inspect(trace);
  if (options.json) {
    fmt::print("{}\n", inspection_json(trace, found));
  } else {
    print_inspection(trace, found);
  }
  return 0;
}

}  // namespace

void add_inspect(Command& root) {
  auto options = std::make_shared<InspectOptions>();
  Command command =
      root.add("inspect",
               "Summarize a Chakra trace (counts, sizes, critical path) or a recording of `train --record`");
  command
      .positional("file", options->file,
                  "Trace (FILE.et, plain or gzipped), the prefix of a workload, or the folder of a recording")
      .flag("--json", options->json, "Print JSON")
      .examples(
          "  overture inspect workload.0.et\n  overture inspect workload.0.et --json\n"
          "  overture inspect results/train/recording")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
