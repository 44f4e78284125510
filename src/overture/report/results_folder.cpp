#include "overture/report/results_folder.h"

#include <cerrno>
#include <cstring>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/disk.h"
#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/folder_hold.h"
#include "overture/base/json.h"
#include "overture/base/version.h"

namespace overture::report {

Json summary_head(const RunFacts& facts) {
  Json head{{"name", facts.name}, {"overture", version_text()}, {"kind", facts.kind}};
  head["seed"] = facts.seed ? Json(*facts.seed) : Json();
  if (!facts.why.empty()) head["why"] = facts.why;
  return head;
}

std::string summary_text(const Json& summary) {
  return summary.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string write_summary(const Json& summary, const Digest& digest, const std::string& setup_yaml,
                          const std::filesystem::path& folder) {
  Json whole = summary;
  whole["digest"] = digest.text();
  whole["setup_yaml"] = setup_yaml;
  write_file(folder / "setup.yaml", setup_yaml);
  std::string text = summary_text(whole);
  write_file(folder / "summary.json", text);
  return text;
}

void make_results_folder(const std::filesystem::path& folder) {
  if (!disk().make_folder(folder))
    throw UserError({.file = folder.string()}, std::string("cannot be created: ") + std::strerror(errno),
                    "give another folder with -o");
}

namespace {

struct Held {
  std::string kind;
  std::string name;
  std::string setup_yaml;
};

// The run that the folder holds; one of training may have no summary yet.
std::optional<Held> run_in(const std::filesystem::path& folder) {
  std::error_code error;
  const auto text = [](const Json& summary, const char* key) {
    return summary.contains(key) && summary[key].is_string() ? summary[key].get<std::string>()
                                                             : std::string();
  };
  if (std::filesystem::is_regular_file(folder / "summary.json", error)) {
    const Json summary = parse_json(read_file(folder / "summary.json"));
    if (summary.is_object())
      return Held{text(summary, "kind"), text(summary, "name"), text(summary, "setup_yaml")};
  }
  if (std::filesystem::exists(folder / "metrics.jsonl", error)) return Held{"train", "", ""};
  return std::nullopt;
}

// A name for the folder that nobody has taken.
std::string free_name(const std::filesystem::path& folder) {
  std::string text = (folder / "").lexically_normal().parent_path().string();
  if (text.empty() || text.ends_with('.'))
    text = "results/run";  // the folder where the user is, or one above
  std::error_code error;
  for (int number = 2;; ++number) {
    const std::string name = fmt::format("{}-{}", text, number);
    if (!std::filesystem::exists(name, error)) return name;
  }
}

// All that commands leave in their folders, but not the points of a sweep, which have folders of their own.
constexpr const char* kResults[]{
    "summary.json",   "setup.yaml",           "report.html",    "trace.json.gz", "hta",
    "layers.csv",     "dimensions.csv",       "traffic.csv",    "links.csv",     "links_over_time.csv",
    "fct.csv",        "fct_distribution.csv", "schedule.csv",   "tasks.csv",     "metrics.jsonl",
    "miss_ratio.csv", "collective.csv",       "validation.csv", "matrix.csv",    "sweep.csv",
    "compare.csv",    "checkpoints",          "tensorboard",    "roc.csv",       "calibration.csv",
    "ids.bin",        "faults.csv",           "flows.csv",      "plan.csv",      "plans.csv",
    "planned.yaml",   "machine.yaml",         "residuals.csv",  "recording"};

void remove_results(const std::filesystem::path& folder) {
  std::error_code error;
  for (const char* name : kResults) std::filesystem::remove_all(folder / name, error);
}

// Names of results that people give to files of their own, such as the setup itself.
constexpr const char* kUsersOwn[]{"setup.yaml", "planned.yaml", "machine.yaml", "flows.csv"};

// In a folder without a run, such a file is somebody's own.
void require_no_file_of_the_users(const std::filesystem::path& folder) {
  std::error_code error;
  for (const char* name : kUsersOwn)
    if (std::filesystem::is_regular_file(folder / name, error))
      throw UserError({.file = folder.string()},
                      fmt::format("holds a file {} that is not of a run, and results may replace it", name),
                      fmt::format("name another folder, such as -o {}, or replace it with --overwrite",
                                  free_name(folder)));
}

void take_over(const std::filesystem::path& folder, const FolderClaim& claim) {
  const std::optional<Held> held = run_in(folder);
  if (!held && !claim.overwrite) require_no_file_of_the_users(folder);
  const bool other_kind = held && held->kind != claim.kind;
  const bool other_setup = held && claim.setup_yaml && held->setup_yaml != *claim.setup_yaml;
  if (!other_kind && !other_setup) return;
  if (!claim.overwrite) {
    const std::string name = held->name.empty() ? "" : fmt::format(" (\"{}\")", held->name);
    throw UserError({.file = folder.string()},
                    other_kind ? fmt::format("holds a run of `overture {}`{}", held->kind, name)
                               : fmt::format("holds a run of another setup{}", name),
                    fmt::format("name another folder, such as -o {}, or replace the run with --overwrite",
                                free_name(folder)));
  }
  remove_results(folder);
}

}  // namespace

void claim_results_folder(const std::filesystem::path& folder, const FolderClaim& claim) {
  make_results_folder(folder);
  hold_folder(folder);
  take_over(folder, claim);
}

}  // namespace overture::report
