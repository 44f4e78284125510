#include <memory>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/cli/arguments.h"
#include "overture/cli/commands.h"
#include "overture/cli/output.h"
#include "overture/formats/infragraph.h"
#include "overture/setup/setup.h"
#include "overture/topology/graph_file.h"

namespace overture::cli {
namespace {

struct InfraGraphOptions {
  std::string file;
  std::string rate = "400 Gbps";
  std::string delay = "100 ns";
  std::string out;
};

int import_infragraph(const InfraGraphOptions& options) {
  const std::string text = formats::infragraph_to_graph(read_file(options.file), options.file,
                                                        {parsed(parse_bandwidth(options.rate), "--bandwidth"),
                                                         parsed(parse_duration(options.delay), "--latency")});
  topology::parse_graph(text, options.file);  // every host reaches every other one
  write_or_print(options.out, text);
  return 0;
}

int write_infragraph(const InfraGraphOptions& options) {
  const setup::Setup setup = setup::load_setup(options.file, {}, setup::Needs::network);
  const network::NetworkConfig network = setup::network_config(setup);
  const std::optional<topology::GraphConfig> links = network::links_of(network::wires_of(network));
  if (!links)
    throw UserError({.file = options.file, .key = "network"},
                    "InfraGraph cannot describe the circuits of rotors");
  write_or_print(options.out,
                 formats::graph_to_infragraph(topology::make_topology(*links).graph, setup.name));
  return 0;
}

}  // namespace

void add_import_infragraph(Command& import) {
  auto options = std::make_shared<InfraGraphOptions>();
  Command command = import.add("infragraph", "A network in InfraGraph's YAML, as a topology file");
  command.positional("file", options->file, "InfraGraph file (YAML)")
      .option("--bandwidth RATE", options->rate, "Rate of links for which the file gives none")
      .option("--latency TIME", options->delay, "Delay of links for which the file gives none")
      .option("-o,--out FILE", options->out, "Topology file to write (default: standard output)")
      .examples("  overture import infragraph fabric.yaml -o fabric.txt")
      .runs([options] { return import_infragraph(*options); });
}

void add_generate_infragraph(Command& generate) {
  auto options = std::make_shared<InfraGraphOptions>();
  Command command = generate.add("infragraph", "The network of a setup, as InfraGraph's YAML");
  command.positional("setup", options->file, "Setup file (YAML); only its network matters")
      .option("-o,--out FILE", options->out, "File to write (default: standard output)")
      .examples("  overture generate infragraph fat-tree.yaml -o fabric.yaml")
      .runs([options] { return write_infragraph(*options); });
}

}  // namespace overture::cli
