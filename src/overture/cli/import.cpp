#include <memory>

#include "overture/base/error.h"
#include "overture/cli/astra_files.h"
#include "overture/cli/commands.h"
#include "overture/cli/output.h"
#include "overture/setup/setup.h"

namespace overture::cli {
namespace {

struct ImportOptions {
  AstraFiles files;
  std::string name = "imported from ASTRA-sim";
  std::string out;
};

// ASTRA-sim's files must describe a memory even where its scale of 0 leaves it out.
void forget_unused_memory(network::AnalyticalConfig& network) {
  const network::DimensionConfig initial;
  for (network::DimensionConfig& d : network.dimensions) {
    if (d.memory_scale > 0) continue;
    d.memory_latency_ns = initial.memory_latency_ns;
    d.memory_bytes_per_ns = initial.memory_bytes_per_ns;
  }
}

int run(const ImportOptions& options) {
  const AstraRun astra = load_astra(options.files);
  if (astra.garnet) {
    throw UserError({.file = options.files.network}, "a setup cannot describe Garnet's network",
                    "run it with `overture astra`, or import the analytical backend's JSON file");
  }
  setup::Setup setup{.name = options.name, .simulation = astra.config};
  forget_unused_memory(simulation::analytical(setup.simulation));
  const std::string header =
      "# Imported from ASTRA-sim 1.0 files; gives the same numbers.\n"
      "# contention: none is ASTRA-sim's optimistic network. Remove the line to let messages share links; "
      "step and\n"
      "# cycle are its one-cycle bookkeeping and may go, too.\n";
  write_or_print(options.out, header + setup::write_setup(setup));
  return 0;
}

}  // namespace

void add_import(Command& root) {
  auto options = std::make_shared<ImportOptions>();
  Command import = root.add("import", "Convert other tools' files to a setup, a topology or tables");
  add_import_htsim_log(import);
  Command command = import.add("astra", "ASTRA-sim 1.0's three files, with the flags of `overture astra`");
  add_astra_file_options(command, options->files);
  command.option("--name NAME", options->name, "Name of the run")
      .option("-o,--out FILE", options->out, "Setup file to write (default: standard output)")
      .examples(
          "  overture import astra --network-configuration=network.json \\\n"
          "    --system-configuration=system.txt --workload-configuration=workload.txt \\\n"
          "    --num-passes=2 -o setup.yaml\n"
          "  overture simulate setup.yaml")
      .runs([options] { return run(*options); });
  add_import_astra2(import);
  add_import_infragraph(import);
}

}  // namespace overture::cli
