#include "overture/study/plan/planner.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "overture/base/check.h"
#include "overture/base/error.h"
#include "overture/study/plan/greedy.h"

namespace overture::study {
namespace {

using model::EmbeddingTable;
using model::TableLoads;
using model::TablePlace;
using model::TablePlan;
using model::TableSharding;

// Nodes that are looked at as a table's next place: those that have least to do.
constexpr std::size_t kLightNodes = 8;
constexpr std::size_t kMostMovers = 48;   // tables whose moves are tried in a round
constexpr int kMostRounds = 2000;         // of moves by estimate
constexpr std::size_t kPricedMoves = 48;  // that are simulated in a round
constexpr std::size_t kPairedMoves = 16;  // the best moves of one table that are tried two at a time
constexpr std::size_t kClimbed = 5;       // plans from which the simulator climbs

TablePlace place(TableSharding sharding, std::vector<int> nodes = {}) { return {sharding, std::move(nodes)}; }

bool has_copies(const TablePlan& plan) {
  return std::ranges::any_of(
      plan, [](const TablePlace& one) { return one.sharding == TableSharding::data_parallel; });
}

// One or two tables that change places.
struct PlanMove {
  std::vector<std::pair<std::size_t, TablePlace>> changes;
  double cost = 0;
};

class Searcher {
 public:
  explicit Searcher(const PlanProblem& problem) : problem_(problem), nodes_(problem.nodes) {
    check(nodes_ >= 1 && problem.price && problem.estimate, "a plan has nodes and a price");
    std::map<std::tuple<std::int64_t, std::int64_t, int>, int> kinds;
    for (const EmbeddingTable& table : problem.tables) {
      const auto key = std::tuple(table.rows, table.columns, table.bag);
      kind_.push_back(kinds.emplace(key, static_cast<int>(kinds.size())).first->second);
    }
  }

  PlanSearch search() {
    require_room();
    PlanSearch result;
    std::vector<TablePlan> starts;
    for (PricedPlan& known : known_plans()) {
      starts.push_back(known.plan);
      result.others.push_back(std::move(known));
    }
    sort_by_step(result.others);
    TablePlan best = improve(found_by_estimate(starts), result.others);
    result.best = priced("ours", std::move(best));
    check(result.best.fits, "a plan that was chosen fits");
    result.priced = static_cast<int>(prices_.size());
    return result;
  }

  static void sort_by_step(std::vector<PricedPlan>& plans) {
    std::ranges::stable_sort(plans, [](const PricedPlan& a, const PricedPlan& b) {
      return std::pair(!a.fits, a.step) < std::pair(!b.fits, b.step);
    });
  }

  std::vector<Alternative> alternatives(const TablePlan& plan, std::size_t table) {
    TableLoads loads = model::loads_of(plan, problem_.tables, nodes_);
    std::map<TableSharding, Alternative> best;
    for (TablePlace& other : places_for(loads, plan, table)) {
      if (other.sharding == plan[table].sharding) continue;
      const double cost = cost_with(loads, plan, {{table, other}});
      const Alternative one{std::move(other), cost_estimate_, cost_fits_};
      auto found = best.find(one.place.sharding);
      if (found == best.end()) found = best.emplace(one.place.sharding, one).first;
      const bool better = std::pair(!one.fits, cost) < std::pair(!found->second.fits, found->second.estimate);
      if (better) found->second = one;
    }
    std::vector<Alternative> all;
    for (auto& [sharding, alternative] : best) all.push_back(std::move(alternative));
    return all;
  }

 private:
  const EmbeddingTable& table(std::size_t t) const { return problem_.tables[t]; }

  // Equal shares of everything need least of the fullest node, but for rounding.
  void require_room() const {
    Bytes sum;
    for (const EmbeddingTable& one : problem_.tables) sum += one.memory();
    if (sum.count() / nodes_ <= problem_.memory.count()) return;
    const std::int64_t least =
        (sum.count() + problem_.memory.count() - 1) / std::max<std::int64_t>(problem_.memory.count(), 1);
    throw UserError(fmt::format("the tables need {} together; {} nodes of {} have {}", to_string(sum), nodes_,
                                to_string(problem_.memory), to_string(problem_.memory * nodes_)),
                    fmt::format("take at least {} nodes, or {} of memory in each", least,
                                to_string(Bytes{(sum.count() + nodes_ - 1) / nodes_})));
  }

  // What users would write: every table alike, and the greedy planner's.
  std::vector<PricedPlan> known_plans() {
    std::vector<PricedPlan> plans;
    const auto add = [&](std::string name, std::optional<TablePlan> plan) {
      if (plan && !(problem_.as_trained && has_copies(*plan)))
        plans.push_back(priced(std::move(name), std::move(*plan)));
    };
    add("greedy", greedy_plan({problem_.tables, nodes_, problem_.samples, problem_.memory}));
    add("table_wise", balanced());
    add("column_wise", by_columns());
    add("row_wise", alike(TableSharding::row_wise));
    add("data_parallel", alike(TableSharding::data_parallel));
    return plans;
  }

  TablePlan alike(TableSharding sharding) const { return TablePlan(problem_.tables.size(), place(sharding)); }

  // The table that gathers most first, each to the node that gathers least and has room.
  TablePlan balanced() const {
    std::vector<std::size_t> order(problem_.tables.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(),
                             [&](std::size_t t) { return table(t).row() * table(t).bag; });
    std::vector<TableLoads::OfNode> nodes(static_cast<std::size_t>(nodes_));
    TablePlan plan(order.size());
    for (const std::size_t t : order) {
      const auto rank = [&](const TableLoads::OfNode& node) {
        return std::pair(node.memory + table(t).memory() > problem_.memory, node.gathered);
      };
      const auto least = std::ranges::min_element(nodes, {}, rank);
      plan[t] = place(TableSharding::table_wise, {static_cast<int>(least - nodes.begin())});
      least->memory += table(t).memory();
      least->gathered += table(t).row() * table(t).bag;
    }
    return plan;
  }

  // Every table on as many nodes as it has columns for; the first share of each on another node.
  std::optional<TablePlan> by_columns() const {
    if (nodes_ < 2) return std::nullopt;
    TablePlan plan;
    int first = 0;
    for (const EmbeddingTable& one : problem_.tables) {
      const auto shares = static_cast<int>(std::min<std::int64_t>(nodes_, one.columns));
      std::vector<int> nodes;
      for (int i = 0; i < shares; ++i) nodes.push_back((first + i) % nodes_);
      first = (first + shares) % nodes_;
      plan.push_back(shares == 1 ? place(TableSharding::table_wise, nodes)
                                 : place(TableSharding::column_wise, nodes));
    }
    return plan;
  }

  PricedPlan priced(std::string name, TablePlan plan) {
    PricedPlan result{.name = std::move(name), .plan = std::move(plan)};
    result.fullest = model::loads_of(result.plan, problem_.tables, nodes_).fullest();
    result.fits = result.fullest <= problem_.memory;
    if (result.fits) result.step = price(result.plan);
    return result;
  }

  using PlanKey = std::vector<std::int64_t>;
  PlanKey key_of(const TablePlan& plan) const {
    PlanKey key;
    for (std::size_t t = 0; t < plan.size(); ++t) {
      key.push_back(static_cast<std::int64_t>(plan[t].sharding));
      key.insert(key.end(), plan[t].nodes.begin(), plan[t].nodes.end());
    }
    return key;
  }

  Duration price(const TablePlan& plan) {
    const auto [found, fresh] = prices_.emplace(key_of(plan), Duration{});
    if (fresh) found->second = problem_.price(plan);
    return found->second;
  }

  // ---- by estimate

  // Over memory, a plan is worse than any that fits, and the more so the more it is over. Of equal ones, the
  // evener is better: it leaves room for the next move.
  double cost(const TableLoads& loads) {
    cost_estimate_ = problem_.estimate(loads);
    double over = 0;
    double uneven = 0;
    double most = 1;
    for (const TableLoads::OfNode& node : loads.nodes) {
      over += static_cast<double>(std::max<std::int64_t>(0, (node.memory - problem_.memory).count()));
      most = std::max(most, static_cast<double>(node.gathered.count()));
    }
    for (const TableLoads::OfNode& node : loads.nodes) {
      const double part = static_cast<double>(node.gathered.count()) / most;
      uneven += part * part / static_cast<double>(loads.nodes.size());
    }
    cost_fits_ = over == 0;
    const double room = std::max(1.0, static_cast<double>(problem_.memory.count()));
    return cost_estimate_ * (1 + 1e-6 * uneven) + (over > 0 ? 1e18 * (1 + over / room) : 0);
  }

  void apply(TableLoads& loads, const TablePlan& plan,
             const std::vector<std::pair<std::size_t, TablePlace>>& changes, bool back) const {
    for (const auto& [t, other] : changes) {
      model::remove(loads, back ? other : plan[t], table(t));
      model::add(loads, back ? plan[t] : other, table(t));
    }
  }

  double cost_with(TableLoads& loads, const TablePlan& plan,
                   const std::vector<std::pair<std::size_t, TablePlace>>& changes) {
    apply(loads, plan, changes, false);
    const double result = cost(loads);
    apply(loads, plan, changes, true);
    return result;
  }

  // The nodes that gather least, then those with most room.
  std::vector<int> light_nodes(const TableLoads& loads) const {
    std::vector<int> order(loads.nodes.size());
    std::iota(order.begin(), order.end(), 0);
    const auto by = [&](int node) {
      const auto& load = loads.nodes[static_cast<std::size_t>(node)];
      return std::tuple(load.gathered, load.memory);
    };
    std::ranges::stable_sort(order, {}, by);
    if (order.size() > kLightNodes) {
      const auto roomiest = std::ranges::min_element(
          order, {}, [&](int node) { return loads.nodes[static_cast<std::size_t>(node)].memory; });
      std::iter_swap(order.begin() + kLightNodes - 1, roomiest);
    }
    return order;
  }

  std::vector<TablePlace> places_for(const TableLoads& loads, const TablePlan& plan, std::size_t t) const {
    std::vector<TablePlace> places;
    TableLoads without = loads;
    model::remove(without, plan[t], table(t));
    const std::vector<int> light = light_nodes(without);
    for (std::size_t i = 0; i < std::min(light.size(), kLightNodes); ++i)
      places.push_back(place(TableSharding::table_wise, {light[i]}));
    const auto most = std::min<std::int64_t>(nodes_, table(t).columns);
    for (std::int64_t shares = 2; shares <= most;
         shares = shares < most && shares * 2 > most ? most : shares * 2)
      places.push_back(place(TableSharding::column_wise, {light.begin(), light.begin() + shares}));
    if (nodes_ == 3 && most >= 2) {  // all pairs: two shares leave one node out
      for (const int left_out : {light[0], light[1]}) {
        std::vector<int> pair;
        for (const int node : light) {
          if (node != left_out) pair.push_back(node);
        }
        places.push_back(place(TableSharding::column_wise, pair));
      }
    }
    places.push_back(place(TableSharding::row_wise));
    if (!problem_.as_trained) places.push_back(place(TableSharding::data_parallel));
    std::erase(places, plan[t]);
    return places;
  }

  // One table of every kind in every place; where these are many, those on the nodes that gather, send or
  // hold most, and the largest of the others.
  std::vector<std::size_t> movers(const TableLoads& loads, const TablePlan& plan) const {
    std::set<std::pair<int, std::vector<int>>> seen;
    std::vector<std::size_t> all;
    for (std::size_t t = 0; t < plan.size(); ++t) {
      std::vector<int> where = plan[t].nodes;
      where.push_back(-1 - static_cast<int>(plan[t].sharding));
      if (seen.emplace(kind_[t], std::move(where)).second) all.push_back(t);
    }
    if (all.size() <= kMostMovers) return all;
    const std::set<int> busiest = busiest_nodes(loads);
    std::ranges::stable_sort(all, [&](std::size_t a, std::size_t b) {
      const auto rank = [&](std::size_t t) {
        const bool matters = std::ranges::any_of(plan[t].nodes, [&](int n) { return busiest.contains(n); });
        return std::pair(!matters, -table(t).memory().count());
      };
      return rank(a) < rank(b);
    });
    all.resize(kMostMovers);
    return all;
  }

  static std::set<int> busiest_nodes(const TableLoads& loads) {
    std::set<int> busiest;
    const auto most = [&](auto part) {
      const auto found = std::ranges::max_element(loads.nodes, {}, part);
      busiest.insert(static_cast<int>(found - loads.nodes.begin()));
    };
    most([](const TableLoads::OfNode& node) { return node.gathered; });
    most([](const TableLoads::OfNode& node) { return node.pooled; });
    most([](const TableLoads::OfNode& node) { return node.memory; });
    return busiest;
  }

  // Every move from here with its cost, best first.
  std::vector<PlanMove> moves(TableLoads& loads, const TablePlan& plan) {
    std::vector<PlanMove> all;
    const auto consider = [&](std::vector<std::pair<std::size_t, TablePlace>> changes) {
      const double cost = cost_with(loads, plan, changes);
      all.push_back({std::move(changes), cost});
    };
    const std::vector<std::size_t> moving = movers(loads, plan);
    for (const std::size_t t : moving) {
      for (TablePlace& other : places_for(loads, plan, t)) consider({{t, std::move(other)}});
    }
    for (std::size_t i = 0; i < moving.size(); ++i) {
      for (std::size_t j = i + 1; j < moving.size(); ++j) {
        const std::size_t a = moving[i];
        const std::size_t b = moving[j];
        if (kind_[a] != kind_[b] && plan[a] != plan[b]) consider({{a, plan[b]}, {b, plan[a]}});
      }
    }
    std::erase_if(all, [&](const PlanMove& move) { return !is_sound(move); });
    std::ranges::stable_sort(all, {}, &PlanMove::cost);
    add_pairs(loads, plan, all);
    return all;
  }

  // What no move of one table shows: two that pay only together.
  void add_pairs(TableLoads& loads, const TablePlan& plan, std::vector<PlanMove>& all) {
    std::vector<PlanMove> pairs;
    const std::size_t singles = std::min(all.size(), kPairedMoves);
    for (std::size_t i = 0; i < singles; ++i) {
      for (std::size_t j = i + 1; j < singles; ++j) {
        if (all[i].changes.size() != 1 || all[j].changes.size() != 1) continue;
        if (all[i].changes[0].first == all[j].changes[0].first) continue;
        PlanMove pair{{all[i].changes[0], all[j].changes[0]}, 0};
        pair.cost = cost_with(loads, plan, pair.changes);
        pairs.push_back(std::move(pair));
      }
    }
    all.insert(all.end(), pairs.begin(), pairs.end());
    std::ranges::stable_sort(all, {}, &PlanMove::cost);
  }

  // A swap may hand a table more shares than it has columns.
  bool is_sound(const PlanMove& move) const {
    return std::ranges::all_of(move.changes, [&](const auto& change) {
      return std::ssize(change.second.nodes) <= table(change.first).columns;
    });
  }

  static TablePlan moved(TablePlan plan, const PlanMove& move) {
    for (const auto& [t, other] : move.changes) plan[t] = other;
    return plan;
  }

  // Downhill until no move helps.
  TablePlan descend(TablePlan plan) {
    TableLoads loads = model::loads_of(plan, problem_.tables, nodes_);
    double now = cost(loads);
    for (int round = 0; round < kMostRounds; ++round) {
      const std::vector<PlanMove> next = moves(loads, plan);
      if (next.empty() || next.front().cost >= now * (1 - 1e-12)) break;
      apply(loads, plan, next.front().changes, false);
      plan = moved(std::move(plan), next.front());
      now = next.front().cost;
    }
    return plan;
  }

  std::vector<TablePlan> found_by_estimate(const std::vector<TablePlan>& starts) {
    std::vector<TablePlan> found;
    for (const TablePlan& start : starts) {
      TablePlan plan = descend(start);
      if (std::ranges::find(found, plan) == found.end()) found.push_back(std::move(plan));
    }
    return found;
  }

  // ---- by simulation

  bool fits(const TablePlan& plan) const {
    return model::loads_of(plan, problem_.tables, nodes_).fullest() <= problem_.memory;
  }

  // Climbs from the plans that are best so far; the first is the best of them.
  TablePlan improve(const std::vector<TablePlan>& found, const std::vector<PricedPlan>& known) {
    std::vector<std::pair<Duration, TablePlan>> starts;
    const auto start = [&](const TablePlan& plan) {
      if (fits(plan)) starts.emplace_back(price(plan), plan);
    };
    for (const TablePlan& plan : found) start(plan);
    for (const PricedPlan& plan : known) start(plan.plan);
    if (starts.empty()) no_plan_fits();
    std::ranges::stable_sort(starts, {}, [](const auto& one) { return one.first; });
    starts.resize(std::min(starts.size(), kClimbed));
    const auto budget = prices_.size() + static_cast<std::size_t>(problem_.prices);
    for (auto& [step, plan] : starts) {
      while (climb(plan, step, budget)) {
      }
    }
    return std::ranges::min_element(starts, {}, [](const auto& one) { return one.first; })->second;
  }

  [[noreturn]] void no_plan_fits() const {
    Bytes least{INT64_MAX};
    for (const TablePlan& plan : {alike(TableSharding::row_wise), balanced()})
      least = std::min(least, model::loads_of(plan, problem_.tables, nodes_).fullest());
    throw UserError(fmt::format("no placement of {} tables fits {} nodes of {}", problem_.tables.size(),
                                nodes_, to_string(problem_.memory)),
                    fmt::format("the best needs {} in the fullest node", to_string(least)));
  }

  // Simulates the moves that look best; takes the first round's best if it helps.
  bool climb(TablePlan& best, Duration& step, std::size_t budget) {
    TableLoads loads = model::loads_of(best, problem_.tables, nodes_);
    std::size_t tried = 0;
    std::optional<TablePlan> better;
    for (const PlanMove& move : moves(loads, best)) {
      if (tried == kPricedMoves || prices_.size() >= budget) break;
      TablePlan plan = moved(best, move);
      if (!fits(plan)) continue;
      ++tried;
      const Duration time = price(plan);
      if (time >= step) continue;
      step = time;
      better = std::move(plan);
    }
    if (better) best = std::move(*better);
    return better.has_value();
  }

  const PlanProblem& problem_;
  int nodes_;
  std::vector<int> kind_;  // of every table: equal numbers are equal tables
  std::map<PlanKey, Duration> prices_;
  double cost_estimate_ = 0;  // of the last cost()
  bool cost_fits_ = false;
};

}  // namespace

PlanSearch search_plan(const PlanProblem& problem) { return Searcher(problem).search(); }

std::vector<Alternative> alternatives(const PlanProblem& problem, const model::TablePlan& plan,
                                      std::size_t table) {
  return Searcher(problem).alternatives(plan, table);
}

}  // namespace overture::study
