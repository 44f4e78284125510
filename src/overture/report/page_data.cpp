#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/json.h"
#include "overture/report/html.h"
#include "overture/report/page_compare.h"
#include "overture/report/page_table.h"
#include "overture/report/page_text.h"
#include "overture/report/page_trace.h"
#include "overture/report/page_traffic.h"

namespace overture::report {
namespace {

namespace fs = std::filesystem;

// A page is to be mailed and opened on a phone; what is larger stays in its file, and the page says so.
constexpr std::uintmax_t kLargestTable = 128 << 20;
constexpr std::uintmax_t kLargestSummary = 32 << 20;

struct File {
  std::string name;
  fs::path path;
  std::uintmax_t size = 0;
};

std::vector<File> files(const fs::path& folder) {
  std::error_code error;
  std::vector<File> result;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (!entry.is_regular_file(error)) continue;
    result.push_back({entry.path().filename().string(), entry.path(), entry.file_size(error)});
  }
  if (error) throw UserError({.file = folder.string()}, "cannot be read: " + error.message());
  std::sort(result.begin(), result.end(), [](const File& a, const File& b) { return a.name < b.name; });
  return result;
}

bool is_trace(const File& file) {
  return file.name.starts_with("trace") && (file.name.ends_with(".json.gz") || file.name.ends_with(".json"));
}

// summary.json, or the totals.json of older commands; null when there is none.
std::string summary(const std::vector<File>& folder) {
  for (const char* name : {"summary.json", "totals.json"}) {
    const auto file =
        std::find_if(folder.begin(), folder.end(), [&](const File& f) { return f.name == name; });
    if (file == folder.end()) continue;
    if (file->size > kLargestSummary)
      throw UserError({.file = file->path.string()}, "is too large for a page");
    const auto value = parse_json(read_file(file->path));
    if (!value.is_object()) {
      throw UserError({.file = file->path.string()}, "is not a JSON object",
                      "run the command again that wrote it");
    }
    return write_json(value);
  }
  return "null";
}

// study.json, where a study left one; null when there is none.
std::string study(const std::vector<File>& folder) {
  const auto file =
      std::find_if(folder.begin(), folder.end(), [](const File& f) { return f.name == "study.json"; });
  if (file == folder.end()) return "null";
  const auto value = parse_json(read_file(file->path));
  if (!value.is_object()) {
    throw UserError({.file = file->path.string()}, "is not a JSON object", "run the study again");
  }
  return write_json(value);
}

struct Tables {
  std::string json;     // "name":{...},...
  std::string traffic;  // empty when no file tells
  std::vector<std::string> notes;
};

void add_table(Tables& tables, const File& file) {
  const bool lines = file.name.ends_with(".jsonl");
  if (!lines && !file.name.ends_with(".csv")) return;
  if (file.size > kLargestTable) {
    tables.notes.push_back(fmt::format("{} is {} MB and not shown", file.name, file.size >> 20U));
    return;
  }
  const std::string text = read_file(file.path);
  if (text.empty()) return;
  tables.json += fmt::format("{}{}:{}", tables.json.empty() ? "" : ",", json_text(file.name),
                             lines ? pack_json_lines(text) : pack_csv(text));
  // A file made for the purpose goes before the list of flows.
  if (file.name == "traffic.csv" || (file.name == "fct.csv" && tables.traffic.empty())) {
    if (auto traffic = pack_traffic(text)) tables.traffic = std::move(*traffic);
  }
}

std::string run_data(const fs::path& folder, const std::string& label) {
  const std::vector<File> found = files(folder);
  Tables tables;
  std::vector<fs::path> traces;
  std::string list;
  for (const File& file : found) {
    if (file.name == "report.html") continue;
    add_table(tables, file);
    if (is_trace(file)) traces.push_back(file.path);
    list += fmt::format(R"({}{{"name":{},"bytes":{}}})", list.empty() ? "" : ",", json_text(file.name),
                        file.size);
  }
  const std::string numbers = summary(found);
  const std::string trace = pack_traces(traces);
  if (numbers == "null" && tables.json.empty() && trace.empty()) {
    throw UserError({.file = folder.string()}, "has no results: no summary.json, CSV, metrics.jsonl or trace",
                    "give the folder that a command wrote, such as results/dlrm-torus");
  }
  std::string notes;
  for (const std::string& note : tables.notes) notes += (notes.empty() ? "" : ",") + json_text(note);
  return fmt::format(
      R"({{"folder":{},"summary":{},"study":{},"tables":{{{}}},"traffic":{},"trace":{},"files":[{}],"notes":[{}]}})",
      json_text(label), numbers, study(found), tables.json, tables.traffic.empty() ? "null" : tables.traffic,
      trace.empty() ? "null" : trace, list, notes);
}

}  // namespace

std::string page_data(const std::vector<fs::path>& folders) {
  const std::vector<std::string> labels = run_labels(folders);
  std::string runs;
  for (std::size_t i = 0; i < folders.size(); ++i) {
    const fs::path& folder = folders[i];
    if (!fs::is_directory(folder)) {
      throw UserError({.file = folder.string()}, "is not a folder",
                      "give the folder that a command wrote, such as results/dlrm-torus");
    }
    runs += (runs.empty() ? "" : ",") + run_data(folder, labels[i]);
  }
  return fmt::format(R"({{"format":1,"runs":[{}]}})", runs);
}

}  // namespace overture::report
