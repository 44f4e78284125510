#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/hash.h"
#include "overture/base/json.h"
#include "overture/base/text.h"
#include "overture/cli/output.h"
#include "overture/cli/study_opera.h"
#include "overture/cli/study_results.h"
#include "overture/study/opera_dlrm/report.h"
#include "overture/study/opera_dlrm/sweep.h"

namespace overture::cli {
namespace {

namespace opera_dlrm = study::opera_dlrm;

// The co-design sweep as a report: its figures, points and setups.
study::StudyReport sweep_report(const std::vector<opera_dlrm::FinishedCell>& cells,
                                const std::vector<opera_dlrm::StudyRow>& rows) {
  study::StudyReport report{
      .study = "opera-dlrm",
      .title = "Opera and DLRM training, designed together",
      .source = "Axes of the network, the all-reduce and the placement; overture study opera-dlrm --sweep.",
      .claim =
          "How much of Opera's gap to the best fat tree can be closed by designing network and training "
          "together?",
      .headline = opera_dlrm::gap_summary(opera_dlrm::co_designs(rows)),
      .terms = opera_dlrm::study_terms(),
      .figures = opera_dlrm::sweep_figures(rows),
      .tables = {{"sweep.csv", opera_dlrm::sweep_csv(cells)}},
      .cells = opera_dlrm::cell_pages(cells)};
  add_cell_setups(cells, report);
  return report;
}

void write_sweep(const OperaOptions& options, const study::StudyReport& report,
                 const std::vector<opera_dlrm::StudyRow>& rows) {
  auto designs = Json::array();
  for (const opera_dlrm::CoDesign& of : opera_dlrm::co_designs(rows)) {
    const auto closed = of.closed();
    designs.push_back({{"fat_tree", opera_dlrm::name(of.tree->cell)},
                       {"opera", opera_dlrm::name(of.opera->cell)},
                       {"opera_best", opera_dlrm::name(of.best->cell)},
                       {"gap", of.gap()},
                       {"gap_left", of.left()},
                       {"closed", closed ? Json(*closed) : Json()}});
  }
  Digest digest;
  for (const opera_dlrm::StudyRow& row : rows) digest.add_bits(row.mean_seconds());
  write_study(report,
              {{"backend", options.backend},
               {"seeds", options.seeds.value_or(1)},
               {"finished", report.cells.size()},
               {"co_designs", designs}},
              digest, asked(options), options.output);
}

void print_sweep(const OperaOptions& options, const opera_dlrm::SweepPlan& plan,
                 const std::vector<opera_dlrm::FinishedCell>& cells,
                 const std::vector<opera_dlrm::StudyRow>& rows) {
  fmt::print("opera-dlrm --sweep: {} of {} points, {} backend\n\n", cells.size(), plan.cells.size(),
             options.backend);
  const auto designs = opera_dlrm::co_designs(rows);
  if (designs.empty()) return fmt::print("no work has run on both networks yet\n");
  fmt::print(
      "tree: the best fat tree; opera: unchanged, dps; tuned: the best Opera with its\n"
      "own rotors; best: with any. gap and left: opera and best over tree\n{}\n",
      opera_dlrm::gap_table(designs));
  fmt::print("The best of the fat tree and of Opera\n{}\n{}\n", opera_dlrm::best_configurations(designs),
             opera_dlrm::gap_summary(designs));
  for (const opera_dlrm::LeftOut& out : plan.left_out) {
    const std::string line = fmt::format("left out, {} points: {}", out.cells.size(), out.reason);
    fmt::print("{}\n\n", wrap(line, 80, 2));
  }
}

}  // namespace

int run_design_sweep(const OperaOptions& options) {
  const opera_dlrm::MatrixChoice choice = choice_of(options);
  const bool automatic = options.sweep == std::vector<std::string>{"auto"};
  std::vector<opera_dlrm::SweepAxis> axes;
  for (const std::string& text : options.sweep) {
    if (!automatic) axes.push_back(opera_dlrm::parse_sweep_axis(text));
  }
  opera_dlrm::SweepPlan plan =
      automatic ? opera_dlrm::sweep_each(choice, opera_dlrm::automatic_axes(choice.backend))
                : opera_dlrm::sweep_all(choice, axes);
  int code = 0;
  auto finished = finish(options, plan.cells, code);
  if (automatic && finished.size() == plan.cells.size()) {
    for (const opera_dlrm::Cell& cell : opera_dlrm::sweep_best(opera_dlrm::by_seed(finished)).cells) {
      if (std::ranges::find(plan.cells, cell) == plan.cells.end()) plan.cells.push_back(cell);
    }
    finished = finish(options, plan.cells, code);
  }
  if (finished.empty()) return code;
  const auto rows = opera_dlrm::by_seed(finished);
  write_sweep(options, sweep_report(finished, rows), rows);
  print_sweep(options, plan, finished, rows);
  print_where(options.output.folder, options.output, "sweep.csv, sweep-*.svg, a folder per point");
  return code;
}

}  // namespace overture::cli
