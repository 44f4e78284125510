#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/hash.h"
#include "overture/base/json.h"
#include "overture/base/table.h"
#include "overture/base/text.h"
#include "overture/cli/commands.h"
#include "overture/cli/output.h"
#include "overture/report/csv_grid.h"
#include "overture/report/results_folder.h"
#include "overture/setup/setup.h"
#include "overture/study/plan/explain.h"
#include "overture/study/plan/problem.h"

namespace overture::cli {
namespace {

namespace fs = std::filesystem;

struct PlanOptions {
  std::string setup;
  std::vector<std::string> overrides;
  Output output;
  int prices = 100;
  std::string use = "simulate";
};

setup::Setup load(const PlanOptions& options) {
  setup::Setup setup = setup::load_setup(options.setup, options.overrides, setup::Needs::description);
  if (!setup.dlrm)
    throw UserError({.file = options.setup, .key = "workload.dlrm"}, "is missing",
                    "`overture plan` places the tables of a DLRM; examples/rm2.yaml has one");
  if (setup.cache)
    throw UserError({.file = options.setup, .key = "workload.cache"},
                    "with a cache, servers hold the rows, so no table has a place",
                    "leave the cache out, or choose workload.cache.sharding");
  setup.dlrm->plan.clear();
  setup.dlrm->place.clear();
  return setup;
}

std::string planned_yaml(setup::Setup setup, const model::TablePlan& plan) {
  setup.dlrm->plan = setup::lines_of(plan);
  return "# The setup with its tables placed by `overture plan`. Run it: overture simulate planned.yaml. "
         "Train with "
         "this\n# plan: overture train ... --plan planned.yaml\n" +
         write_setup(setup);
}

std::string ranks_text(const model::TablePlace& place) {
  return place.nodes.empty() ? "all" : fmt::format("{}", fmt::join(place.nodes, " "));
}

std::string plan_csv(const study::PlanProblem& problem, const model::TablePlan& plan,
                     const std::vector<study::PlanDecision>& decisions) {
  std::vector<const std::string*> why(plan.size());
  for (const study::PlanDecision& decision : decisions) {
    for (const std::size_t table : decision.tables) why[table] = &decision.why;
  }
  std::string text = "table,rows,columns,pooling,bytes,sharding,ranks,why\n";
  for (std::size_t t = 0; t < plan.size(); ++t) {
    const model::EmbeddingTable& table = problem.tables[t];
    text += fmt::format("{},{},{},{},{},{},{},{}\n", t, table.rows, table.columns, table.bag,
                        table.memory().count(), study::name(plan[t].sharding), ranks_text(plan[t]),
                        report::csv_cell(*why[t]));
  }
  return text;
}

double microseconds(Duration time) { return static_cast<double>(time.count()) / 1e6; }

std::vector<const study::PricedPlan*> all_plans(const study::PlanSearch& search) {
  std::vector<const study::PricedPlan*> plans{&search.best};
  for (const study::PricedPlan& plan : search.others) plans.push_back(&plan);
  return plans;
}

std::string plans_csv(const study::PlanSearch& search) {
  std::string text = "plan,step_us,vs_ours,fullest_rank_bytes,fits\n";
  for (const study::PricedPlan* plan : all_plans(search)) {
    const double step = microseconds(plan->step);
    text += plan->fits ? fmt::format("{},{:.6f},{:.6f},{},true\n", plan->name, step,
                                     step / microseconds(search.best.step), plan->fullest.count())
                       : fmt::format("{},,,{},false\n", plan->name, plan->fullest.count());
  }
  return text;
}

void print_plans(const study::PlanSearch& search) {
  Table table({"plan", "step", "vs ours", "fullest rank"});
  for (const study::PricedPlan* plan : all_plans(search)) {
    const std::string ratio =
        fmt::format("{:.3f}x", microseconds(plan->step) / microseconds(search.best.step));
    table.add({plan->name, plan->fits ? to_string(plan->step) : "does not fit", plan->fits ? ratio : "-",
               to_string(plan->fullest)});
  }
  fmt::print("{}\n", table.text());
}

void print_decisions(const std::vector<study::PlanDecision>& decisions) {
  constexpr std::size_t kMost = 20;
  for (std::size_t i = 0; i < std::min(decisions.size(), kMost); ++i) {
    const study::PlanDecision& decision = decisions[i];
    fmt::print("{}", wrap(fmt::format("tables {}: {}. {}.\n", study::ranges(decision.tables),
                                      study::name(decision.place.sharding), decision.why),
                          80, 2));
  }
  if (decisions.size() > kMost) fmt::print("and {} more in plan.csv\n", decisions.size() - kMost);
  fmt::print("\n");
}

const study::PricedPlan* greedy_of(const study::PlanSearch& search) {
  for (const study::PricedPlan& plan : search.others) {
    if (plan.name == "greedy" && plan.fits) return &plan;
  }
  return nullptr;
}

std::string why_of(const study::PlanSearch& search, const study::PlanProblem& problem) {
  std::vector<int> kinds(4);
  for (const model::TablePlace& place : search.best.plan) ++kinds[static_cast<std::size_t>(place.sharding)];
  std::vector<std::string> words;
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    if (kinds[kind] > 0)
      words.push_back(
          fmt::format("{} {}", kinds[kind], study::name(static_cast<model::TableSharding>(kind))));
  }
  std::string text = fmt::format("the plan of {} tables: {}; the fullest of {} ranks holds {} of {}",
                                 problem.tables.size(), fmt::join(words, ", "), problem.nodes,
                                 to_string(search.best.fullest), to_string(problem.memory));
  if (const study::PricedPlan* greedy = greedy_of(search)) {
    text += fmt::format("; the greedy plan takes {:.3f} times as long",
                        microseconds(greedy->step) / microseconds(search.best.step));
  } else if (!problem.as_trained) {
    text += "; the greedy planner finds nothing that fits";
  }
  return text;
}

bool can_be_trained(const model::TablePlan& plan) {
  return std::ranges::none_of(plan, [](const model::TablePlace& place) {
    return place.sharding == model::TableSharding::data_parallel;
  });
}

Json summary_of(const setup::Setup& setup, const study::PlanSearch& search,
                const study::PlanProblem& problem) {
  Json summary = report::summary_head(
      {.kind = "plan", .name = setup.name, .seed = setup.seed, .why = why_of(search, problem)});
  summary.update({{"step_us", microseconds(search.best.step)},
                  {"ranks", problem.nodes},
                  {"tables", problem.tables.size()},
                  {"memory_bytes", problem.memory.count()},
                  {"fullest_rank_bytes", search.best.fullest.count()},
                  {"plans_simulated", search.priced},
                  {"trainable", can_be_trained(search.best.plan)}});
  if (const study::PricedPlan* greedy = greedy_of(search)) {
    summary["greedy_step_us"] = microseconds(greedy->step);
    summary["greedy_vs_ours"] = microseconds(greedy->step) / microseconds(search.best.step);
  }
  return summary;
}

int run(const PlanOptions& options) {
  if (options.use != "simulate" && options.use != "train")
    throw UserError({.key = "--for"}, fmt::format("\"{}\" is neither simulate nor train", options.use));
  if (options.prices < 0) throw UserError({.key = "--prices"}, "must not be negative");
  const setup::Setup setup = load(options);
  const fs::path folder =
      options.output.folder_or(fs::path("results") / ("plan-" + fs::path(options.setup).stem().string()));
  const std::string asked = write_setup(setup);
  claim(options.output, folder, "plan", asked);
  study::PlanProblem problem =
      study::make_plan_problem(make_training(*setup.dlrm, setup.file), setup.simulation);
  problem.prices = options.prices;
  problem.as_trained = options.use == "train";
  const study::PlanSearch search = [&] {
    try {
      return search_plan(problem);
    } catch (const UserError& error) {
      throw at({.file = options.setup, .key = "workload.dlrm"}, error);
    }
  }();
  const auto decisions = explain_plan(problem, search.best.plan);
  write_file(folder / "planned.yaml", planned_yaml(setup, search.best.plan));
  write_file(folder / "plan.csv", plan_csv(problem, search.best.plan, decisions));
  write_file(folder / "plans.csv", plans_csv(search));
  const Json summary = summary_of(setup, search, problem);
  Digest digest;
  for (const study::PricedPlan* plan : all_plans(search)) digest.add_bits(microseconds(plan->step));
  finish_run(options.output, summary, digest, asked, folder);
  fmt::print("{}: {} tables on {} ranks, {} plans simulated\n\n", setup.name, problem.tables.size(),
             problem.nodes, search.priced);
  print_plans(search);
  print_decisions(decisions);
  print_why(why_of(search, problem));
  const std::string planned = (folder / "planned.yaml").string();
  fmt::print("\nplan: {}\n", planned);
  if (can_be_trained(search.best.plan)) {
    fmt::print("training: overture train ... --servers {} --plan {}\n", problem.nodes, planned);
  } else {
    fmt::print(
        "training: not with data_parallel tables, since every row has one home; plan with --for train\n");
  }
  print_where(folder, options.output);
  return 0;
}

}  // namespace

void add_plan(Command& root) {
  auto options = std::make_shared<PlanOptions>();
  Command command = root.add("plan", "Place the embedding tables of a DLRM on the nodes of a network");
  add_output(command, options->output, "results/plan-<setup name>");
  command.positional("model", options->setup, "Setup with workload.dlrm (YAML); see docs/guides/codesign.md")
      .option("-s,--set KEY=VALUE", options->overrides, "Change one key of the setup; may be repeated")
      .option("--prices", options->prices, "Number of plans to simulate, beside the usual ones")
      .option("--for USE", options->use,
              "What the plan is for: simulate, or train, which has no data_parallel tables")
      .examples(
          "  overture plan rm2.yaml\n"
          "  overture plan rm2.yaml --for train -o results/plan\n"
          "  overture train train.yaml --servers 16 --plan results/plan/planned.yaml\n"
          "  overture plan model-a.yaml -s workload.dlrm.memory='40 GB'\n"
          "  overture simulate results/plan-rm2/planned.yaml")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
