#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/hash.h"
#include "overture/base/interrupt.h"
#include "overture/base/json.h"
#include "overture/base/text.h"
#include "overture/base/version.h"
#include "overture/cli/arguments.h"
#include "overture/cli/commands.h"
#include "overture/cli/output.h"
#include "overture/cli/progress.h"
#include "overture/cli/run_progress.h"
#include "overture/cli/watched_sweep.h"
#include "overture/report/results_folder.h"
#include "overture/study/codesign/report.h"
#include "overture/study/sweep.h"

namespace overture::cli {
namespace {

namespace fs = std::filesystem;

struct CodesignOptions {
  std::string search;
  std::vector<std::string> overrides;
  Output output;
  std::vector<std::string> under;
  std::string part = "1/1";
  int jobs = 0;
};

// The search as it was run: its file, and what the command line changed.
std::string search_yaml(const CodesignOptions& options) {
  std::string changes;
  for (const std::string& change : options.overrides) changes += fmt::format("# -s {}\n", change);
  return changes + read_file(options.search);
}

study::SearchResult search_with_progress(const study::CandidateModel& model, const CodesignOptions& options,
                                         const fs::path& folder, const JobPart& part) {
  std::unique_ptr<RunProgress> progress;
  study::SearchOptions how{.jobs = parallel_jobs(options.jobs),
                           .part = part.number,
                           .parts = part.of,
                           .folder = folder / "journal",
                           .version = version_text(),
                           .progress = {}};
  how.progress = [&](std::size_t done, std::size_t total) {
    if (!progress)
      progress = std::make_unique<RunProgress>(RunProgress::About{.folder = folder,
                                                                  .kind = "codesign",
                                                                  .name = model.search().name,
                                                                  .what = "candidates",
                                                                  .total = static_cast<std::int64_t>(total)});
    progress->update(static_cast<std::int64_t>(done));
    return !Interrupt::requested();
  };
  study::SearchResult result = run_search(model, how);
  if (progress) progress->finish();
  return result;
}

// Points of the front that packets check: the cheapest, the fastest, and others spread evenly between them.
std::vector<std::size_t> checked_points(std::size_t front, int most) {
  const auto wanted = std::min(front, static_cast<std::size_t>(most));
  std::vector<std::size_t> points;
  for (std::size_t i = 0; i < wanted; ++i)
    points.push_back(wanted == 1 ? front - 1 : i * (front - 1) / (wanted - 1));
  return points;
}

// A run of `overture simulate` for each way to play each point with packets.
struct CheckJob {
  study::SweepJob sweep;
  std::vector<study::PacketCheck> checks;
};

CheckJob check_job(const study::CandidateModel& model, const study::SearchResult& result,
                   const CodesignOptions& options, const fs::path& folder) {
  CheckJob job;
  job.sweep = {.program = fs::read_symlink("/proc/self/exe"),
               .command = "simulate",
               .setup = model.setup_file(),
               .points = {},
               .jobs = parallel_jobs(options.jobs)};
  for (const std::size_t i : checked_points(result.front.size(), model.search().checked)) {
    const setup::SearchPoint& point = result.tried[result.front[i]].candidate.point;
    for (const std::vector<std::string>& check : setup::checks_of(model.search().networks[point.network])) {
      study::SweepPoint run;
      run.overrides = point.overrides;
      run.overrides.push_back("network.backend=" + model.packet_backend(point));
      run.overrides.insert(run.overrides.end(), check.begin(), check.end());
      run.version = version_text();
      run.folder =
          study::point_folder(folder / "checks", point.number, "simulate", model.setup_text(), run.overrides);
      run.arguments = {model.setup_file(), "--no-report", "--no-why", "--max-wall",
                       fmt::format("{}", model.search().check_seconds)};
      for (const std::string& override : run.overrides)
        run.arguments.insert(run.arguments.end(), {"-s", override});
      std::vector<std::string> words;
      for (const std::string& one : check) words.push_back(one.substr(one.rfind('.', one.find('=')) + 1));
      job.checks.push_back({.front = i,
                            .what = fmt::format("{}", fmt::join(words, ", ")),
                            .folder = fs::relative(run.folder, folder).string(),
                            .step_us = {},
                            .problem = {}});
      job.sweep.points.push_back(std::move(run));
    }
  }
  return job;
}

std::vector<study::PacketCheck> check_front(const study::CandidateModel& model,
                                            const study::SearchResult& result, const CodesignOptions& options,
                                            const fs::path& folder) {
  CheckJob job = check_job(model, result, options, folder);
  if (job.checks.empty() || Interrupt::requested()) return {};
  const std::vector<std::size_t> all = points_of({}, job.checks.size());
  RunProgress progress({.folder = folder,
                        .kind = "codesign",
                        .name = model.search().name,
                        .what = "points with packets",
                        .total = static_cast<std::int64_t>(all.size())});
  const auto failures = study::run_sweep(job.sweep, all, [&](std::size_t done) {
    progress.update(static_cast<std::int64_t>(done));
    return !Interrupt::requested();
  });
  progress.finish();
  for (const study::SweepFailure& failure : failures) {
    job.checks[failure.point].problem =
        failure.exit_code == kUnfinished
            ? fmt::format("not finished after {} s", model.search().check_seconds)
            : failure.message;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!study::is_finished(job.sweep.points[i])) continue;
    for (const auto& [name, number] : study::numbers_of(job.sweep.points[i])) {
      if (name == "iteration_us") job.checks[i].step_us = number;
    }
  }
  return job.checks;
}

// "100000", "100k $", and as of a sweep, "cost 100k $".
std::vector<double> asked_budgets(const CodesignOptions& options) {
  std::vector<double> dollars;
  for (const std::string& text : options.under) {
    std::string amount = text.starts_with("cost ") ? text.substr(5) : text;
    if (amount.ends_with('$')) amount.erase(amount.find_last_not_of(" $") + 1);
    const Result<std::int64_t> count = overture::parse_count(amount);
    if (!count || count.value() <= 0)
      throw UserError({.key = "--under"}, fmt::format("\"{}\" is not an amount above 0", text),
                      "such as --under \"100000 $\"");
    dollars.push_back(static_cast<double>(count.value()));
  }
  return dollars;
}

std::vector<double> budgets(const CodesignOptions& options, const study::SearchResult& result) {
  std::vector<double> dollars = asked_budgets(options);
  if (!dollars.empty()) return dollars;
  const double least = result.tried[result.front.front()].candidate.dollars;
  const double most = result.tried[result.front.back()].candidate.dollars;
  for (const double share : {0.0, 0.25, 0.5, 1.0}) dollars.push_back(least + share * (most - least));
  return dollars;
}

void print_problems(const study::SearchResult& result, const std::vector<study::PacketCheck>& checks) {
  for (const std::string& problem : result.problems)
    fmt::print(stderr, "note: some candidates cannot run: {}\n", problem);
  for (const study::PacketCheck& check : checks) {
    if (!check.problem.empty())
      fmt::print(stderr, "note: point {} with packets{}{}: {}\n", check.front + 1,
                 check.what.empty() ? "" : ", ", check.what, check.problem);
  }
}

void write_results(const study::SearchFindings& findings, const CodesignOptions& options,
                   const fs::path& folder) {
  const study::StudyReport report = make_search_report(findings);
  write_study_report(report, folder);
  write_file(folder / "prices.yaml", study::prices_yaml(findings.model.prices()));
  for (std::size_t i = 0; i < report.cells.size(); ++i)
    write_file(folder / fmt::format("front-{}.yaml", i + 1), report.cells[i].setup);
  const study::SearchResult& result = findings.result;
  Json summary = report::summary_head({.kind = "codesign",
                                       .name = findings.model.search().name,
                                       .seed = findings.model.search().seed,
                                       .why = report.headline});
  const study::Tried& fastest = result.tried[result.front.back()];
  summary.update({{"candidates", result.candidates},
                  {"cannot_run", result.cannot_run},
                  {"over_budget", result.over_budget},
                  {"dominated", result.dominated},
                  {"simulated", result.tried.size()},
                  {"front", result.front.size()},
                  {"packet_runs", findings.checks.size()},
                  {"best_seconds_per_million", fastest.per_million_us() / 1e6},
                  {"best_dollars", fastest.candidate.dollars},
                  {"best_watts", fastest.candidate.watts},
                  {"prices_date", findings.model.prices().date},
                  {"complete", result.complete}});
  Digest digest;
  for (const std::size_t i : result.front) {
    digest.add_bits(result.tried[i].candidate.dollars);
    digest.add_bits(result.tried[i].time.step_us);
  }
  finish_run(options.output, summary, digest, search_yaml(options), folder);
}

void print_findings(const study::SearchFindings& findings, const CodesignOptions& options,
                    const fs::path& folder) {
  const study::SearchResult& result = findings.result;
  fmt::print(
      "{}: {} candidates; {} cannot run, {} over the budget,\n{} ruled out by their bound, {} simulated ({} "
      "now)\n\n",
      findings.model.search().name, result.candidates, result.cannot_run, result.over_budget,
      result.dominated, result.tried.size(), result.simulated_now);
  fmt::print("{}\n{}\n", front_table(findings), budget_table(findings, budgets(options, result)));
  fmt::print("prices: {}, {}\n", findings.model.prices().date, (folder / "prices.yaml").string());
  print_why(headline_of(findings));
  fmt::print("\n");
  print_where(folder, options.output);
}

int run(const CodesignOptions& options) {
  const Interrupt interrupt;
  const setup::SearchSetup search = setup::load_search_setup(options.search, options.overrides);
  const JobPart part = parse_part(options.part);
  asked_budgets(options);
  parallel_jobs(options.jobs);
  const fs::path folder = options.output.folder_or(fs::path("results") / fs::path(options.search).stem());
  Progress planning("preparing the candidates", 0);
  const study::CandidateModel model(search, [&] {
    planning.update(0);
    return Interrupt::requested();
  });
  planning.finish();
  claim(options.output, folder, "codesign", search_yaml(options));
  const study::SearchResult result = search_with_progress(model, options, folder, part);
  if (part.of > 1) {
    fmt::print("part {}: {} candidates simulated; when all parts are done, run without --part\n",
               options.part, result.tried.size());
    return result.complete ? 0 : kInterrupted;
  }
  const auto interrupted = [] {
    if (Interrupt::requested()) fmt::print("interrupted; the same command continues from here\n");
    return Interrupt::requested();
  };
  if (interrupted()) return kInterrupted;
  if (result.front.empty())
    throw UserError({.file = options.search}, "no candidate could be simulated",
                    result.problems.empty() ? "" : result.problems.front());
  study::SearchFindings findings{
      .model = model, .result = result, .checks = {}, .matters = {}, .sensitivities = {}};
  findings.checks = check_front(model, result, options, folder);
  findings.matters = what_matters(model, result, parallel_jobs(options.jobs));
  findings.sensitivities =
      sensitivities(model, result, result.tried[result.front.back()], parallel_jobs(options.jobs));
  if (interrupted()) return kInterrupted;
  write_results(findings, options, folder);
  print_problems(result, findings.checks);
  print_findings(findings, options, folder);
  return 0;
}

}  // namespace

void add_codesign(Command& root) {
  auto options = std::make_shared<CodesignOptions>();
  Command command = root.add("codesign", "Search model, sharding, cache and network together under a budget");
  add_output(command, options->output, "results/<search name>");
  command
      .positional("search", options->search,
                  "What may vary, and the budget (YAML); see docs/guides/codesign.md")
      .option("-s,--set KEY=VALUE", options->overrides, "Change one key of the search; may be repeated")
      .option("--under LIMIT", options->under,
              "Show the best design for at most this many dollars; may be repeated")
      .option("-j,--jobs", options->jobs, "Number of candidates at the same time; 0: one per core")
      .option("--part PART", options->part,
              "Run only one part: 2/8 is the second of eight, as for a Slurm array")
      .examples(
          "  overture codesign codesign.yaml\n"
          "  overture codesign codesign.yaml -s budget.dollars=200000 --under 100000\n"
          "  overture codesign codesign.yaml -s checked=0 -s candidates=500\n"
          "  overture codesign codesign.yaml --part $SLURM_ARRAY_TASK_ID/8")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
