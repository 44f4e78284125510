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
        of(TaskId{i})->exposed += waits[graph_.collective_number(TaskId{i})];
    }
  }

  // What is still under way when the loop has ended is waited for, but only the first of layer 0's weight
  // gradients is charged for it.
  void charge_end() {
    Time loop_ended = began_;
    Time first = Time::max();
    for (std::uint32_t i = 0; i < graph_.size(); ++i) {
      if (graph_.kind(TaskId{i}) != TaskKind::collective) loop_ended = std::max(loop_ended, timeline_.end[i]);
    }
    for (std::uint32_t i = 0; i < graph_.size(); ++i) {
      const TaskId id{i};
      if (graph_.kind(id) != TaskKind::collective || stats(id).chunks == 0) continue;
      const bool charged = label(id).layer_number == 0 && label(id).pass == PassKind::weight_gradient;
      if (charged && end(id) > loop_ended) first = std::min(first, end(id));
    }
    if (first != Time::max()) accounts_.front().of(PassKind::weight_gradient).exposed += first - loop_ended;
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
