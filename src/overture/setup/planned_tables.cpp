#include "overture/setup/planned_tables.h"

#include <filesystem>

#include <fmt/format.h>

#include "overture/base/files.h"

namespace overture::setup {

std::vector<PlannedTables> lines_of(const model::TablePlan& plan) {
  std::vector<PlannedTables> lines;
  for (const model::TablePlace& place : plan) {
    if (!lines.empty() && lines.back().sharding == place.sharding && lines.back().ranks == place.nodes) {
      ++lines.back().count;
    } else {
      lines.push_back({.count = 1, .sharding = place.sharding, .ranks = place.nodes});
    }
  }
  return lines;
}

model::TablePlan plan_of(const std::vector<PlannedTables>& lines, std::size_t tables, const Where& where) {
  model::TablePlan plan;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const PlannedTables& alike = lines[i];
    if (alike.count < 1 || plan.size() + static_cast<std::size_t>(alike.count) > tables)
      throw UserError({.file = where.file, .key = fmt::format("{}.{}.count", where.key, i)},
                      fmt::format("places more than the {} tables, or none", tables));
    plan.insert(plan.end(), static_cast<std::size_t>(alike.count), {alike.sharding, alike.ranks});
  }
  return plan;
}

void open_plan(Value& plan, const std::string& file) {
  const std::filesystem::path path = std::filesystem::path(file).parent_path() / plan.text;
  const Value root = parse_yaml(read_file(path), path.string());
  const Value* found = &root;
  for (const char* key : {"workload", "dlrm", "plan"}) {
    if (found != nullptr) found = found->find(key);
  }
  if (found == nullptr || found->kind != Value::Kind::list)
    throw UserError({.file = path.string(), .key = "workload.dlrm.plan"}, "is missing, or no list",
                    "name planned.yaml, which `overture plan MODEL --for train` writes");
  plan = *found;
  forget_lines(plan);
}

}  // namespace overture::setup
