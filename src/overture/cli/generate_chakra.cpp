#include <memory>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/cli/commands.h"
#include "overture/formats/chakra/graph.h"
#include "overture/formats/chakra/reader.h"
#include "overture/formats/chakra/writer.h"
#include "overture/setup/setup.h"

namespace overture::cli {
namespace {

struct GenerateChakraOptions {
  std::string from;
  std::vector<std::string> overrides;
  std::vector<int> ranks;
  std::string out = "workload";
  bool gzip = false;
};

workload::TaskGraph chakra_source(const GenerateChakraOptions& options) {
  return simulation::task_graph(setup::load_setup(options.from, options.overrides).simulation);
}

std::vector<int> chosen_ranks(const GenerateChakraOptions& options, int ranks) {
  std::vector<int> chosen = options.ranks;
  if (chosen.empty()) {
    for (int rank = 0; rank < ranks; ++rank) chosen.push_back(rank);
  }
  for (const int rank : chosen) {
    if (rank < 0 || rank >= ranks)
      throw UserError({.key = "--ranks"}, fmt::format("{} is not a rank; there are {}", rank, ranks),
                      "ranks count from 0");
  }
  return chosen;
}

int run(const GenerateChakraOptions& options) {
  const workload::TaskGraph graph = chakra_source(options);
  const std::vector<int> ranks = chosen_ranks(options, graph.ranks());
  std::size_t nodes = 0;
  for (const int rank : ranks) {
    const chakra::RankTrace trace = chakra::to_trace(graph, rank);
    nodes += trace.nodes.size();
    write_trace(trace, chakra::rank_file(options.out, rank) + (options.gzip ? ".gz" : ""));
  }
  fmt::print("{} nodes in {} traces: {} ...\n", nodes, ranks.size(),
             chakra::rank_file(options.out, ranks.front()));
  const std::string groups = chakra::groups_json(graph);
  if (groups.empty()) return 0;
  write_file(options.out + ".groups.json", groups);
  fmt::print("groups: {}.groups.json\n", options.out);
  return 0;
}

}  // namespace

void add_generate_chakra(Command& generate) {
  auto options = std::make_shared<GenerateChakraOptions>();
  Command command =
      generate.add("chakra", "Chakra traces (.et) of any workload of ours, for ASTRA-sim 2 and others");
  command.positional("from", options->from, "Setup of `overture simulate`")
      .option("-s,--set KEY=VALUE", options->overrides, "Change one key of the setup; may be repeated")
      .option("--ranks", options->ranks, "Only these ranks, such as 0 1 2 (default: all)")
      .option("-o,--out PREFIX", options->out, "PREFIX of PREFIX.0.et, PREFIX.1.et ...")
      .flag("--gzip", options->gzip, "Compress the files with gzip; ASTRA-sim itself cannot read them")
      .examples(
          "  overture generate chakra dlrm-torus.yaml -o traces/dlrm\n  overture inspect traces/dlrm.0.et")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
