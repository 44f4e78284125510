#include "overture/workload/trained_run.h"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "overture/base/check.h"
#include "overture/base/error.h"

namespace overture::workload {
namespace {

using lookahead::StepTraffic;
constexpr Bytes kHeaderOfTrained{lookahead::kMessageHeader};
constexpr Bytes kFinishedMessage{160};  // a StepAccount with a few spans

class TrainedBuilder {
 public:
  TrainedBuilder(const TrainedRun& run, int ranks) : run_(run), graph_(ranks) {
    check(!run.steps.empty() && run.trainers >= 1, "a run has steps and trainers");
    place(ranks);
    group_ = run.trainers == ranks ? graph_.add_group_of_all() : graph_.add_group(trainers_);
    labels_.resize(kWorks);
    for (const WorkKind& kind : work_kinds())
      labels_[static_cast<std::size_t>(kind.work)] = graph_.add_label(std::string(kind.name));
    for (const char* name : {"order", "store", "fetch", "rows", "gradients", "late gradients", "updates",
                             "late updates", "finished", "dense sum", "wait"})
      named_[name] = graph_.add_label(name);
    end_label_ = graph_.add_label(end_label());
  }

  TaskGraph build() {
    for (const TrainedStep& step : run_.steps) add(step);
    return std::move(graph_);
  }

 private:
  using Parts = std::vector<TaskId>;  // one for every trainer

  void place(int ranks) {
    const int parties = 1 + run_.trainers + run_.servers;
    if (ranks < run_.trainers) {
      throw UserError(fmt::format("{} trainers do not fit on {} ranks", run_.trainers, ranks),
                      fmt::format("take a network of {} ranks, one for each party, or at least of {}",
                                  parties, run_.trainers));
    }
    const bool apart = ranks >= parties;
    for (int t = 0; t < run_.trainers; ++t) trainers_.push_back(Rank{t});
    for (int s = 0; s < run_.servers; ++s)
      servers_.push_back(Rank{apart ? run_.trainers + s : s % run_.trainers});
    oracle_ = Rank{apart ? parties - 1 : 0};
  }

  LabelId label(Work work) const { return labels_[static_cast<std::size_t>(work)]; }
  LabelId label(const char* name) const { return named_.at(name); }

  TaskId junction(const std::vector<TaskId>& before) {
    return graph_.add(PauseTask{}, label("wait"), before);
  }
  TaskId compute(Rank rank, Duration length, LabelId name, const std::vector<TaskId>& before) {
    return graph_.add(ComputeTask{.rank = rank, .duration = length}, name, before);
  }
  TaskId send(Rank from, Rank to, Bytes payload, const char* name, TaskId after) {
    return graph_.add(MessageTask{.from = from, .to = to, .size = payload + kHeaderOfTrained}, label(name),
                      {after});
  }
  Rank trainer(int t) const { return trainers_[static_cast<std::size_t>(t)]; }
  Rank server(int s) const { return servers_[static_cast<std::size_t>(s)]; }

  void add(const TrainedStep& step) {
    graph_.begin_iteration();
    const Parts begun = begin(step);
    move_rows(step, begun);
    const Parts computed = compute_all(step, begun);
    finish(step, computed);
  }

  // The oracle looks no further than a few steps beyond what is finished.
  Parts begin(const TrainedStep& step) {
    const std::size_t number = ends_.size();
    std::vector<TaskId> before;
    if (number >= lookahead::kStepsUnderWay) before = finished_[number - lookahead::kStepsUnderWay];
    if (planned_) before.push_back(*planned_);
    const TaskId planned = compute(oracle_, step.oracle, label(Work::plan), before);
    planned_ = planned;
    Parts begun;
    for (int t = 0; t < run_.trainers; ++t) {
      const auto i = static_cast<std::size_t>(t);
      std::vector<TaskId> needs{send(oracle_, trainer(t), step.trainers[i].order, "order", planned)};
      if (number >= 1) needs.push_back(ends_[number - 1][i]);
      if (number >= 2) needs.push_back(late_[number - 2][i]);
      begun.push_back(compute(trainer(t), step.trainers[i].begin, label(Work::begin_step), needs));
    }
    return begun;
  }

  // A server answers when every trainer has stored what leaves its cache at this clean-up.
  void move_rows(const TrainedStep& step, const Parts& begun) {
    std::map<int, std::vector<TaskId>> stored;
    for (const TrainedStep::Store& store : step.stores) {
      const TaskId message = send(trainer(store.trainer), server(store.server), store.size, "store",
                                  begun[static_cast<std::size_t>(store.trainer)]);
      stored[store.server].push_back(
          compute(server(store.server), store.length, label(Work::store_rows), {message}));
    }
    std::map<int, TaskId> all_stored;
    for (const auto& [number, tasks] : stored) all_stored[number] = junction(tasks);
    for (const TrainedStep::Request& request : step.requests) add(request, begun, all_stored);
  }

  void add(const TrainedStep::Request& request, const Parts& begun, const std::map<int, TaskId>& stored) {
    std::vector<TaskId> needs{send(trainer(request.trainer), server(request.server), request.ask, "fetch",
                                   begun[static_cast<std::size_t>(request.trainer)])};
    if (const auto found = stored.find(request.server); found != stored.end()) needs.push_back(found->second);
    const TaskId served = compute(server(request.server), request.serve, label(Work::serve_rows), needs);
    const TaskId answer =
        send(server(request.server), trainer(request.trainer), request.answer, "rows", served);
    arriving_[request.trainer][request.for_batch].push_back(
        compute(trainer(request.trainer), request.take, label(Work::take_rows), {answer}));
  }

  // Rows for this batch and those before it are there.
  Parts compute_all(const TrainedStep& step, const Parts& begun) {
    Parts computed;
    for (int t = 0; t < run_.trainers; ++t) {
      const auto i = static_cast<std::size_t>(t);
      std::vector<TaskId> needs{begun[i]};
      auto& arriving = arriving_[t];
      while (!arriving.empty() && arriving.begin()->first <= step.batch) {
        needs.insert(needs.end(), arriving.begin()->second.begin(), arriving.begin()->second.end());
        arriving.erase(arriving.begin());
      }
      TaskId last = needs.size() == 1 ? needs.front() : junction(needs);
      for (const Chore& chore : step.trainers[i].chores)
        last = compute(trainer(t), chore.length, label(chore.work), {last});
      computed.push_back(last);
    }
    return computed;
  }

  void finish(const TrainedStep& step, const Parts& computed) {
    const bool many = run_.trainers > 1;
    const Parts summed = many ? sum_dense(computed) : computed;  // sent first
    const Parts shared = many ? share_rows(step, lookahead::Round::at_once, computed) : computed;
    Parts ends;
    std::vector<TaskId> told;
    for (int t = 0; t < run_.trainers; ++t) {
      const auto i = static_cast<std::size_t>(t);
      const TrainedStep::Trainer& one = step.trainers[i];
      const TaskId dense = compute(trainer(t), one.dense, label(Work::update_dense), {summed[i]});
      ends.push_back(compute(trainer(t), one.end, end_label_, {dense, shared[i]}));
      told.push_back(send(trainer(t), oracle_, kFinishedMessage, "finished", ends.back()));
    }
    finished_.push_back(std::move(told));
    late_.push_back(many ? share_rows(step, lookahead::Round::late, ends) : ends);
    ends_.push_back(std::move(ends));
  }

  Parts sum_dense(const Parts& computed) {
    const TaskId task = graph_.add(
        CollectiveTask{.group = group_, .kind = system::CollectiveKind::all_reduce, .size = run_.dense},
        label("dense sum"), computed);
    return Parts(static_cast<std::size_t>(run_.trainers), task);
  }

  // Gradients to the owners of rows, then the rows to those who use them next.
  Parts share_rows(const TrainedStep& step, lookahead::Round round, const Parts& before) {
    const auto r = static_cast<std::size_t>(round);
    const bool late = round == lookahead::Round::late;
    const auto lengths = [&](auto member) {
      std::vector<Duration> all;
      for (const TrainedStep::Trainer& one : step.trainers) all.push_back((one.*member)[r]);
      return all;
    };
    const Parts applied = exchange(step.gradients[r], late ? "late gradients" : "gradients", before,
                                   lengths(&TrainedStep::Trainer::apply),
                                   late ? Work::late_apply_gradients : Work::apply_gradients);
    return exchange(step.updates[r], late ? "late updates" : "updates", applied,
                    lengths(&TrainedStep::Trainer::take),
                    late ? Work::late_take_updates : Work::take_updates);
  }

  Parts exchange(const std::vector<Bytes>& sizes, const char* name, const Parts& before,
                 const std::vector<Duration>& lengths, Work work) {
    std::vector<std::vector<TaskId>> to(static_cast<std::size_t>(run_.trainers));
    for (int from = 0; from < run_.trainers; ++from) {
      // Rotated, so that no trainer is everybody's first.
      for (int j = 1; j < run_.trainers; ++j) {
        const int receiver = (from + j) % run_.trainers;
        to[static_cast<std::size_t>(receiver)].push_back(
            send(trainer(from), trainer(receiver), sizes[StepTraffic::pair(from, receiver, run_.trainers)],
                 name, before[static_cast<std::size_t>(from)]));
      }
    }
    Parts parts;
    for (int t = 0; t < run_.trainers; ++t) {
      const auto i = static_cast<std::size_t>(t);
      to[i].push_back(before[i]);
      parts.push_back(compute(trainer(t), lengths[i], label(work), to[i]));
    }
    return parts;
  }

  const TrainedRun& run_;
  TaskGraph graph_;
  std::vector<Rank> trainers_;
  std::vector<Rank> servers_;
  Rank oracle_{};
  RankGroup group_{};
  std::vector<LabelId> labels_;  // by work
  std::map<std::string, LabelId> named_;
  LabelId end_label_{};
  std::optional<TaskId> planned_;
  std::map<int, std::map<std::int64_t, std::vector<TaskId>>> arriving_;  // rows, by trainer and batch
  std::vector<Parts> ends_;
  std::vector<Parts> late_;
  std::vector<std::vector<TaskId>> finished_;
};

}  // namespace

std::string end_label() { return std::string(kind_of(Work::end_step).name); }

TaskGraph trained_tasks(const TrainedRun& run, int ranks) { return TrainedBuilder(run, ranks).build(); }

}  // namespace overture::workload
