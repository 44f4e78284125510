// All runs of a folder in the terminal, and the words that people give them.
#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "overture/base/error.h"
#include "overture/base/table.h"
#include "overture/cli/commands.h"
#include "overture/serve/run_list.h"

namespace overture::cli {
namespace {

using serve::RunEntry;

struct RunsOptions {
  std::string folder = "results";
  std::string search;
  std::string kind;
  std::string tag;
  std::string sort = "time";
  int most = 30;
  bool all = false;
};

struct TagOptions {
  std::string run;
  std::vector<std::string> tags;
  bool remove = false;
};

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool matches(const RunEntry& run, const RunsOptions& options) {
  if (run.part && !options.all) return false;
  if (!options.kind.empty() && !run.kind.starts_with(options.kind)) return false;
  if (!options.tag.empty() && std::ranges::find(run.tags, options.tag) == run.tags.end()) return false;
  const std::string all =
      fmt::format("{} {} {} {} {}", run.path, run.name, run.kind, run.why, fmt::join(run.tags, " "));
  return lower(all).find(lower(options.search)) != std::string::npos;
}

void sort_runs(std::vector<RunEntry>& runs, const std::string& key) {
  const std::vector<std::string> known{"time", "name", "kind", "path"};
  if (std::ranges::find(known, key) == known.end())
    throw UserError({.key = "--sort"}, fmt::format("unknown column \"{}\"", key), suggest(key, known));
  if (key == "name") std::ranges::stable_sort(runs, {}, &RunEntry::name);
  if (key == "kind") std::ranges::stable_sort(runs, {}, &RunEntry::kind);
  if (key == "path") std::ranges::stable_sort(runs, {}, &RunEntry::path);
}

// A command of which there are no runs is most often a spelling mistake.
void require_kind(const std::vector<RunEntry>& runs, const std::string& kind) {
  // Commands that leave runs; there may be none of them yet.
  std::vector<std::string> known{
      "astra2", "bench collective", "calibrate", "codesign", "compare", "evaluate", "flows",
      "plan",   "simulate",         "study",     "sweep",    "train",   "validate"};
  for (const RunEntry& run : runs) {
    if (run.kind.starts_with(kind)) return;
    if (std::ranges::find(known, run.kind) == known.end()) known.push_back(run.kind);
  }
  const auto is_of = [&](const std::string& command) { return command.starts_with(kind); };
  if (std::ranges::any_of(known, is_of)) return;
  std::ranges::sort(known);
  throw UserError({.key = "--kind"}, fmt::format("there are no runs of \"{}\"", kind), suggest(kind, known));
}

int list(const RunsOptions& options) {
  std::error_code error;
  if (!std::filesystem::is_directory(options.folder, error))
    throw UserError({.file = options.folder}, "is not a folder", "name the folder that holds your results");
  if (options.most < 0) throw UserError({.key = "--most"}, fmt::format("{} is less than 0", options.most));
  std::vector<RunEntry> runs = serve::list_runs(options.folder);
  const std::size_t all = runs.size();
  const auto parts = static_cast<std::size_t>(std::ranges::count_if(runs, &RunEntry::part));
  require_kind(runs, options.kind);
  std::erase_if(runs, [&](const RunEntry& run) { return !matches(run, options); });
  sort_runs(runs, options.sort);
  json_result(serve::runs_json(runs));
  Table table({"when", "command", "run", "result", "tags"});
  const std::size_t shown = std::min(runs.size(), static_cast<std::size_t>(options.most));
  for (std::size_t i = 0; i < shown; ++i) {
    const RunEntry& run = runs[i];
    std::string result = run.state == serve::RunState::running ? run.progress : run.headline;
    if (run.state != serve::RunState::finished) result += fmt::format(" ({})", serve::name(run.state));
    table.add(
        {run.when.substr(0, 16), run.kind, run.path, result, fmt::format("{}", fmt::join(run.tags, ","))});
  }
  fmt::print("{}\n{} of {} runs in {}\n", table.text(80), shown, options.all ? all : all - parts,
             options.folder);
  if (parts > 0 && !options.all)
    fmt::print("--all also lists {} points of sweeps and cells of studies\n", parts);
  return 0;
}

int tag(const TagOptions& options) {
  std::vector<std::string> tags = serve::read_tags(options.run);
  for (const std::string& word : options.tags) {
    if (word.empty() || word.find_first_of("\n\r,") != std::string::npos)
      throw UserError({.key = "tags"}, fmt::format("\"{}\" is not a tag", word), "one word, without commas");
    std::erase(tags, word);
    if (!options.remove) tags.push_back(word);
  }
  serve::write_tags(options.run, tags);
  fmt::print("{}: {}\n", options.run, tags.empty() ? "no tags" : fmt::format("{}", fmt::join(tags, ", ")));
  return 0;
}

}  // namespace

void add_runs(Command& root) {
  auto options = std::make_shared<RunsOptions>();
  Command command = root.add("runs", "List all runs of a folder: when, what, and what came out");
  command.positional("folder", options->folder, "Folder with results", false)
      .option("--search WORDS", options->search, "Only runs with these words in name, path, why or tags")
      .option("--kind COMMAND", options->kind, "Only runs of this command, such as flows")
      .option("--tag TAG", options->tag, "Only runs with this tag")
      .option("--sort ORDER", options->sort, "time, name, kind or path")
      .flag("--all", options->all, "Also points of sweeps and cells of studies")
      .option("-n,--most", options->most, "Runs to show")
      .examples("  overture runs\n  overture runs results --kind train --tag best")
      .runs([options] { return list(*options); });
  auto tags = std::make_shared<TagOptions>();
  root.add("tag", "Add tags to a run, so that you find it again")
      .positional("run", tags->run, "Results folder of the run")
      .positional("tags", tags->tags, "Words")
      .flag("--remove", tags->remove, "Remove the tags instead")
      .examples("  overture tag results/roce baseline\n  overture tag results/roce baseline --remove")
      .runs([tags] { return tag(*tags); });
}

}  // namespace overture::cli
