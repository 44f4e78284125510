#include "overture/report/page_compare.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/json.h"
#include "overture/base/units.h"

namespace overture::report {
namespace {

namespace fs = std::filesystem;

// How good a model is, beside the other numbers.
void flatten(Json& summary) {
  for (const char* group : {"held_out", "best"}) {
    const auto found = summary.find(group);
    if (found == summary.end() || !found->is_object()) continue;
    const Json inner = *found;
    for (const auto& [key, value] : inner.items()) {
      if (value.is_number()) summary[fmt::format("{} {}", group, key)] = value;
    }
  }
}

// Numbers that tell how good a model is come before what it cost.
int rank_of(const std::string& key) {
  if (key == "held_out auc") return 0;
  if (key == "held_out log_loss") return 1;
  return key.starts_with("held_out ") || key.starts_with("best ") ? 2 : 3;
}

Json read_summary(const fs::path& folder) {
  if (!fs::exists(folder / "summary.json")) {
    throw UserError({.file = folder.string()}, "has no summary.json",
                    "give the folders that commands wrote, such as results/dlrm-torus");
  }
  Json summary = parse_json(read_file(folder / "summary.json"));
  if (!summary.is_object())
    throw UserError({.file = (folder / "summary.json").string()}, "is not a JSON object");
  flatten(summary);
  return summary;
}

// The last `parts` parts of the path.
std::string tail(const fs::path& folder, std::size_t parts) {
  fs::path path = fs::absolute(folder).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  fs::path result;
  for (; parts > 0 && path.has_filename(); --parts, path = path.parent_path()) {
    result = result.empty() ? path.filename() : path.filename() / result;
  }
  return result.string();
}

bool take_suffix(std::string& name, std::string_view suffix) {
  if (!name.ends_with(suffix)) return false;
  name.resize(name.size() - suffix.size());
  return true;
}

// Between 0 and 1, shown in percent.
bool is_share(std::string_view name) {
  return name.ends_with("utilisation") || name.ends_with("hit_rate") || name.ends_with("accuracy") ||
         name.ends_with("_share");
}

// Units stand at the end of a name, as everywhere in summary.json, or before what it is of many values.
std::string with_unit(std::string& name, double value) {
  if (name == "seconds") name = "time_seconds";
  for (const std::string_view of : {"_mean", "_deviation"}) {
    const std::string ending = "_seconds" + std::string(of);
    if (take_suffix(name, ending)) name += "_time" + std::string(of) + "_seconds";
  }
  if (is_share(name)) return fmt::format("{:.2f} %", 100 * value);
  if (std::abs(value) < 1e6 || (name.ends_with("_us") && std::abs(value) < 1e12)) {
    if (take_suffix(name, "_us")) return to_string(Duration{std::llround(value * 1e6)});
    if (take_suffix(name, "_per_second")) return fmt::format("{:.5g} /s", value);
    if (take_suffix(name, "_seconds") || take_suffix(name, "_s"))
      return to_string(Duration{std::llround(value * 1e12)});
    if (take_suffix(name, "_gbps")) return to_string(Bandwidth::bits_per_second(std::llround(value * 1e9)));
  }
  if (take_suffix(name, "_bytes")) return to_string(Bytes{std::llround(value)});
  if (take_suffix(name, "_percent")) return fmt::format("{:.2f} %", value);
  if (take_suffix(name, "_dollars")) return fmt::format("{:.0f} $", value);
  return fmt::format("{:.6g}", value);
}

std::string change(double from, double to) {
  if (from == to) return "";
  if (from == 0) return "new";
  return fmt::format("{:+.1f} %", 100 * (to - from) / std::abs(from));
}

// "held_out auc" is "held-out AUC".
std::string label(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  constexpr std::string_view kHeldOut = "held out ";
  if (name.starts_with(kHeldOut)) name = "held-out " + name.substr(kHeldOut.size());
  constexpr std::string_view kAuc = " auc";
  if (name.ends_with(kAuc)) name = name.substr(0, name.size() - kAuc.size()) + " AUC";
  return name;
}

ComparedNumber compare_key(const std::string& key, const std::vector<Json>& summaries) {
  ComparedNumber number;
  const auto value_of = [&](const Json& summary) -> const Json* {
    const auto found = summary.find(key);
    return found == summary.end() || !found->is_number() ? nullptr : &*found;
  };
  const Json* first = value_of(summaries.front());
  for (const Json& summary : summaries) {
    const Json* value = value_of(summary);
    std::string name = key;
    number.values.push_back(value == nullptr ? "-" : with_unit(name, value->get<double>()));
    number.changes.push_back(
        value == nullptr || first == nullptr ? "" : change(first->get<double>(), value->get<double>()));
    number.same = number.same && value != nullptr && first != nullptr && *value == *first;
    if (value != nullptr) number.what = name;
  }
  number.what = label(number.what);
  return number;
}

}  // namespace

std::vector<std::string> run_labels(const std::vector<fs::path>& folders) {
  constexpr std::size_t kDeepest = 8;  // then the same folder was given twice
  for (std::size_t parts = 1;; ++parts) {
    std::vector<std::string> result;
    for (const fs::path& folder : folders) result.push_back(tail(folder, parts));
    if (std::set(result.begin(), result.end()).size() == result.size() || parts == kDeepest) return result;
  }
}

Comparison compare_runs(const std::vector<fs::path>& folders) {
  Comparison result;
  std::vector<Json> summaries;
  std::vector<std::string> keys;
  const std::vector<std::string> names = run_labels(folders);
  for (std::size_t i = 0; i < folders.size(); ++i) {
    summaries.push_back(read_summary(folders[i]));
    const Json& summary = summaries.back();
    const auto setup = summary.find("setup_yaml");
    result.runs.push_back(
        {names[i], setup != summary.end() && setup->is_string() ? setup->get<std::string>() : ""});
    for (const auto& [key, value] : summary.items()) {
      if (value.is_number() && std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
  }
  std::ranges::stable_sort(keys, {}, rank_of);
  for (const std::string& key : keys) {
    const auto has_it = [&](const Json& summary) {
      return summary.contains(key) && summary[key].is_number();
    };
    if (folders.size() > 1 && std::count_if(summaries.begin(), summaries.end(), has_it) < 2) continue;
    result.numbers.push_back(compare_key(key, summaries));
  }
  return result;
}

}  // namespace overture::report
