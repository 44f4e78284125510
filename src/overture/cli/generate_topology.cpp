#include <memory>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/table.h"
#include "overture/cli/arguments.h"
#include "overture/cli/commands.h"
#include "overture/formats/dynexp.h"
#include "overture/topology/opera_picture.h"

namespace overture::cli {
namespace {

struct GenerateTopologyOptions {
  int tors = 4;
  int ports = 8;
  std::string rate = "100 Gbps";
  std::string wire = "500 ns";
  std::string reconfiguration = "10 us";
  std::string slice;
  int queue = 8;
  int paths = 1;
  int draws = 20;
  int seed = 1;
  std::string from;
  std::string out;
  std::string picture;
};

topology::OperaConfig config(const GenerateTopologyOptions& options) {
  if (options.seed < 0) throw UserError({.key = "--seed"}, "must not be negative");
  topology::OperaConfig config{.tors = options.tors,
                               .ports = options.ports,
                               .seed = static_cast<std::uint64_t>(options.seed),
                               .draws = options.draws,
                               .rate = parsed(parse_bandwidth(options.rate), "--rate"),
                               .wire = parsed(parse_duration(options.wire), "--wire"),
                               .dark = parsed(parse_duration(options.reconfiguration), "--reconfiguration"),
                               .queue_packets = options.queue};
  if (!options.slice.empty()) config.slice = parsed(parse_duration(options.slice), "--slice");
  return config;
}

void print_summary(const topology::Opera& opera, const std::vector<std::string>& files) {
  const topology::HopCount hops = topology::count_hops(opera);
  const topology::OperaTiming& timing = opera.timing();
  const double usable = 1 - to_us(timing.dark) / to_us(timing.slice()) / opera.uplinks();
  Table table({"what", "value"});
  table.add({"ToRs", fmt::format("{}", opera.tors())});
  table.add({"hosts", fmt::format("{} ({} a ToR)", opera.hosts(), opera.hosts_per_tor())});
  table.add(
      {"rotors", fmt::format("{}, matchings each: {}", opera.uplinks(), opera.tors() / opera.uplinks())});
  table.add({"hops between ToRs", fmt::format("{:.3f} on average, {} at worst", hops.mean, hops.worst)});
  table.add(
      {"slice", fmt::format("{}: {} stable, {} drain, {} dark", to_string(timing.slice()),
                            to_string(timing.stable), to_string(timing.drain), to_string(timing.dark))});
  table.add({"cycle", to_string(opera.cycle())});
  table.add({"slot of bulk traffic", to_string(opera.slot())});
  table.add({"a circuit is up", fmt::format("{:.1f} % of the time", 100 * usable)});
  fmt::print("{}", table.text());
  for (const std::string& file : files) fmt::print("written: {}\n", file);
}

int run(const GenerateTopologyOptions& options) {
  if (options.paths < 1) throw UserError({.key = "--paths"}, "must be at least 1");
  const bool read = !options.from.empty();
  const formats::Dynexp network = [&] {
    if (read) return formats::read_dynexp(options.from);
    topology::Opera opera = topology::generate_opera(config(options));
    topology::OperaPaths paths =
        options.out.empty() ? topology::OperaPaths(opera.tors()) : topology::OperaPaths(opera, options.paths);
    return formats::Dynexp{.opera = std::move(opera), .paths = std::move(paths)};
  }();
  std::vector<std::string> files;
  if (!options.out.empty()) {
    write_file(options.out, formats::write_dynexp(network.opera, network.paths));
    files.push_back(options.out);
  }
  if (!options.picture.empty()) {
    write_file(options.picture, topology::opera_picture(network.opera));
    files.push_back(options.picture);
  }
  print_summary(network.opera, files);
  return 0;
}

}  // namespace

void add_generate_topology(Command& generate) {
  auto options = std::make_shared<GenerateTopologyOptions>();
  Command topology = generate.add("topology", "Networks that change in time: Opera's rotor schedules");
  Command command = topology.add("opera", "Matchings, rotors, slices and paths of an Opera network");
  command.option("--tors", options->tors, "ToRs; a multiple of half the ports")
      .option("--ports", options->ports, "Ports of a ToR: half to hosts, half to rotors")
      .option("--rate RATE", options->rate, "Rate of every link")
      .option("--wire TIME", options->wire, "Delay from ToR to ToR")
      .option("--reconfiguration TIME", options->reconfiguration, "How long a rotor is dark when it changes")
      .option("--slice TIME", options->slice,
              "Length of a slice (default: as short as the longest path allows)")
      .option("--queue", options->queue, "Packets that may queue before a low-latency packet at a hop")
      .option("--paths", options->paths, "Shortest paths to write for every pair, at most")
      .option("--draws", options->draws, "Schedules to draw; the one with the fewest hops is kept")
      .option("--seed N", options->seed, "Seed of the draws")
      .option("--from FILE", options->from, "Read this dynexp file instead of drawing")
      .option("-o,--out FILE", options->out, "Write a dynexp file, as the Opera simulator reads it")
      .option("--picture FILE", options->picture, "Draw the schedule as SVG")
      .examples(
          "  overture generate topology opera --tors 32 --ports 8 -o opera.txt \\\n"
          "    --picture schedule.svg\n"
          "  overture generate topology opera --tors 108 --ports 12 --rate '10 Gbps'\n"
          "  overture generate topology opera --from opera.txt --picture schedule.svg")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
