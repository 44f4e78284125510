#include "overture/study/failures/report.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "overture/base/table.h"
#include "overture/study/chart.h"

namespace overture::study::failures {
namespace {

constexpr double kHour = 3600;
constexpr double kTolerance = 0.05;

std::string minutes(double seconds) { return fmt::format("{:.1f} min", seconds / 60); }
std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

// The run of the same training, or on the same network, that nothing slows down or fails.
template <class Run, class Same>
const Run* healthy(const std::vector<Run>& runs, double Run::*by, double value, Same same) {
  const auto found =
      std::ranges::find_if(runs, [&](const Run& run) { return run.*by == value && same(run); });
  return found == runs.end() ? nullptr : &*found;
}

double slowed(const Results& results, const SlowRun& run) {
  const SlowRun* base = healthy(results.slow, &SlowRun::factor, 1.0,
                                [&](const SlowRun& other) { return other.training == run.training; });
  return base == nullptr ? std::nan("") : run.iteration_us / base->iteration_us;
}

double stretched(const Results& results, const NetworkRun& run) {
  const NetworkRun* base = healthy(results.networks, &NetworkRun::share, 0.0,
                                   [&](const NetworkRun& other) { return other.network == run.network; });
  return base == nullptr ? std::nan("") : run.makespan_us / base->makespan_us;
}

template <class AnyChart>
Figure figure(std::string file, const AnyChart& chart, std::string caption) {
  return {.file = std::move(file), .svg = to_svg(chart), .title = chart.title, .caption = std::move(caption)};
}

// One line per name, in the order of the names.
using Lines = std::map<std::string, Series>;

void add_lines(Lines lines, Chart& chart) {
  for (auto& [name, line] : lines) {
    line.name = name;
    line.colour = colour(chart.series.size());
    chart.series.push_back(std::move(line));
  }
}

Figure goodput_figure(const Results& results) {
  Chart chart{.title = "Useful share of the time by checkpoint interval",
              .x = "interval (minutes)",
              .y = "useful share (%)",
              .log_x = true};
  for (std::size_t i = 0; i < results.scales.size(); ++i) {
    const Scale& scale = results.scales[i];
    Series line{.name = fmt::format("{:.0f} nodes, MTBF {:.2g} h", scale.parts.nodes, scale.mtbf / kHour),
                .colour = colour(i)};
    for (const auto& [interval, goodput] : scale.by_interval)
      line.points.emplace_back(interval / 60, 100 * goodput.useful);
    line.marks = false;
    chart.series.push_back(line);
    chart.series.push_back({.name = i == 0 ? "best" : "",
                            .colour = colour(i),
                            .points = {{scale.best.interval / 60, 100 * scale.best.useful}},
                            .line = false});
  }
  return figure(
      "goodput-by-interval.svg", chart,
      "Checkpoints that come too often cost their writing, those that come too seldom the work since "
      "the last one. The top is flat: twice or half the best interval costs little.");
}

Figure causes_figure(const Results& results) {
  ColumnChart chart{.title = "Time lost by cause, at the best interval",
                    .x = "nodes",
                    .y = "share of the time (%)",
                    .stacked = true};
  std::vector<ColumnSeries> series;
  for (const char* name : {"writing checkpoints", "failed nodes", "failed links", "failed switches"})
    series.push_back({.name = name, .colour = colour(series.size()), .values = {}, .published = {}});
  for (const Scale& scale : results.scales) {
    chart.groups.push_back(fmt::format("{:.0f}", scale.parts.nodes));
    series[0].values.push_back(100 * scale.at_best.writing);
    for (std::size_t i = 0; i < 3; ++i) series[i + 1].values.push_back(100 * scale.at_best.lost_by[i]);
  }
  chart.series = std::move(series);
  return figure(
      "time-lost-by-cause.svg", chart,
      "What a failed part costs is the work since the last checkpoint, the restart and the reading.");
}

Figure regimes_figure(const Results& results) {
  Chart chart{.title = "Intervals of Young and Daly beside the best one",
              .x = "time to write a checkpoint / mean time between failures",
              .y = "interval / best interval",
              .log_x = true};
  Series by_young{.name = "Young", .colour = colour(0)};
  Series by_daly{.name = "Daly", .colour = colour(1)};
  for (const Regime& regime : results.regimes) {
    by_young.points.emplace_back(regime.write_over_mtbf, regime.young / regime.best);
    by_daly.points.emplace_back(regime.write_over_mtbf, regime.daly / regime.best);
  }
  chart.series = {by_young, by_daly};
  return figure(
      "formulas.svg", chart,
      "1 is the simulated best. Young's formula leaves out that checkpoints and lost work themselves "
      "take time in which parts fail.");
}

Figure slow_figure(const Results& results) {
  Chart chart{.title = "Iteration time with one slow node",
              .x = "how many times slower it is",
              .y = "iteration, times as long"};
  Lines lines;
  for (const SlowRun& run : results.slow) {
    for (const char* slow : {"computing", "cable"}) {
      if (run.factor != 1 && run.slow != slow) continue;
      Series& line = lines.try_emplace(fmt::format("{}, slow {}", run.training, slow)).first->second;
      line.dashed = slow == std::string_view("cable");
      line.points.emplace_back(run.factor, slowed(results, run));
    }
  }
  add_lines(std::move(lines), chart);
  return figure(
      "slow-node.svg", chart,
      "Every step ends when its slowest node has. A cache that looks ahead hides a part of a slow cable: "
      "rows come early, but sums of gradients and critical rows cannot.");
}

Figure networks_figure(const Results& results) {
  Chart chart{.title = "All-to-all with a share of the cables down",
              .x = "cables down (%)",
              .y = "makespan, times as long"};
  Lines lines;
  for (const NetworkRun& run : results.networks) {
    if (run.makespan_us > 0)
      lines.try_emplace(run.network)
          .first->second.points.emplace_back(100 * run.share, stretched(results, run));
  }
  add_lines(std::move(lines), chart);
  return figure(
      "networks.svg", chart,
      "Cables between switches: between the tiers of the fat tree, between ToRs and rotors of Opera. "
      "Draws in which somebody was cut off have no makespan and are left out.");
}

Claim formula_claim(const char* who, double holds, double Regime::*formula, const Results& results) {
  const Regime& last = results.regimes.back();
  return {.text = fmt::format("{}'s interval is within 5 % of the simulated best where it holds", who),
          .published = "C far below M",
          .ours = fmt::format("up to C = {:.2g} M", holds),
          .verdict = holds > 0 ? Verdict::met : Verdict::not_met,
          .why = fmt::format("at C = {:.2g} M it is {:.2f} times the best", last.write_over_mtbf,
                             last.*formula / last.best)};
}

std::string headline(const Results& results) {
  std::string text;
  if (!results.scales.empty()) {
    const Scale& most = results.scales.back();
    text = fmt::format(
        "With {:.0f} nodes, a failure every {:.1f} hours leaves {:.1f} % of the time useful, if a checkpoint "
        "is written every {} (Young {}, Daly {}).",
        most.parts.nodes, most.mtbf / kHour, 100 * most.best.useful, minutes(most.best.interval),
        minutes(most.young), minutes(most.daly));
  }
  const auto worst =
      std::ranges::max_element(results.slow, {}, [&](const SlowRun& run) { return slowed(results, run); });
  if (worst != results.slow.end() && worst->factor > 1)
    text +=
        fmt::format(" One node whose {} is {:.0f} times slower makes an iteration {:.1f} times as long ({}).",
                    worst->slow, worst->factor, slowed(results, *worst), worst->training);
  return text;
}

std::string scales_csv(const Results& results) {
  std::string text =
      "nodes,mtbf_h,interval_min,useful,writing,lost_work,restarting,lost_by_nodes,lost_by_links,lost_by_"
      "switches\n";
  for (const Scale& scale : results.scales) {
    for (const auto& [interval, g] : scale.by_interval)
      text += fmt::format("{:.0f},{:.3f},{:.3f},{:.6f},{:.6f},{:.6f},{:.6f},{:.6f},{:.6f},{:.6f}\n",
                          scale.parts.nodes, scale.mtbf / kHour, interval / 60, g.useful, g.writing,
                          g.lost_work, g.restarting, g.lost_by[0], g.lost_by[1], g.lost_by[2]);
  }
  return text;
}

std::string slow_csv(const Results& results) {
  std::string text = "training,slow,factor,iteration_us,times_as_long\n";
  for (const SlowRun& run : results.slow)
    text += fmt::format("\"{}\",{},{},{:.3f},{:.4f}\n", run.training, run.slow, run.factor, run.iteration_us,
                        slowed(results, run));
  return text;
}

std::string networks_csv(const Results& results) {
  std::string text = "network,share_down,draws,makespan_us,times_as_long,unfinished\n";
  for (const NetworkRun& run : results.networks)
    text += fmt::format("\"{}\",{},{},{:.3f},{:.4f},{:.6f}\n", run.network, run.share, run.draws,
                        run.makespan_us, stretched(results, run), run.unfinished);
  return text;
}

std::string regimes_csv(const Results& results) {
  std::string text = "write_over_mtbf,best,young,daly,useful_best,useful_young,useful_daly\n";
  for (const Regime& r : results.regimes)
    text += fmt::format("{},{:.6f},{:.6f},{:.6f},{:.6f},{:.6f},{:.6f}\n", r.write_over_mtbf, r.best, r.young,
                        r.daly, r.useful_best, r.useful_young, r.useful_daly);
  return text;
}

}  // namespace

double deviation(double formula, double best) { return std::abs(formula - best) / best; }

double holds_up_to(const std::vector<Regime>& regimes, double Regime::*formula) {
  double holds = 0;
  for (const Regime& regime : regimes) {
    if (deviation(regime.*formula, regime.best) > kTolerance) break;
    holds = regime.write_over_mtbf;
  }
  return holds;
}

Scale run_scale(double nodes, const Results& asked) {
  Scale scale{.parts = fat_tree_parts(nodes)};
  scale.mtbf = system_mtbf(scale.parts, asked.reliability);
  scale.young = young(asked.checkpoints.write, scale.mtbf);
  scale.daly = daly(asked.checkpoints.write, scale.mtbf);
  scale.best = best_interval(scale.parts, asked.reliability, asked.checkpoints, asked.runs);
  const auto goodput = [&](double interval) {
    return simulate_goodput(scale.parts, asked.reliability, asked.checkpoints, interval, asked.runs);
  };
  constexpr int kSteps = 12;
  for (int i = -kSteps; i <= kSteps; ++i) {
    const double interval = scale.best.interval * std::pow(2, i / 3.0);
    scale.by_interval.emplace_back(interval, goodput(interval));
  }
  scale.at_best = goodput(scale.best.interval);
  return scale;
}

// On one part that fails once in a million seconds, so that nothing is rounded.
Regime run_regime(double write_over_mtbf, const Results& asked) {
  constexpr double kMtbf = 1e6;
  const Parts one{.nodes = 1};
  const Reliability reliability{.node_mtbf = kMtbf, .shape = asked.reliability.shape};
  const TrainingRuns runs{
      .days = 60 * kMtbf / 86'400, .runs = 2000, .seed = asked.runs.seed, .stopped = asked.runs.stopped};
  const Checkpointing checkpoints{.write = write_over_mtbf * kMtbf, .read = 0, .restart = 0};
  const Best best = best_interval(one, reliability, checkpoints, runs);
  const auto useful = [&](double interval) {
    return simulate_goodput(one, reliability, checkpoints, interval, runs).useful;
  };
  const double by_young = young(checkpoints.write, kMtbf);
  const double by_daly = daly(checkpoints.write, kMtbf);
  return {.write_over_mtbf = write_over_mtbf,
          .best = best.interval / kMtbf,
          .young = by_young / kMtbf,
          .daly = by_daly / kMtbf,
          .useful_best = best.useful,
          .useful_young = useful(by_young),
          .useful_daly = useful(by_daly)};
}

std::string scales_text(const Results& results) {
  Table table({"nodes", "MTBF", "best interval", "Young", "Daly", "useful", "writing", "lost"});
  for (const Scale& scale : results.scales) {
    table.add({fmt::format("{:.0f}", scale.parts.nodes), fmt::format("{:.2f} h", scale.mtbf / kHour),
               minutes(scale.best.interval), minutes(scale.young), minutes(scale.daly),
               percent(scale.best.useful), percent(scale.at_best.writing),
               percent(scale.at_best.lost_work + scale.at_best.restarting)});
  }
  return table.text();
}

std::string regimes_text(const Results& results) {
  Table table({"C / M", "best / M", "Young", "Daly", "useful", "with Young's", "with Daly's"});
  for (const Regime& r : results.regimes) {
    table.add({fmt::format("{:.4g}", r.write_over_mtbf), fmt::format("{:.4f}", r.best),
               fmt::format("{:+.1f} %", 100 * (r.young / r.best - 1)),
               fmt::format("{:+.1f} %", 100 * (r.daly / r.best - 1)), percent(r.useful_best),
               percent(r.useful_young), percent(r.useful_daly)});
  }
  return table.text();
}

std::string slow_text(const Results& results) {
  Table table({"training", "slow", "factor", "iteration", "times as long"});
  for (const SlowRun& run : results.slow)
    table.add({run.training, run.factor == 1 ? "-" : run.slow, fmt::format("{:g}", run.factor),
               fmt::format("{:.0f} us", run.iteration_us), fmt::format("{:.2f}", slowed(results, run))});
  return table.text();
}

std::string networks_text(const Results& results) {
  Table table({"network", "cables down", "makespan", "times as long", "flows cut off"});
  for (const NetworkRun& run : results.networks)
    table.add({run.network, percent(run.share),
               run.makespan_us > 0 ? fmt::format("{:.0f} us", run.makespan_us) : "-",
               run.makespan_us > 0 ? fmt::format("{:.2f}", stretched(results, run)) : "-",
               percent(run.unfinished)});
  return table.text();
}

StudyReport make_report(const Results& results) {
  StudyReport report{
      .study = "failures",
      .title = "Training through failures",
      .source =
          "Young: A first order approximation to the optimum checkpoint interval, CACM 1974. Daly: A higher "
          "order estimate of the optimum checkpoint interval for restart dumps, FGCS 2006. Opera's "
          "connectivity: Mellette et al., Expanding across time to deliver bandwidth efficiency and low "
          "latency, NSDI 2020. The rest is ours.",
      .claim =
          "The best checkpoint interval is about the root of twice the time to write one times the mean time "
          "between failures.",
      .headline = headline(results),
      .terms = {{"goodput, useful share", "computing that a later failure does not undo, over all time"},
                {"C, M", "time to write a checkpoint, and mean time between failures of the whole machine"},
                {"slow cable", "a node's cable that carries 1/k of its rate"}}};
  if (!results.regimes.empty()) {
    report.claims.push_back(
        formula_claim("Young", holds_up_to(results.regimes, &Regime::young), &Regime::young, results));
    report.claims.push_back(
        formula_claim("Daly", holds_up_to(results.regimes, &Regime::daly), &Regime::daly, results));
    report.figures.push_back(regimes_figure(results));
    report.tables.push_back({"formulas.csv", regimes_csv(results)});
  }
  if (!results.scales.empty()) {
    report.figures.insert(report.figures.begin(), {goodput_figure(results), causes_figure(results)});
    report.tables.push_back({"goodput.csv", scales_csv(results)});
  }
  if (!results.slow.empty()) {
    report.figures.push_back(slow_figure(results));
    report.tables.push_back({"slow-node.csv", slow_csv(results)});
  }
  if (!results.networks.empty()) {
    report.figures.push_back(networks_figure(results));
    report.tables.push_back({"networks.csv", networks_csv(results)});
  }
  if (!results.connectivity.empty()) add_connectivity(results.connectivity, report);
  for (const SlowRun& run : results.slow) report.cells.push_back(run.cell);
  for (const NetworkRun& run : results.networks) report.cells.push_back(run.cell);
  return report;
}

}  // namespace overture::study::failures
