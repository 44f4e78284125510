#include "overture/study/plan/explain.h"

#include <map>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace overture::study {
namespace {

using model::TableSharding;

std::string milliseconds(double picoseconds) { return fmt::format("{:.3g} ms", picoseconds / 1e9); }

std::string chosen(const PlanDecision& decision, int nodes) {
  const std::size_t tables = decision.tables.size();
  const std::string size = to_string(decision.shape.memory());
  switch (decision.place.sharding) {
    case TableSharding::table_wise:
      return tables == 1 ? fmt::format("{} whole on rank {}", size, decision.place.nodes.front())
                         : fmt::format("{} each, whole; {} tables over {} ranks", size, tables, nodes);
    case TableSharding::column_wise:
      return fmt::format("{}: {} columns in {} shares", size, decision.shape.columns,
                         decision.place.nodes.size());
    case TableSharding::row_wise:
      return fmt::format("{}: {} rows over all {} ranks", size, decision.shape.rows, nodes);
    case TableSharding::data_parallel: return fmt::format("{}: a copy on every rank", size);
  }
  return {};
}

// "row_wise +1.2 ms": moving one of these tables, all others as they are.
std::string against(const PlanProblem& problem, const model::TablePlan& plan, std::size_t table) {
  const double now = problem.estimate(model::loads_of(plan, problem.tables, problem.nodes));
  std::vector<std::string> words;
  for (const Alternative& other : alternatives(problem, plan, table)) {
    if (!other.fits) {
      words.push_back(fmt::format("{} does not fit", name(other.place.sharding)));
    } else {
      const double more = other.estimate - now;
      words.push_back(fmt::format("{} {}{}", name(other.place.sharding), more < 0 ? "-" : "+",
                                  milliseconds(std::abs(more))));
    }
  }
  return words.empty() ? "there is no other way" : fmt::format("one of them as {}", fmt::join(words, ", "));
}

}  // namespace

std::string_view name(TableSharding sharding) {
  switch (sharding) {
    case TableSharding::table_wise: return "table_wise";
    case TableSharding::column_wise: return "column_wise";
    case TableSharding::row_wise: return "row_wise";
    case TableSharding::data_parallel: return "data_parallel";
  }
  return {};
}

std::string ranges(const std::vector<std::size_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i;
    while (end + 1 < numbers.size() && numbers[end + 1] == numbers[end] + 1) ++end;
    if (!text.empty()) text += ", ";
    text += end == i ? fmt::format("{}", numbers[i]) : fmt::format("{}-{}", numbers[i], numbers[end]);
    i = end + 1;
  }
  return text;
}

std::vector<PlanDecision> explain_plan(const PlanProblem& problem, const model::TablePlan& plan) {
  using Key = std::tuple<std::int64_t, std::int64_t, int, TableSharding>;
  std::map<Key, std::size_t> found;
  std::vector<PlanDecision> decisions;
  for (std::size_t t = 0; t < plan.size(); ++t) {
    const model::EmbeddingTable& table = problem.tables[t];
    const Key key{table.rows, table.columns, table.bag, plan[t].sharding};
    const auto [at, fresh] = found.emplace(key, decisions.size());
    if (fresh) decisions.push_back({.tables = {}, .shape = table, .place = plan[t], .why = {}});
    decisions[at->second].tables.push_back(t);
  }
  for (PlanDecision& decision : decisions) {
    decision.why = fmt::format("{}; {}", chosen(decision, problem.nodes),
                               against(problem, plan, decision.tables.front()));
  }
  return decisions;
}

}  // namespace overture::study
