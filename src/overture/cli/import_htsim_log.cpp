// overture import htsim-log: what the logs of the Opera study's simulator tell, for those who have them.
#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/error.h"
#include "overture/base/hash.h"
#include "overture/base/table.h"
#include "overture/cli/commands.h"
#include "overture/cli/output.h"
#include "overture/cli/study_results.h"
#include "overture/formats/htsim_log.h"
#include "overture/study/chart.h"

namespace overture::cli {
namespace {

namespace fs = std::filesystem;
using formats::HtsimLog;
using formats::HtsimTask;
using formats::HtsimTraffic;

struct LogOptions {
  std::vector<std::string> files;
  int nodes = 0;
  bool partial = false;
  Output output{.folder = "results/htsim-log"};
};

std::string label_of(const HtsimLog& log) { return fs::path(log.file).filename().string(); }

std::string share_text(double share) { return fmt::format("{:.6f}", share); }

std::string flows_table(const std::vector<HtsimLog>& logs) {
  Table table({"log", "flows", "nodes", "GB", "next node", "script", "ring", "exact"});
  for (const HtsimLog& log : logs) {
    if (log.flow_lines == 0) continue;
    const HtsimTraffic traffic = traffic_of(log);
    table.add({label_of(log), fmt::format("{}", log.flow_lines), fmt::format("{}", log.nodes),
               fmt::format("{:.3f}", traffic.bytes / 1e9), share_text(traffic.next_node_share),
               share_text(traffic.script_share), share_text(traffic.ring_share),
               traffic.exact_share ? share_text(*traffic.exact_share) : "-"});
  }
  return table.empty() ? "" : table.text();
}

std::string tasks_table(const std::vector<HtsimLog>& logs) {
  Table table({"log", "tasks", "count", "first end s", "last end s"});
  for (const HtsimLog& log : logs) {
    for (int type = 0; type < formats::kHtsimTasks; ++type) {
      const auto& ends = log.task_ends_s[static_cast<std::size_t>(type)];
      if (ends.empty()) continue;
      const auto [first, last] = std::ranges::minmax(ends);
      table.add({label_of(log), std::string(name(static_cast<HtsimTask>(type))),
                 fmt::format("{}", ends.size()), fmt::format("{:.6f}", first), fmt::format("{:.6f}", last)});
    }
  }
  return table.empty() ? "" : table.text();
}

std::string sizes_csv(const std::vector<HtsimLog>& logs) {
  std::string text = "log,size_bytes,flows,to_next_node,is_ring,own_task\n";
  for (const HtsimLog& log : logs) {
    for (const auto& [size, flows] : log.flows)
      text += fmt::format("{},{},{},{},{},{}\n", label_of(log), size, flows.count,
                          flows.to_next_of(log.nodes), flows.is_ring() ? "yes" : "no",
                          log.has_both() ? fmt::format("{}", flows.task_count) : "");
  }
  return text;
}

std::string ends_csv(const std::vector<HtsimLog>& logs) {
  std::string text = "log,type,end_s\n";
  for (const HtsimLog& log : logs) {
    for (std::size_t type = 0; type < log.task_ends_s.size(); ++type) {
      for (const double end : log.task_ends_s[type])
        text += fmt::format("{},{},{:.9f}\n", label_of(log), name(static_cast<HtsimTask>(type)), end);
    }
  }
  return text;
}

// A hundredth of the tasks each: a log may have millions.
std::vector<double> hundredths(std::vector<double> values) {
  std::ranges::sort(values);
  constexpr std::size_t kParts = 100;
  if (values.size() <= kParts) return values;
  std::vector<double> few;
  for (std::size_t i = 0; i <= kParts; ++i) few.push_back(values[i * (values.size() - 1) / kParts]);
  return few;
}

// As the study's script draws it: all that is no compute and no message is the all-reduce's.
study::Figure ends_figure(const std::vector<HtsimLog>& logs) {
  study::StripChart chart{.title = "When tasks ended",
                          .x = "time, s",
                          .rows = {"forward", "backward", "other messages", "all-reduce"}};
  for (const HtsimLog& log : logs) {
    if (log.task_lines == 0) continue;
    study::StripSeries series{.name = label_of(log), .colour = study::colour(chart.series.size())};
    std::vector<std::vector<double>> rows(chart.rows.size());
    for (std::size_t type = 0; type < log.task_ends_s.size(); ++type) {
      auto& row = rows[std::min(type, rows.size() - 1)];
      row.insert(row.end(), log.task_ends_s[type].begin(), log.task_ends_s[type].end());
    }
    for (auto& row : rows) series.values.push_back(hundredths(std::move(row)));
    chart.series.push_back(std::move(series));
  }
  return {.file = "task-ends.svg",
          .svg = to_svg(chart),
          .title = chart.title,
          .caption = "A tick is a task, or a hundredth of them; the thick one is the last."};
}

// The best that a log tells of the all-reduces' share.
std::string finding_of_log(const HtsimLog& log) {
  const HtsimTraffic traffic = traffic_of(log);
  if (traffic.exact_share)
    return fmt::format("{}: all-reduces send {:.4f} of the bytes, exactly.", label_of(log),
                       *traffic.exact_share);
  return fmt::format("{}: a ring all-reduce sends {:.4f} of the bytes, if sizes tell it apart{}.",
                     label_of(log), traffic.ring_share,
                     traffic.ring_share == traffic.script_share
                         ? ""
                         : fmt::format("; the study's script says {:.4f}", traffic.script_share));
}

study::StudyReport log_report(const std::vector<HtsimLog>& logs) {
  study::StudyReport report{
      .study = "htsim-log",
      .title = "Logs of the Opera study's simulator",
      .source = "Flows (\"FCT\") and tasks (\"finished one task\") of htsim as that study ran it.",
      .claim = "Which share of the bytes is the all-reduce's, and when tasks end."};
  report.terms = {{"next node", "share of what goes from a node to the next one, whatever it is"},
                  {"script", "the study's estimate: sizes that only ever go to the next node"},
                  {"ring", "sizes that go round one ring, which may leave nodes out"},
                  {"exact", "flows that are no task of their own, if one log has flows and tasks"}};
  for (const HtsimLog& log : logs) {
    if (log.flow_lines == 0) continue;
    report.headline += (report.headline.empty() ? "" : " ") + finding_of_log(log);
  }
  report.tables.push_back({"sizes.csv", sizes_csv(logs)});
  if (std::ranges::any_of(logs, [](const HtsimLog& log) { return log.task_lines > 0; })) {
    report.tables.push_back({"task_ends.csv", ends_csv(logs)});
    report.figures.push_back(ends_figure(logs));
  }
  return report;
}

std::string asked(const LogOptions& options) {
  return fmt::format("import: htsim-log\nfiles: [{}]\nnodes: {}\npartial: {}\n",
                     fmt::join(options.files, ", "), options.nodes, options.partial);
}

int run_import(const LogOptions& options) {
  if (options.nodes < 0) throw UserError({.key = "--nodes"}, "must be at least 1");
  formats::HtsimReading reading{.partial = options.partial};
  if (options.nodes > 0) reading.nodes = options.nodes;
  std::vector<HtsimLog> logs;
  for (const std::string& file : options.files) logs.push_back(formats::read_htsim_log(file, reading));
  claim(options.output, options.output.folder, "study htsim-log");
  const study::StudyReport report = log_report(logs);
  Digest digest;
  Json shares = Json::object();
  for (const HtsimLog& log : logs) {
    const HtsimTraffic traffic = traffic_of(log);
    digest.add_bits(traffic.bytes);
    shares[label_of(log)] = {{"bytes", traffic.bytes},
                             {"next_node_share", traffic.next_node_share},
                             {"script_share", traffic.script_share},
                             {"ring_share", traffic.ring_share},
                             {"exact_share", traffic.exact_share ? Json(*traffic.exact_share) : Json()}};
  }
  write_study(report, {{"logs", shares}}, digest, asked(options), options.output);
  for (const std::string& table : {flows_table(logs), tasks_table(logs)}) {
    if (!table.empty()) fmt::print("{}\n", table);
  }
  for (const auto& [term, meaning] : report.terms) fmt::print("{}: {}\n", term, meaning);
  print_why(report.headline);
  print_where(options.output.folder, options.output, "sizes.csv, task_ends.csv, task-ends.svg");
  return 0;
}

}  // namespace

void add_import_htsim_log(Command& import) {
  auto options = std::make_shared<LogOptions>();
  Command command =
      import.add("htsim-log", "Traffic shares and task end times from logs of the Opera study's htsim");
  add_output(command, options->output);
  command
      .positional("logs", options->files, "Log files: flows (-ofile), tasks (the SLURM log), or both in one")
      .option("--nodes N", options->nodes,
              "Nodes of the run; 0: one more than the largest number in the logs")
      .flag("--partial", options->partial, "Accept a log that ends early")
      .examples(
          "  overture import htsim-log model_a_16_htsim_output --nodes 16\n"
          "  overture import htsim-log fat_tree_slurm.out opera_slurm.out -o results/tasks")
      .runs([options] { return run_import(*options); });
}

}  // namespace overture::cli
