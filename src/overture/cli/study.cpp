#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <numeric>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/json.h"
#include "overture/base/text.h"
#include "overture/cli/commands.h"
#include "overture/cli/version.h"
#include "overture/cli/watched_sweep.h"
#include "overture/report/html.h"
#include "overture/report/results_folder.h"
#include "overture/study/opera_dlrm_calibrate.h"
#include "overture/study/opera_dlrm_explain.h"
#include "overture/study/opera_dlrm_figures.h"
#include "overture/study/opera_dlrm_jobs.h"
#include "overture/study/opera_dlrm_sweep.h"

namespace overture::cli {
namespace {

namespace fs = std::filesystem;

struct StudyOptions {
  std::string nodes;
  std::string models;
  std::string variants;
  std::string networks;
  std::string all_reduces;
  std::string tables;
  std::string backend = "flow";
  std::string cell;
  std::string calibrate;
  std::string out;
  std::vector<std::string> sweep;
  int seeds = 1;
  int jobs = 0;
  bool as_published = false;
  bool explain = false;
};

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  for (std::size_t start = 0; start < list.size();) {
    const std::size_t end = std::min(list.find(',', start), list.size());
    if (end > start) words.push_back(list.substr(start, end - start));
    start = end + 1;
  }
  return words;
}

std::vector<int> numbers_of(const std::string& list, const std::string& key) {
  std::vector<int> numbers;
  for (const std::string& word : words_of(list)) {
    int number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc{} || end != word.data() + word.size())
      throw UserError({.key = key}, fmt::format("\"{}\" is no whole number", word), "write 16,128");
    numbers.push_back(number);
  }
  return numbers;
}

study::MatrixChoice choice_of(const StudyOptions& options) {
  study::MatrixChoice choice{.nodes = numbers_of(options.nodes, "--nodes"),
                             .models = words_of(options.models),
                             .variants = words_of(options.variants),
                             .tables = numbers_of(options.tables, "--tables"),
                             .backend = study::parse_backend(options.backend),
                             .seeds = options.seeds};
  if (options.as_published) choice.setting = study::Setting::published();
  for (const std::string& word : words_of(options.networks))
    choice.networks.push_back(study::parse_network(word));
  for (const std::string& word : words_of(options.all_reduces))
    choice.all_reduces.push_back(study::parse_all_reduce(word));
  return choice;
}

// The one cell of this process: into its folder, or to the terminal.
int run_one(const StudyOptions& options) {
  const study::Cell cell = study::parse_cell(options.cell);
  const study::CellResult result = study::run_cell(cell);
  if (options.out.empty()) {
    fmt::print("{}", study::to_json(cell, result, version_text()));
  } else {
    study::write_cell(cell, result, version_text(), options.out);
  }
  return 0;
}

int run_calibration(const StudyOptions& options) {
  const study::Cell cell = study::calibration_cell(options.calibrate);
  const Duration backward = study::calibrate(options.calibrate);
  fmt::print("a table of model {} takes {} backward, fitted on one cell only:\n  {}\n", options.calibrate,
             exact(backward), study::name(cell));
  return 0;
}

// What was asked, as a setup says it.
std::string asked(const StudyOptions& options) {
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
                      options.seeds, options.as_published, options.explain);
  if (!options.sweep.empty()) text += "sweep:\n";
  for (const std::string& axis : options.sweep) text += fmt::format("  - \"{}\"\n", axis);
  return text;
}

Json calibrations() {
  auto json = Json::object();
  for (const char* model : {"A", "I"}) {
    json[model] = {{"fitted_on", study::name(study::calibration_cell(model))},
                   {"table_backward", exact(study::study_calibration(model).embedding_backward)}};
  }
  return json;
}

void write_results(const StudyOptions& options, const fs::path& folder,
                   const std::vector<study::FinishedCell>& cells, std::size_t wanted,
                   const std::vector<study::StudyRow>& rows) {
  write_file(folder / "matrix.csv", study::study_csv(cells));
  // Figures show one setting.
  if (!options.explain) {
    for (const study::Figure& figure : study::study_figures(rows))
      write_file(folder / figure.file, figure.svg);
  }
  auto times = Json::object();
  report::Digest digest;
  for (const study::StudyRow& row : rows) {
    times[study::name(row.cell)] = row.mean_seconds();
    digest.add_bits(row.mean_seconds());
  }
  auto summary = report::summary_head({.kind = "study opera-dlrm",
                                       .name = "opera-dlrm",
                                       .version = version_text(),
                                       .seed = 1,
                                       .why = study::finding(rows)});
  summary.update({{"backend", options.backend},
                  {"as_published", options.as_published},
                  {"seeds", options.seeds},
                  {"cells", wanted},
                  {"finished", cells.size()},
                  {"calibration", calibrations()},
                  {"iteration_s", times}});
  report::write_summary(summary, digest, asked(options), folder);
  report::write_html(folder);
}

void print_matrix(const StudyOptions& options, const std::vector<study::StudyRow>& rows) {
  fmt::print("{}\n", study::iteration_table(rows));
  const std::string topoopt = study::topoopt_table(rows);
  if (!topoopt.empty())
    fmt::print("Speed-up of TopoOpt, which has four links a node where the others have one\n{}\n", topoopt);
  const std::string speedups = study::speedup_table(rows);
  if (!speedups.empty()) {
    fmt::print("Speed-up of Opera over the fat tree; a/b: Opera reduces by a, the tree by b\n{}\n", speedups);
  }
  fmt::print(
      "traffic: the all-reduces' share of bytes; exposed: of the time, not computing;\n"
      "RTOs: retransmission timers that ran out\n{}\n",
      study::cost_table(rows));
  if (!options.as_published) return;
  for (const char* model : {"A", "I"}) {
    fmt::print("a table of model {} takes {} backward, fitted on one cell only:\n  {}\n", model,
               to_string(study::study_calibration(model).embedding_backward),
               study::name(study::calibration_cell(model)));
  }
}

fs::path folder_of(const StudyOptions& options) {
  return options.out.empty() ? fs::path("results") / "opera-dlrm" : fs::path(options.out);
}

void print_folder(const StudyOptions& options, const std::string& why, const char* contents) {
  const fs::path folder = folder_of(options);
  if (!why.empty()) fmt::print("why: {}\n", wrap(why, 80, 5));
  fmt::print("results: {} ({})\nreport: {}\n", folder.string(), contents, (folder / "report.html").string());
}

// Runs what is not finished yet, and returns what is then. `code` is that of the first failure, or 0.
std::vector<study::FinishedCell> finish(const StudyOptions& options, const std::vector<study::Cell>& cells,
                                        int& code) {
  const fs::path folder = folder_of(options);
  study::SweepJob job =
      study::cell_job(cells, {.file = fs::read_symlink("/proc/self/exe"), .version = version_text()}, folder);
  job.jobs =
      options.jobs > 0 ? options.jobs : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  fs::create_directories(folder);
  std::vector<std::size_t> all(cells.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  code = run_watched("opera-dlrm", job, all);
  return study::finished_cells(cells, job);
}

int run_cells(const StudyOptions& options) {
  const study::MatrixChoice choice = choice_of(options);
  const std::vector<study::Cell> cells = options.explain ? study::explain_cells(choice) : matrix(choice);
  int code = 0;
  const auto finished = finish(options, cells, code);
  if (finished.empty()) return code;
  const auto rows = study::by_seed(finished);
  write_results(options, folder_of(options), finished, cells.size(), rows);
  fmt::print("opera-dlrm: {} of {} cells, {} backend\n\n", finished.size(), cells.size(), options.backend);
  if (options.explain) {
    for (const study::Artefact artefact : study::all_artefacts())
      fmt::print("{:<22}  {}\n", study::name(artefact), study::describe(artefact));
    fmt::print("\n{}\n", study::explain_tables(rows));
  } else {
    print_matrix(options, rows);
  }
  print_folder(options, study::finding(rows), "matrix.csv, figures, a folder per cell");
  return code;
}

void write_sweep(const StudyOptions& options, const std::vector<study::FinishedCell>& cells,
                 const std::vector<study::StudyRow>& rows) {
  const fs::path folder = folder_of(options);
  write_file(folder / "sweep.csv", study::sweep_csv(cells));
  for (const study::Figure& figure : study::sweep_figures(rows)) write_file(folder / figure.file, figure.svg);
  auto designs = Json::array();
  for (const study::CoDesign& of : study::co_designs(rows)) {
    const auto closed = of.closed();
    designs.push_back({{"fat_tree", study::name(of.tree->cell)},
                       {"opera", study::name(of.opera->cell)},
                       {"opera_best", study::name(of.best->cell)},
                       {"gap", of.gap()},
                       {"gap_left", of.left()},
                       {"closed", closed ? Json(*closed) : Json()}});
  }
  auto summary = report::summary_head({.kind = "study opera-dlrm",
                                       .name = "opera-dlrm sweep",
                                       .version = version_text(),
                                       .seed = 1,
                                       .why = study::gap_summary(study::co_designs(rows))});
  summary.update({{"backend", options.backend},
                  {"seeds", options.seeds},
                  {"finished", cells.size()},
                  {"co_designs", designs}});
  report::Digest digest;
  for (const study::StudyRow& row : rows) digest.add_bits(row.mean_seconds());
  report::write_summary(summary, digest, asked(options), folder);
  report::write_html(folder);
}

void print_sweep(const StudyOptions& options, const study::SweepPlan& plan,
                 const std::vector<study::FinishedCell>& cells, const std::vector<study::StudyRow>& rows) {
  fmt::print("opera-dlrm --sweep: {} of {} points, {} backend\n\n", cells.size(), plan.cells.size(),
             options.backend);
  const auto designs = study::co_designs(rows);
  if (designs.empty()) return fmt::print("no work has run on both networks yet\n");
  fmt::print(
      "tree: the best fat tree; opera: unchanged, dps; tuned: the best Opera with its\n"
      "own rotors; best: with any. gap and left: opera and best over tree\n{}\n",
      study::gap_table(designs));
  fmt::print("The best of the fat tree and of Opera\n{}\n{}\n", study::best_configurations(designs),
             study::gap_summary(designs));
  for (const study::LeftOut& out : plan.left_out) {
    const std::string line = fmt::format("left out, {} points: {}", out.cells.size(), out.reason);
    fmt::print("{}\n\n", wrap(line, 80, 2));
  }
}

int run_design_sweep(const StudyOptions& options) {
  const study::MatrixChoice choice = choice_of(options);
  const bool automatic = options.sweep == std::vector<std::string>{"auto"};
  std::vector<study::SweepAxis> axes;
  for (const std::string& text : options.sweep) {
    if (!automatic) axes.push_back(study::parse_sweep_axis(text));
  }
  study::SweepPlan plan = automatic ? study::sweep_each(choice, study::automatic_axes(choice.backend))
                                    : study::sweep_all(choice, axes);
  int code = 0;
  auto finished = finish(options, plan.cells, code);
  if (automatic && finished.size() == plan.cells.size()) {
    for (const study::Cell& cell : study::sweep_best(study::by_seed(finished)).cells) {
      if (std::ranges::find(plan.cells, cell) == plan.cells.end()) plan.cells.push_back(cell);
    }
    finished = finish(options, plan.cells, code);
  }
  if (finished.empty()) return code;
  const auto rows = study::by_seed(finished);
  write_sweep(options, finished, rows);
  print_sweep(options, plan, finished, rows);
  print_folder(options, "", "sweep.csv, sweep-*.svg, a folder per point");
  return code;
}

int run(const StudyOptions& options) {
  if (!options.cell.empty()) return run_one(options);
  if (!options.calibrate.empty()) return run_calibration(options);
  if (options.sweep.empty()) return run_cells(options);
  if (options.explain) throw UserError("--explain and --sweep are different questions", "ask one at a time");
  return run_design_sweep(options);
}

}  // namespace

void add_study(Command& root) {
  auto options = std::make_shared<StudyOptions>();
  Command study = root.add("study", "Published studies, made again and examined");
  Command command = study.add("opera-dlrm", "Opera against a fat tree for training DLRMs, 16 to 1,024 nodes");
  command.option("--nodes", options->nodes, "16,128,1024 or some of them (default: all)")
      .option("--models", options->models, "A,I (default: both)")
      .option("--variants", options->variants,
              "baseline,bs_1048576,bs_2097152,embdim_40,embdim_93 (default: all)")
      .option("--networks", options->networks, "fat-tree,topoopt,opera (default: all)")
      .option("--all-reduces", options->all_reduces, "ring,dps,ps (default: ring,dps; topoopt: ring)")
      .option("--tables", options->tables, "Numbers of tables in place of the model's: 10,100,1000")
      .option("--backend", options->backend, "flow: seconds; packet: minutes, with queues and timeouts")
      .option("--seeds", options->seeds, "Runs of every cell, each with another seed")
      .flag("--as-published", options->as_published, "With every artefact of the published runs")
      .flag("--explain", options->explain, "What each artefact carries of the published advantage")
      .option("--sweep", options->sweep, "Co-design: slice-us=20,40 (repeatable), or auto")
      .option("--cell", options->cell, "Run one cell: A.baseline.16.fat-tree.ring.packet.sound.1")
      .option("--calibrate", options->calibrate, "Fit the time per table of model A or I again")
      .option("-o,--out", options->out, "Folder for the results (default: results/opera-dlrm)")
      .option("-j,--jobs", options->jobs, "Cells at a time; 0: one per core")
      .examples(
          "  overture study opera-dlrm --variants baseline\n"
          "  overture study opera-dlrm --backend packet --nodes 16 --models I --seeds 3\n"
          "  overture study opera-dlrm --as-published --variants baseline\n"
          "  overture study opera-dlrm --explain --nodes 16 --models I --variants baseline\n"
          "  overture study opera-dlrm --nodes 128 --models A --variants baseline --tables 10,100,1000,2000\n"
          "  overture study opera-dlrm --nodes 1024 --models A --sweep slice-us=20,40\n"
          "  overture study opera-dlrm --nodes 1024 --sweep auto")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
