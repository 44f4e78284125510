#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "overture/base/hash.h"
#include "overture/base/json.h"
#include "overture/base/version.h"
#include "overture/cli/arguments.h"
#include "overture/cli/commands.h"
#include "overture/cli/output.h"
#include "overture/cli/study_results.h"
#include "overture/cli/watched_sweep.h"
#include "overture/study/cache_networks/report.h"

namespace overture::cli {
namespace {

namespace fs = std::filesystem;
namespace cells = study::cache_networks;

struct CacheNetworksOptions {
  std::vector<int> nodes;
  std::vector<int> lookaheads;
  int batch = 16'384;
  int packets_up_to = 16;
  std::vector<std::string> keys;
  Output output{.folder = "results/cache-networks"};
  std::string part = "1/1";
  int jobs = 0;
  bool list = false;
};

cells::CellChoice choice_of(const CacheNetworksOptions& options) {
  cells::CellChoice choice{
      .batch = options.batch, .packets_up_to = options.packets_up_to, .keys = options.keys};
  if (!options.nodes.empty()) choice.nodes = options.nodes;
  if (!options.lookaheads.empty()) choice.lookaheads = options.lookaheads;
  return choice;
}

std::string asked(const cells::CellChoice& choice) {
  std::string text = fmt::format(
      "study: cache-networks\nnodes: [{}]\nlookaheads: [{}]\nbatch: {}\npackets_up_to: {}\n",
      fmt::join(choice.nodes, ", "), fmt::join(choice.lookaheads, ", "), choice.batch, choice.packets_up_to);
  if (!choice.keys.empty()) text += "set:\n";
  for (const std::string& key : choice.keys) text += fmt::format("  - \"{}\"\n", key);
  return text;
}

int print_list(const std::vector<cells::CacheCell>& all) {
  for (const cells::CacheCell& cell : all) fmt::print("{}\n  {}\n", name(cell), command_of(cell));
  fmt::print("{} cells\n", all.size());
  return 0;
}

void write(const cells::CellChoice& choice, const std::vector<cells::CellTime>& times, std::size_t wanted,
           const study::StudyReport& report, const Output& output) {
  Digest digest;
  Json steps = Json::object();
  for (const cells::CellTime& time : times) {
    digest.add_bits(time.step_us);
    steps[name(time.cell)] = time.step_us / 1e3;
  }
  const Json numbers{{"batch", choice.batch},
                     {"cells", wanted},
                     {"finished", times.size()},
                     {"changes", cells::changes(cells::races(times))},
                     {"step_ms", steps}};
  write_study(report, numbers, digest, asked(choice), output);
}

int run_study(const CacheNetworksOptions& options) {
  const cells::CellChoice choice = choice_of(options);
  const std::vector<cells::CacheCell> all = cells::cells_of(choice);
  if (options.list) return print_list(all);
  // Another choice of nodes goes on in the same folder.
  const fs::path folder = fs::absolute(options.output.folder);
  claim(options.output, options.output.folder, "study cache-networks");
  study::SweepJob job = cells::cell_job(all, fs::read_symlink("/proc/self/exe"), version_text(), folder);
  job.jobs = parallel_jobs(options.jobs);
  const int code = run_watched("study cache-networks", options.output.folder, job,
                               points_of(parse_part(options.part), all.size()));
  const auto times = cells::finished_cells(all, job, folder);
  if (times.empty()) return code;
  const study::StudyReport report = cells::make_report(times, choice);
  write(choice, times, all.size(), report, options.output);
  fmt::print("cache-networks: {} of {} cells, batch {}\n\n{}\n", times.size(), all.size(), choice.batch,
             cells::race_table(cells::races(times)));
  print_why(report.headline);
  print_where(options.output.folder, options.output, "races.csv, figures, cells");
  return code;
}

}  // namespace

void add_cache_networks(Command& study) {
  auto options = std::make_shared<CacheNetworksOptions>();
  Command command = study.add("cache-networks", "Does a look-ahead cache change which network is best?");
  add_output(command, options->output);
  command.option("--nodes N", options->nodes, "16, 128, 1024 or some of them (default: all)")
      .option("--lookaheads", options->lookaheads, "Batches that the cache sees (default: 1, 8, 32)")
      .option("--batch", options->batch, "Samples per step, over all nodes")
      .option("--packets-up-to", options->packets_up_to, "Also simulate packets, up to this many nodes")
      .option("-s,--set KEY=VALUE", options->keys, "Change one key of every cell's setup; may be repeated")
      .flag("--list", options->list, "Print the cells and the command of each, and run nothing")
      .option("-j,--jobs", options->jobs, "Number of cells at the same time; 0: one per core")
      .option("--part PART", options->part,
              "Run only one part: 2/8 is the second of eight, as for a Slurm array")
      .examples(
          "  overture study cache-networks --nodes 16\n"
          "  overture study cache-networks --nodes 16 128 --packets-up-to 0\n"
          "  overture study cache-networks -j 2")
      .runs([options] { return run_study(*options); });
}

}  // namespace overture::cli
