#include "overture/simulation/layer_account.h"

#include <algorithm>

namespace overture::simulation {
namespace {

using workload::Label;
using workload::PassKind;
using workload::TaskGraph;
using workload::TaskId;
using workload::TaskKind;

void add(std::vector<double>& sums, const std::vector<double>& values) {
  sums.resize(std::max(sums.size(), values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) sums[i] += values[i];
}

// When the ranks began.
Time beginning(const Timeline& timeline) {
  return timeline.start.empty() ? Time{} : *std::ranges::min_element(timeline.start);
}

class Accountant {
 public:
  Accountant(const TaskGraph& graph, const Timeline& timeline) : graph_(graph), timeline_(timeline) {
    int layers = 0;
    for (const Label& label : graph.labels()) layers = std::max(layers, label.layer_number + 1);
    accounts_.resize(static_cast<std::size_t>(layers));
    began_ = beginning(timeline);
  }

  std::vector<LayerAccount> account() {
    for (std::uint32_t i = 0; i < graph_.size(); ++i) {
      if (graph_.kind(TaskId{i}) == TaskKind::compute)
        of(TaskId{i})->compute += graph_.compute(TaskId{i}).duration;
      if (graph_.kind(TaskId{i}) == TaskKind::collective) add_collective(TaskId{i});
    }
    charge_waits();
    charge_end();
    return std::move(accounts_);
  }

 private:
  const Label& label(TaskId id) const { return graph_.labels()[static_cast<std::size_t>(graph_.label(id))]; }
  LayerAccount& layer(TaskId id) { return accounts_[static_cast<std::size_t>(label(id).layer_number)]; }
  PassAccount* of(TaskId id) { return &layer(id).of(label(id).pass); }
  Time end(TaskId id) const { return timeline_.end[index(id)]; }

  const system::CollectiveStats& stats(TaskId id) const {
    return timeline_.collectives[graph_.collective_number(id)];
  }

  void add_collective(TaskId id) {
    if (stats(id).chunks == 0) return;
    LayerAccount& account = layer(id);
    ++account.collectives;
    add(account.queueing_ns, stats(id).queueing_ns);
    add(account.network_ns, stats(id).network_ns);
    of(id)->communication += end(id) - timeline_.start[index(id)];
  }

  void charge_waits() {
    const std::vector<Duration> waits = collective_waits(graph_, timeline_);
    for (std::uint32_t i = 0; i < graph_.size(); ++i) {
      if (graph_.kind(TaskId{i}) == TaskKind::collective)
        charge(TaskId{i}, waits[graph_.collective_number(TaskId{i})]);
    }
  }

  void charge(TaskId id, Duration wait) {
    of(id)->exposed += wait;
    of(id)->waited += wait;
  }

  Time loop_ended() const {
    Time ended = began_;
    for (std::uint32_t i = 0; i < graph_.size(); ++i) {
      if (graph_.kind(TaskId{i}) != TaskKind::collective) ended = std::max(ended, timeline_.end[i]);
    }
    return ended;
  }

  // What is still under way when the loop has ended, in the order in which it ends.
  std::vector<TaskId> left_over(Time loop_ended) const {
    std::vector<TaskId> left;
    for (std::uint32_t i = 0; i < graph_.size(); ++i) {
      const TaskId id{i};
      if (graph_.kind(id) == TaskKind::collective && stats(id).chunks > 0 && end(id) > loop_ended)
        left.push_back(id);
    }
    std::ranges::stable_sort(left, {}, [&](TaskId id) { return end(id); });
    return left;
  }

  // It is waited for: from one's end to the next one's. ASTRA-sim charges only the first of layer 0's weight
  // gradients, from the loop's end.
  void charge_end() {
    const Time ended = loop_ended();
    Time since = ended;
    bool charged = false;
    for (const TaskId id : left_over(ended)) {
      of(id)->waited += end(id) - since;
      since = end(id);
      if (charged || label(id).layer_number != 0 || label(id).pass != PassKind::weight_gradient) continue;
      of(id)->exposed += end(id) - ended;
      charged = true;
    }
  }

  const TaskGraph& graph_;
  const Timeline& timeline_;
  Time began_{};  // when the ranks did
  std::vector<LayerAccount> accounts_;
};

}  // namespace

// The loop is a chain of computations and steps. Each also waits for collectives, one after the other in the
// order of the program: what comes in while an earlier one is waited for costs nothing.
std::vector<Duration> collective_waits(const TaskGraph& graph, const Timeline& timeline) {
  std::vector<Duration> waits(graph.collectives().size());
  // Of every link of the chain: when what it still waits for began to count.
  std::vector<Time> since(graph.size(), beginning(timeline));
  for (const TaskGraph::Edge& edge : graph.edges()) {
    if (graph.kind(edge.after) == TaskKind::collective) continue;
    Time& waited = since[index(edge.after)];
    const Time end = timeline.end[index(edge.before)];
    if (end <= waited) continue;
    if (graph.kind(edge.before) == TaskKind::collective)
      waits[graph.collective_number(edge.before)] += end - waited;
    waited = end;
  }
  return waits;
}

std::vector<LayerAccount> layer_accounts(const TaskGraph& graph, const Timeline& timeline) {
  return Accountant(graph, timeline).account();
}

}  // namespace overture::simulation
