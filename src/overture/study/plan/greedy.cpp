#include "overture/study/plan/greedy.h"

#include <algorithm>
#include <numeric>

namespace overture::study {
namespace {

using model::EmbeddingTable;
using model::TablePlace;
using model::TableSharding;

// torchrec/distributed/planner/constants.py: bytes a second of memory and between nodes, backward over
// forward, and the narrowest share of columns.
constexpr double kMemoryRate = 897.0 * (1 << 30);
constexpr double kNetworkRate = 12.5 * (1 << 30);
constexpr double kBackward = 2;
constexpr std::int64_t kLeastColumns = 128;

// A way to shard one table: seconds and bytes of each of its shards.
struct GreedyOption {
  TableSharding sharding = TableSharding::table_wise;
  int shards = 1;  // that may be anywhere; 0: one on every node
  double seconds = 0;
  Bytes memory;
};

class GreedyPlanner {
 public:
  explicit GreedyPlanner(const GreedyProblem& problem) : problem_(problem) {
    for (const EmbeddingTable& table : problem.tables) options_.push_back(options_of(table));
  }

  // The best of what three proposers propose: by the slowest shard, by the sum of the shards, all alike.
  std::optional<model::TablePlan> plan() {
    propose_by([](const GreedyOption& option) { return option.seconds; });
    propose_by([&](const GreedyOption& option) {
      return option.seconds * (option.shards == 0 ? problem_.nodes : option.shards);
    });
    propose_alike();
    return best_;
  }

 private:
  // Each costs a look at all nodes for all tables.
  static constexpr std::int64_t kMostLooks = 200'000'000;
  std::int64_t most_proposals() const {
    const std::int64_t looks = std::ssize(options_) * problem_.nodes;
    return std::clamp<std::int64_t>(kMostLooks / std::max<std::int64_t>(looks, 1), 10, 10'000);
  }

  double nodes() const { return problem_.nodes; }

  // The best way for each table; then, step by step, the largest table that has another way takes it.
  template <class Score>
  void propose_by(Score score) {
    for (auto& options : options_) std::ranges::stable_sort(options, {}, score);
    chosen_.assign(options_.size(), 0);
    for (std::int64_t proposals = most_proposals(); proposals > 0; --proposals) {
      rate();
      if (!propose_next()) break;
    }
  }

  void propose_alike() {
    for (const TableSharding sharding : {TableSharding::table_wise, TableSharding::column_wise,
                                         TableSharding::row_wise, TableSharding::data_parallel}) {
      bool possible = true;
      for (std::size_t t = 0; t < options_.size(); ++t) {
        const auto found = std::ranges::find(options_[t], sharding, &GreedyOption::sharding);
        possible = possible && found != options_[t].end();
        if (possible) chosen_[t] = static_cast<std::size_t>(found - options_[t].begin());
      }
      if (possible) rate();
    }
  }

  void rate() {
    double seconds = 0;
    auto plan = partition(seconds);
    if (!plan || (best_ && seconds >= best_seconds_)) return;
    best_ = std::move(plan);
    best_seconds_ = seconds;
  }

  std::vector<GreedyOption> options_of(const EmbeddingTable& table) const {
    const auto samples = static_cast<double>(problem_.samples);
    const auto row = static_cast<double>(table.row().count());
    const double all_pooled = samples * nodes() * row;
    const double all_read = all_pooled * table.bag;
    const auto rated = [&](double read, double sent_forward, double sent_backward) {
      return (1 + kBackward) * read / kMemoryRate + (sent_forward + sent_backward) / kNetworkRate;
    };
    std::vector<GreedyOption> options;
    options.push_back(
        {TableSharding::table_wise, 1, rated(all_read, all_pooled, all_pooled), table.memory()});
    if (table.columns >= 2 * kLeastColumns) {
      const auto shards =
          static_cast<int>(std::min<std::int64_t>(table.columns / kLeastColumns, problem_.nodes));
      if (shards > 1) {
        options.push_back({TableSharding::column_wise, shards,
                           rated(all_read / shards, all_pooled / shards, all_pooled / shards),
                           table.memory(table.rows, (table.columns + shards - 1) / shards)});
      }
    }
    const std::int64_t rows = (table.rows + problem_.nodes - 1) / problem_.nodes;
    options.push_back({TableSharding::row_wise, 0, rated(all_read / nodes(), all_pooled, all_pooled),
                       table.memory(rows, table.columns)});
    const double sums = 2 * (nodes() - 1) / nodes() * static_cast<double>(table.size().count());
    options.push_back({TableSharding::data_parallel, 0, rated(all_read / nodes(), 0, sums), table.memory()});
    return options;
  }

  const GreedyOption& option(std::size_t table) const { return options_[table][chosen_[table]]; }

  bool propose_next() {
    std::optional<std::size_t> largest;
    for (std::size_t t = 0; t < options_.size(); ++t) {
      if (chosen_[t] + 1 >= options_[t].size()) continue;
      if (!largest || option(t).memory > option(*largest).memory) largest = t;
    }
    if (!largest) return false;
    ++chosen_[*largest];
    return true;
  }

  // Those on every node first, then the slowest shard to the node that has least to do and room for it.
  std::optional<model::TablePlan> partition(double& seconds) const {
    std::vector<double> busy(static_cast<std::size_t>(problem_.nodes));
    std::vector<Bytes> used(busy.size());
    model::TablePlan plan(options_.size());
    std::vector<std::size_t> order(options_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t t) {
      return option(t).shards == 0 ? 1e300 : option(t).seconds;
    });
    for (const std::size_t t : order) {
      if (!place(option(t), plan[t], busy, used)) return std::nullopt;
    }
    seconds = std::ranges::max(busy);
    return plan;
  }

  bool place(const GreedyOption& option, TablePlace& place, std::vector<double>& busy,
             std::vector<Bytes>& used) const {
    place.sharding = option.sharding;
    if (option.shards == 0) {
      for (std::size_t node = 0; node < busy.size(); ++node) {
        busy[node] += option.seconds;
        used[node] += option.memory;
        if (used[node] > problem_.memory) return false;
      }
      return true;
    }
    for (int shard = 0; shard < option.shards; ++shard) {
      std::optional<std::size_t> least;
      for (std::size_t node = 0; node < busy.size(); ++node) {
        if (used[node] + option.memory > problem_.memory) continue;
        if (!least || busy[node] < busy[*least]) least = node;
      }
      if (!least) return false;
      busy[*least] += option.seconds;
      used[*least] += option.memory;
      place.nodes.push_back(static_cast<int>(*least));
    }
    return true;
  }

  const GreedyProblem& problem_;
  std::vector<std::vector<GreedyOption>> options_;  // of every table, best first
  std::vector<std::size_t> chosen_;
  std::optional<model::TablePlan> best_;
  double best_seconds_ = 0;
};

}  // namespace

std::optional<model::TablePlan> greedy_plan(const GreedyProblem& problem) {
  return GreedyPlanner(problem).plan();
}

}  // namespace overture::study
