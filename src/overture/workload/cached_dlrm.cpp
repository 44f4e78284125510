#include "overture/workload/cached_dlrm.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "overture/base/check.h"

namespace overture::workload {
namespace {

using lookahead::kMessageHeader;
using lookahead::RowLoad;
using lookahead::StepTraffic;
using TrafficRound = lookahead::Round;

constexpr Bytes kHeaderOfMessage{kMessageHeader};

class CachedBuilder {
 public:
  explicit CachedBuilder(const CachedTraining& cached)
      : cached_(cached),
        layers_(cached.layers),
        exact_(cached.messages == RowMessages::exact),
        graph_(cached.ranks),
        trainers_(static_cast<int>(cached.trainers.size())),
        servers_(static_cast<int>(cached.servers.size())),
        everywhere_(std::ssize(cached.trainers) == cached.ranks),
        all_(everywhere_ ? graph_.add_group_of_all() : graph_.add_group(cached.trainers)),
        reduced_(layers_.layers.size()) {
    check(!cached.steps.empty() && trainers_ >= 1 && servers_ >= 1,
          "a cached training has steps and parties");
  }

  TaskGraph build() {
    for (std::size_t i = 0; i < cached_.steps.size(); ++i) add_step(i);
    return std::move(graph_);
  }

 private:
  // One task for every actor: a trainer each, or one for all of them.
  using Parts = std::vector<TaskId>;

  int actors() const { return exact_ ? trainers_ : 1; }
  Rank rank_of(int actor) const {
    return exact_ ? cached_.trainers[static_cast<std::size_t>(actor)] : kEveryone;
  }

  LabelId label(const std::string& name) { return graph_.add_label(name); }

  TaskId junction(const std::vector<TaskId>& before, LabelId label) {
    return graph_.add(PauseTask{}, label, before);
  }

  void add_step(std::size_t number) {
    const StepTraffic& step = cached_.steps[number];
    graph_.begin_iteration();
    const Parts began = begin(number, step);
    if (step.clean_up) move_rows(step, began);
    const Parts waited = wait_for_rows(step.batch, began);
    forward(waited);
    ends_.push_back(backward(step));
    late_.push_back(trainers_ > 1 ? share_rows(step, TrafficRound::late, ends_.back()) : ends_.back());
  }

  // After the step before, the late rows of the one before that, and the order.
  Parts begin(std::size_t number, const StepTraffic& step) {
    const LabelId name = label(fmt::format("begin {}", number));
    Parts parts;
    for (int actor = 0; actor < actors(); ++actor) {
      const auto a = static_cast<std::size_t>(actor);
      std::vector<TaskId> before;
      if (number >= 1) before.push_back(ends_[number - 1][a]);
      if (number >= 2) before.push_back(late_[number - 2][a]);
      parts.push_back(junction(before, name));
    }
    if (cached_.orders) order(number, step, parts);
    return parts;
  }

  void order(std::size_t number, const StepTraffic& step, const Parts& begin) {
    std::vector<TaskId> before;
    if (number >= lookahead::kStepsUnderWay) before = ends_[number - lookahead::kStepsUnderWay];
    const TaskId planned = junction(before, label("plan"));
    const LabelId name = label("order");
    std::vector<Bytes> sizes;
    for (int t = 0; t < trainers_; ++t) sizes.push_back(step.order_message(t));
    const Bytes even = even_message(sizes, 1, trainers_);
    for (int t = 0; t < trainers_; ++t) {
      const Bytes size = exact_ ? sizes[static_cast<std::size_t>(t)] + kHeaderOfMessage : even;
      const TaskId message =
          send(cached_.oracle, cached_.trainers[static_cast<std::size_t>(t)], size, planned, name);
      graph_.depend(message, begin[static_cast<std::size_t>(exact_ ? t : 0)]);
    }
  }

  TaskId send(Rank from, Rank to, Bytes size, TaskId after, LabelId name) {
    return graph_.add(MessageTask{.from = from, .to = to, .size = size}, name, {after});
  }

  // What leaves the cache is stored before a server answers.
  void move_rows(const StepTraffic& step, const Parts& begin) {
    if (exact_) {
      move_rows_exactly(step, begin);
    } else {
      move_rows_evenly(step, begin.front());
    }
  }

  void move_rows_exactly(const StepTraffic& step, const Parts& begin) {
    const LabelId store = label("store");
    const LabelId fetch = label("fetch");
    const LabelId rows = label("rows");
    for (int s = 0; s < servers_; ++s) {
      const Rank server = cached_.servers[static_cast<std::size_t>(s)];
      std::vector<TaskId> stored;
      for (int t = 0; t < trainers_; ++t) {
        stored.push_back(send(trainer(t), server, step.store_message(t, s) + kHeaderOfMessage,
                              begin[static_cast<std::size_t>(t)], store));
      }
      const TaskId all_stored = junction(stored, store);
      for (const auto& [batch, loads] : step.fetches) {
        for (int t = 0; t < trainers_; ++t) {
          const RowLoad& load = loads[StepTraffic::pair(t, s, servers_)];
          if (load.rows == 0) continue;
          const TaskId asked =
              send(trainer(t), server, Bytes{lookahead::fetch_size(load.rows)} + kHeaderOfMessage,
                   begin[static_cast<std::size_t>(t)], fetch);
          const TaskId answer =
              send(server, trainer(t), Bytes{lookahead::numbers_size(load.numbers)} + kHeaderOfMessage, asked,
                   rows);
          graph_.depend(all_stored, answer);
          arrived_[batch][t].push_back(answer);
        }
      }
    }
  }

  Rank trainer(int t) const { return cached_.trainers[static_cast<std::size_t>(t)]; }

  void move_rows_evenly(const StepTraffic& step, TaskId begin) {
    std::vector<Bytes> stores;
    for (int t = 0; t < trainers_; ++t) {
      for (int s = 0; s < servers_; ++s) stores.push_back(step.store_message(t, s));
    }
    const TaskId stored =
        with_servers(even_message(stores, trainers_, servers_), Direction::to_servers, {begin}, "store");
    for (const auto& [batch, loads] : step.fetches) {
      std::vector<Bytes> asks;
      std::vector<Bytes> answers;
      for (const RowLoad& load : loads) {
        asks.push_back(Bytes{load.rows == 0 ? -kMessageHeader : lookahead::fetch_size(load.rows)});
        answers.push_back(Bytes{load.rows == 0 ? -kMessageHeader : lookahead::numbers_size(load.numbers)});
      }
      const TaskId asked =
          with_servers(even_message(asks, trainers_, servers_), Direction::to_servers, {begin}, "fetch");
      arrived_[batch][0].push_back(with_servers(even_message(answers, trainers_, servers_),
                                                Direction::to_trainers, {asked, stored}, "rows"));
    }
  }

  enum class Direction : std::uint8_t { to_servers, to_trainers };

  // A message of `size` between every trainer and every server. With a server beside every trainer that is
  // an all-to-all.
  TaskId with_servers(Bytes size, Direction direction, const std::vector<TaskId>& before,
                      const std::string& name) {
    const TaskId start = junction(before, label(name));
    if (size <= Bytes{}) return start;
    if (servers_ == trainers_ && cached_.servers == cached_.trainers) {
      return all_to_all(size, false, label(name), {start});
    }
    const LabelId message = label(name);
    std::vector<TaskId> messages;
    for (int t = 0; t < trainers_; ++t) {
      for (const Rank server : cached_.servers) {
        if (server == trainer(t)) continue;
        messages.push_back(direction == Direction::to_servers
                               ? send(trainer(t), server, size, start, message)
                               : send(server, trainer(t), size, start, message));
      }
    }
    return messages.empty() ? start : junction(messages, message);
  }

  TaskId all_to_all(Bytes each, bool urgent, LabelId name, const std::vector<TaskId>& before) {
    return graph_.add(
        CollectiveTask{.group = all_,
                       .kind = system::CollectiveKind::all_to_all,
                       .size = each * trainers_,
                       .policy = urgent ? system::SchedulingPolicy::highest : system::SchedulingPolicy::fifo},
        name, before);
  }

  Parts wait_for_rows(std::int32_t batch, const Parts& began) {
    const auto found = arrived_.find(batch);
    if (found == arrived_.end()) return began;
    const LabelId name = label("rows are here");
    Parts parts;
    for (int actor = 0; actor < actors(); ++actor) {
      std::vector<TaskId> before{began[static_cast<std::size_t>(actor)]};
      const auto messages = found->second.find(actor);
      if (messages != found->second.end())
        before.insert(before.end(), messages->second.begin(), messages->second.end());
      parts.push_back(junction(before, name));
    }
    return parts;
  }

  void compute(std::size_t layer, PassKind kind) {
    const Layer& of = layers_.layers[layer];
    const Duration length = pass_of(of, kind).compute;
    if (length == Duration{}) return;
    const LabelId name = graph_.add_label({.name = fmt::format("{} {}", of.name, workload::name(kind)),
                                           .layer = of.name,
                                           .layer_number = static_cast<int>(layer),
                                           .pass = kind});
    for (int actor = 0; actor < actors(); ++actor) {
      TaskId& last = last_[static_cast<std::size_t>(actor)];
      last = graph_.add(ComputeTask{.rank = rank_of(actor), .duration = length}, name, {last});
    }
  }

  void wait_for_weights(std::size_t layer) {
    if (!reduced_[layer]) return;
    const LabelId name = label("weights are summed");
    for (TaskId& last : last_) last = junction({last, *reduced_[layer]}, name);
    reduced_[layer].reset();
  }

  void forward(const Parts& waited) {
    last_ = waited;
    for (std::size_t i = 0; i < layers_.layers.size(); ++i) {
      wait_for_weights(i);
      compute(i, PassKind::forward);
    }
  }

  // The gradients of rows leave as soon as they are known: before those of the bottom MLP.
  Parts backward(const StepTraffic& step) {
    const auto bottom = static_cast<std::size_t>(layers_.last_bottom_layer);
    Parts shared;
    for (std::size_t i = layers_.layers.size(); i-- > 1;) {
      if (i == bottom) shared = rows_back(step);
      compute(i, PassKind::weight_gradient);
      reduce(i);
      compute(i, PassKind::input_gradient);
    }
    if (shared.empty()) shared = rows_back(step);
    const LabelId name = label("end");
    Parts ends;
    for (std::size_t a = 0; a < last_.size(); ++a) ends.push_back(junction({last_[a], shared[a]}, name));
    return ends;
  }

  Parts rows_back(const StepTraffic& step) {
    compute(0, PassKind::weight_gradient);
    return trainers_ > 1 ? share_rows(step, TrafficRound::at_once, last_) : last_;
  }

  void reduce(std::size_t layer) {
    const auto& communication = layers_.layers[layer].weight_gradient.communication;
    if (!communication || trainers_ == 1) return;
    reduced_[layer] = graph_.add(CollectiveTask{.group = all_,
                                                .kind = communication->kind,
                                                .size = communication->size,
                                                .before = communication->before},
                                 label(fmt::format("{} sum", layers_.layers[layer].name)), last_);
  }

  // Gradients to the owners of rows, then the rows to those who use them next.
  Parts share_rows(const StepTraffic& step, TrafficRound round, const Parts& before) {
    const std::string prefix = round == TrafficRound::late ? "late " : "";
    const Parts summed = exchange(prefix + "gradients", round == TrafficRound::at_once, before,
                                  [&](int from, int to) { return step.gradient_message(round, from, to); });
    return exchange(prefix + "updates", round == TrafficRound::at_once, summed,
                    [&](int from, int to) { return step.update_message(round, from, to); });
  }

  Parts exchange(const std::string& name, bool urgent, const Parts& before,
                 const std::function<Bytes(int, int)>& size) {
    const LabelId message = label(name);
    if (!exact_) {
      std::vector<Bytes> sizes;
      for (int from = 0; from < trainers_; ++from) {
        for (int to = 0; to < trainers_; ++to) sizes.push_back(size(from, to));
      }
      return {all_to_all(even_message(sizes, trainers_, trainers_, false), urgent, message, before)};
    }
    std::vector<std::vector<TaskId>> to(static_cast<std::size_t>(trainers_));
    for (int from = 0; from < trainers_; ++from) {
      // Rotated, so that no trainer is everybody's first.
      for (int j = 1; j < trainers_; ++j) {
        const int receiver = (from + j) % trainers_;
        to[static_cast<std::size_t>(receiver)].push_back(
            send(trainer(from), trainer(receiver), size(from, receiver) + kHeaderOfMessage,
                 before[static_cast<std::size_t>(from)], message));
      }
    }
    Parts parts;
    for (std::size_t t = 0; t < to.size(); ++t) {
      to[t].push_back(before[t]);
      parts.push_back(junction(to[t], message));
    }
    return parts;
  }

  const CachedTraining& cached_;
  const Workload& layers_;
  bool exact_;
  TaskGraph graph_;
  int trainers_;
  int servers_;
  bool everywhere_;                                                     // a trainer on every rank
  RankGroup all_;                                                       // trainers
  std::vector<std::optional<TaskId>> reduced_;                          // sums under way, by layer
  std::map<std::int32_t, std::map<int, std::vector<TaskId>>> arrived_;  // rows, by batch and actor
  std::vector<Parts> ends_;
  std::vector<Parts> late_;
  Parts last_;
};

}  // namespace

Bytes even_message(const std::vector<Bytes>& sizes, int senders, int receivers, bool to_itself) {
  check(std::ssize(sizes) == std::int64_t{senders} * receivers, "a size for every pair");
  std::vector<Bytes> sent(static_cast<std::size_t>(senders));
  std::vector<Bytes> received(static_cast<std::size_t>(receivers));
  for (int from = 0; from < senders; ++from) {
    for (int to = 0; to < receivers; ++to) {
      if (from == to && !to_itself) continue;
      const Bytes size = sizes[StepTraffic::pair(from, to, receivers)] + kHeaderOfMessage;
      sent[static_cast<std::size_t>(from)] += size;
      received[static_cast<std::size_t>(to)] += size;
    }
  }
  const auto share = [&](const std::vector<Bytes>& sums, int parties) {
    const int peers = to_itself ? parties : parties - 1;
    return (std::ranges::max(sums).count() + peers - 1) / peers;
  };
  return Bytes{std::max(share(sent, receivers), share(received, senders))};
}

CachedStepBytes bytes_of(const StepTraffic& step) {
  CachedStepBytes sum;
  const auto add = [](Bytes& to, Bytes payload) { to += payload + kHeaderOfMessage; };
  for (int t = 0; t < step.trainers; ++t) {
    add(sum.orders, step.order_message(t));
    for (int other = 0; other < step.trainers; ++other) {
      if (other == t) continue;
      for (const TrafficRound round : lookahead::kRounds) {
        Bytes& to = round == TrafficRound::late ? sum.late_round : sum.urgent_round;
        add(to, step.gradient_message(round, t, other));
        add(to, step.update_message(round, t, other));
      }
    }
    for (int s = 0; step.clean_up && s < step.servers; ++s) add(sum.stores, step.store_message(t, s));
  }
  for (const auto& [batch, loads] : step.fetches) {
    for (const RowLoad& load : loads) {
      if (load.rows == 0) continue;
      add(sum.fetches, Bytes{lookahead::fetch_size(load.rows)});
      add(sum.fetches, Bytes{lookahead::numbers_size(load.numbers)});
    }
  }
  return sum;
}

TaskGraph cached_dlrm_tasks(const CachedTraining& cached) { return CachedBuilder(cached).build(); }

}  // namespace overture::workload
