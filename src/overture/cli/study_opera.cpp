#include "overture/cli/study_opera.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/error.h"
#include "overture/base/hash.h"
#include "overture/base/json.h"
#include "overture/base/text.h"
#include "overture/base/version.h"
#include "overture/cli/arguments.h"
#include "overture/cli/commands.h"
#include "overture/cli/study_results.h"
#include "overture/cli/watched_sweep.h"
#include "overture/study/opera_dlrm/calibrate.h"
#include "overture/study/opera_dlrm/explain.h"
#include "overture/study/opera_dlrm/jobs.h"
#include "overture/study/opera_dlrm/report.h"

namespace overture::cli {
namespace {

namespace fs = std::filesystem;
namespace opera_dlrm = study::opera_dlrm;

constexpr int kHeadlineSeeds = 3;

study::SweepJob job_of(const OperaOptions& options, const std::vector<opera_dlrm::Cell>& cells) {
  return opera_dlrm::cell_job(cells, {.file = fs::read_symlink("/proc/self/exe"), .version = version_text()},
                              options.output.folder);
}

std::vector<int> numbers_of(const std::string& list, const std::string& key) {
  std::vector<int> numbers;
  for (const std::string& word : words_of(list)) {
    const auto number = parse_number<int>(word);
    if (!number)
      throw UserError({.key = key}, fmt::format("\"{}\" is not a whole number", word), "write 16,128");
    numbers.push_back(*number);
  }
  return numbers;
}

// The one cell of this process: into its folder, or to the terminal.
int run_one(const OperaOptions& options) {
  const opera_dlrm::Cell cell = opera_dlrm::parse_cell(options.cell);
  const opera_dlrm::CellResult result = opera_dlrm::run_cell(cell);
  if (options.output.folder.empty()) {
    fmt::print("{}", opera_dlrm::to_json(cell, result, version_text()));
  } else {
    opera_dlrm::write_cell(cell, result, version_text(), options.output.folder);
  }
  return 0;
}

int run_calibration(const OperaOptions& options) {
  const opera_dlrm::Cell cell = opera_dlrm::calibration_cell(options.calibrate);
  const Duration backward = opera_dlrm::calibrate(options.calibrate);
  fmt::print("a table of model {} takes {} backward, fitted on one cell only:\n  {}\n", options.calibrate,
             exact(backward), opera_dlrm::name(cell));
  return 0;
}

Json calibrations() {
  auto json = Json::object();
  for (const char* model : {"A", "I"}) {
    json[model] = {{"fitted_on", opera_dlrm::name(opera_dlrm::calibration_cell(model))},
                   {"table_backward", exact(opera_dlrm::study_calibration(model).embedding_backward)}};
  }
  return json;
}

Json times_json(const std::vector<opera_dlrm::StudyRow>& rows, Digest& digest) {
  auto times = Json::object();
  for (const opera_dlrm::StudyRow& row : rows) {
    times[opera_dlrm::name(row.cell)] = row.mean_seconds();
    digest.add_bits(row.mean_seconds());
  }
  return times;
}

void write_results(const OperaOptions& options, const study::StudyReport& report, std::size_t wanted,
                   const std::vector<opera_dlrm::StudyRow>& rows) {
  Digest digest;
  const Json times = times_json(rows, digest);
  write_study(report,
              {{"backend", options.backend},
               {"as_published", options.as_published},
               {"seeds", options.seeds.value_or(1)},
               {"cells", wanted},
               {"finished", report.cells.size()},
               {"calibration", calibrations()},
               {"iteration_s", times}},
              digest, asked(options), options.output);
}

void print_matrix(const OperaOptions& options, const std::vector<opera_dlrm::StudyRow>& rows) {
  fmt::print("{}\n", opera_dlrm::iteration_table(rows));
  const std::string topoopt = opera_dlrm::topoopt_table(rows);
  if (!topoopt.empty())
    fmt::print(
        "Speed-up of TopoOpt with a ring over the fat tree with a ring and Opera with\n"
        "dps; TopoOpt has four links a node where the others have one\n{}\n",
        topoopt);
  const std::string speedups = opera_dlrm::speedup_table(rows);
  if (!speedups.empty()) {
    fmt::print("Speed-up of Opera over the fat tree; a/b: Opera reduces by a, the tree by b\n{}\n", speedups);
  }
  fmt::print(
      "traffic: the all-reduces' share of bytes; exposed: of the time, not computing;\n"
      "RTOs: retransmission timers that ran out\n{}\n",
      opera_dlrm::cost_table(rows));
  if (!options.as_published) return;
  for (const char* model : {"A", "I"}) {
    fmt::print("a table of model {} takes {} backward, fitted on one cell only:\n  {}\n", model,
               to_string(opera_dlrm::study_calibration(model).embedding_backward),
               opera_dlrm::name(opera_dlrm::calibration_cell(model)));
  }
}

// The headline's cells that an earlier --headline has left in the folder.
std::vector<opera_dlrm::StudyRow> earlier_headline(const OperaOptions& options) {
  const auto cells = opera_dlrm::headline_cells({}, kHeadlineSeeds);
  return opera_dlrm::by_seed(opera_dlrm::finished_cells(cells, job_of(options, cells)));
}

std::vector<opera_dlrm::StudyRow> together(std::vector<opera_dlrm::StudyRow> rows,
                                           const std::vector<opera_dlrm::StudyRow>& more) {
  for (const opera_dlrm::StudyRow& row : more) {
    if (std::ranges::find(rows, row.cell, &opera_dlrm::StudyRow::cell) == rows.end()) rows.push_back(row);
  }
  return rows;
}

void print_headline(const std::vector<opera_dlrm::Headline>& wanted,
                    const std::vector<opera_dlrm::StudyRow>& rows) {
  fmt::print("{}\nSpeed-up of Opera with dps over the fat tree with a ring, beside the paper's\n{}\n",
             opera_dlrm::terms_text(), opera_dlrm::headline_table(wanted, rows));
}

int run_cells(const OperaOptions& options) {
  const opera_dlrm::MatrixChoice choice = choice_of(options);
  const std::vector<opera_dlrm::Cell> cells =
      options.explain ? opera_dlrm::explain_cells(choice) : matrix(choice);
  int code = 0;
  const auto finished = finish(options, cells, code);
  if (finished.empty()) return code;
  const auto rows = opera_dlrm::by_seed(finished);
  const auto packets = earlier_headline(options);
  // Figures show one setting.
  study::StudyReport report = opera_dlrm::opera_report(finished, rows, packets, !options.explain);
  add_cell_setups(finished, report);
  write_results(options, report, cells.size(), rows);
  fmt::print("opera-dlrm: {} of {} cells, {} backend\n\n", finished.size(), cells.size(), options.backend);
  if (options.explain) {
    for (const opera_dlrm::Artefact artefact : opera_dlrm::all_artefacts())
      fmt::print("{:<22}  {}\n", opera_dlrm::name(artefact), opera_dlrm::describe(artefact));
    fmt::print("\n{}\n", opera_dlrm::explain_tables(rows));
  } else {
    print_matrix(options, rows);
  }
  print_headline(opera_dlrm::headlines(), together(rows, packets));
  print_why(report.headline);
  print_where(options.output.folder, options.output, "matrix.csv, figures, a folder per cell");
  return code;
}

// Says first how long it will take; what is finished counts no more.
void announce(const OperaOptions& options, const std::vector<opera_dlrm::Cell>& cells) {
  const study::SweepJob job = job_of(options, cells);
  std::vector<opera_dlrm::Cell> left;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!study::is_finished(job.points[i])) left.push_back(cells[i]);
  }
  const std::string text = opera_dlrm::announcement(left, cells.size(), parallel_jobs(options.jobs));
  fmt::print("opera-dlrm --headline\n  {}\n\n", wrap(text, 80, 2));
  std::fflush(stdout);
}

int run_headline(const OperaOptions& options) {
  if (options.explain || !options.sweep.empty())
    throw UserError("--headline, --explain and --sweep cannot be combined", "give one of them");
  const std::vector<int> nodes = choice_of(options).nodes;
  const auto wanted = opera_dlrm::headlines(nodes);
  if (wanted.empty())
    throw UserError({.key = "--nodes"}, "the headline has no cell with these", "use 16, 128 or 1024");
  const int seeds = options.seeds.value_or(kHeadlineSeeds);
  if (seeds < 1) throw UserError({.key = "--seeds"}, "must be at least 1");
  const auto cells = opera_dlrm::headline_cells(nodes, seeds);
  announce(options, cells);
  int code = 0;
  const auto finished = finish(options, cells, code);
  if (finished.empty()) return code;
  const auto rows = opera_dlrm::by_seed(finished);
  study::StudyReport report = opera_dlrm::opera_report(finished, rows, rows, false);
  report.claims = opera_dlrm::headline_claims(wanted, rows);
  add_cell_setups(finished, report);
  write_results(options, report, cells.size(), rows);
  print_headline(wanted, rows);
  fmt::print("{}\n", study::scoreboard(report.claims));
  print_why(report.headline);
  print_where(options.output.folder, options.output, "matrix.csv, headline.svg, a folder per cell");
  return code;
}

int run(OperaOptions options) {
  if (!options.cell.empty()) return run_one(options);
  if (!options.calibrate.empty()) return run_calibration(options);
  // Another question goes on in the same folder: its cells are kept, figures of an earlier one are not.
  if (options.output.folder.empty()) options.output.folder = "results/opera-dlrm";
  claim(options.output, options.output.folder, "study opera-dlrm");
  if (options.headline) return run_headline(options);
  if (options.sweep.empty()) return run_cells(options);
  if (options.explain) throw UserError("--explain and --sweep cannot be combined", "give one of them");
  return run_design_sweep(options);
}

}  // namespace

opera_dlrm::MatrixChoice choice_of(const OperaOptions& options) {
  opera_dlrm::MatrixChoice choice{.nodes = numbers_of(options.nodes, "--nodes"),
                                  .models = words_of(options.models),
                                  .variants = words_of(options.variants),
                                  .tables = numbers_of(options.tables, "--tables"),
                                  .backend = opera_dlrm::parse_backend(options.backend),
                                  .seeds = options.seeds.value_or(1)};
  if (options.as_published) choice.setting = opera_dlrm::Setting::published();
  for (const std::string& word : words_of(options.networks))
    choice.networks.push_back(opera_dlrm::parse_network(word));
  for (const std::string& word : words_of(options.all_reduces))
    choice.all_reduces.push_back(opera_dlrm::parse_all_reduce(word));
  return choice;
}

std::string asked(const OperaOptions& options) {
  std::string text = "study: opera-dlrm\n";
  const auto list = [&](const char* key, const std::string& words) {
    if (!words.empty()) text += fmt::format("{}: [{}]\n", key, words);
  };
  list("nodes", options.nodes);
  list("models", options.models);
  list("variants", options.variants);
  list("networks", options.networks);
  list("all_reduces", options.all_reduces);
  list("tables", options.tables);
  text += fmt::format("backend: {}\nseeds: {}\nas_published: {}\nexplain: {}\n", options.backend,
                      options.seeds.value_or(1), options.as_published, options.explain);
  if (options.headline) text += "headline: true\n";
  if (!options.sweep.empty()) text += "sweep:\n";
  for (const std::string& axis : options.sweep) text += fmt::format("  - \"{}\"\n", axis);
  return text;
}

std::vector<opera_dlrm::FinishedCell> finish(const OperaOptions& options,
                                             const std::vector<opera_dlrm::Cell>& cells, int& code) {
  study::SweepJob job = job_of(options, cells);
  job.jobs = parallel_jobs(options.jobs);
  code = run_watched("study opera-dlrm", options.output.folder, job, points_of({}, cells.size()));
  return opera_dlrm::finished_cells(cells, job);
}

void add_opera_dlrm(Command& study) {
  auto options = std::make_shared<OperaOptions>();
  Command command = study.add("opera-dlrm", "Opera against a fat tree for training DLRMs, 16 to 1,024 nodes");
  add_output(command, options->output, "results/opera-dlrm");
  command.option("--nodes LIST", options->nodes, "16,128,1024 or some of them (default: all)")
      .option("--models LIST", options->models, "A,I (default: both)")
      .option(
          "--variants LIST", options->variants,
          "baseline,bs_1048576,bs_2097152,embdim_40,embdim_93, or as figures name them: bs1k,bs2k,fs40,fs93 "
          "(default: all)")
      .option("--networks LIST", options->networks, "fat-tree,topoopt,opera (default: all)")
      .option("--all-reduces LIST", options->all_reduces, "ring,dps,ps (default: ring,dps; topoopt: ring)")
      .option("--tables LIST", options->tables, "Numbers of tables in place of the model's: 10,100,1000")
      .option("--backend NAME", options->backend, "flow: seconds; packet: minutes, with queues and timeouts")
      .option("--seeds", options->seeds,
              "Runs of every cell, each with another seed (default: 1, headline: 3)")
      .flag("--as-published", options->as_published,
            "Include every artefact of the published runs (default: sound, with none)")
      .flag("--explain", options->explain, "Show how much of the published advantage each artefact explains")
      .flag("--headline", options->headline,
            "Rerun the paper's 1.20, 1.14, 0.93 and 1.79 with packets; first prints how long it takes")
      .option("--sweep AXIS", options->sweep, "Co-design: slice-us=20,40 (repeatable), or auto")
      .option("--cell CELL", options->cell, "Run one cell: A.baseline.16.fat-tree.ring.packet.sound.1")
      .option("--calibrate MODEL", options->calibrate, "Fit the time per table of model A or I again")
      .option("-j,--jobs", options->jobs, "Number of cells at the same time; 0: one per core")
      .examples(
          "  overture study opera-dlrm --variants baseline\n"
          "  overture study opera-dlrm --backend packet --nodes 16 --models I --seeds 3\n"
          "  overture study opera-dlrm --as-published --variants baseline\n"
          "  overture study opera-dlrm --headline --nodes 16\n"
          "  overture study opera-dlrm --explain --nodes 16 --models I \\\n"
          "    --variants baseline\n"
          "  overture study opera-dlrm --nodes 128 --models A --variants baseline \\\n"
          "    --tables 10,100,1000,2000\n"
          "  overture study opera-dlrm --nodes 1024 --models A --sweep slice-us=20,40\n"
          "  overture study opera-dlrm --nodes 1024 --sweep auto")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
