// What a training loop is written against: computing a pass of a layer, issuing its collective, waiting for
// it. Keeps the account per layer: computed, communicated, and waited for.
#pragma once

#include <array>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "overture/system/system.h"
#include "overture/workload/loop.h"
#include "overture/workload/workload.h"

namespace overture::workload {

enum class PassKind : std::uint8_t { forward, input_gradient, weight_gradient };
constexpr std::size_t kPassKinds = 3;

constexpr std::string_view name(PassKind kind) {
  switch (kind) {
    case PassKind::forward: return "forward";
    case PassKind::input_gradient: return "input gradient";
    case PassKind::weight_gradient: return "weight gradient";
  }
  return "?";
}

const Pass& pass_of(const Layer& layer, PassKind kind);

// One pass of one layer, over all iterations.
struct PassAccount {
  Duration compute{};
  Duration communication{};  // from issue to completion, update delay included, summed over collectives
  Duration exposed{};        // of that, what the loop waited for
};

struct LayerAccount {
  std::array<PassAccount, kPassKinds> passes;
  int collectives = 0;
  // Sums over the layer's collectives of their means over chunks; see system::CollectiveStats.
  std::vector<double> queueing_ns;
  std::vector<double> network_ns;

  const PassAccount& of(PassKind kind) const { return passes[static_cast<std::size_t>(kind)]; }
  PassAccount& of(PassKind kind) { return passes[static_cast<std::size_t>(kind)]; }
};

// What happened, for traces.
struct ComputeEvent {
  int layer;
  PassKind kind;
  int pass;  // iteration
  Time start;
  Duration length;
};
struct CollectiveEvent {
  int layer;
  PassKind kind;
  int pass;
  system::CollectiveId id;
  Communication communication;
  Time issued;
  Time finished;  // update delay included
};
struct TrainerObservers {
  std::function<void(const ComputeEvent&)> computed;
  std::function<void(const CollectiveEvent&)> communicated;
};

class Trainer {
 public:
  struct Options {
    int passes = 1;
    Duration step{};  // what every step of the loop costs on top; ASTRA-sim: one cycle
  };

  // `workload` and `system` outlive the trainer.
  Trainer(const Workload& workload, Options options, system::System& system, TrainerObservers observers = {});
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  // Starts the loop. The rest happens as the event queue runs.
  void start();
  // When the loop had ended and every collective was complete; nothing while the run is under way.
  std::optional<Time> finished_at() const { return finished_at_; }
  const std::vector<LayerAccount>& accounts() const { return accounts_; }
  // What the loop waits for, for a deadlock report.
  std::string waiting_for() const;

  // For the loops.
  const Workload& workload() const { return workload_; }
  int layers() const { return static_cast<int>(workload_.layers.size()); }
  int passes() const { return options_.passes; }
  system::SchedulingPolicy policy() const { return policy_; }
  void set_policy(system::SchedulingPolicy policy) { policy_ = policy; }

  struct Wait;
  Wait compute(int layer, PassKind kind);
  Wait step();
  // Until the layer has no collective of this kind outstanding.
  Wait finished(int layer, PassKind kind);
  Wait issue_and_wait(int layer, PassKind kind, system::SchedulingPolicy policy);
  // Goes on at once. Returns whether there was anything to issue.
  bool issue(int layer, PassKind kind, system::SchedulingPolicy policy);
  void pass_done() { ++pass_; }

 private:
  struct Outstanding {
    int layer;
    PassKind kind;
    int pass;
    Time issued;
    bool blocking;
    int chunks = 0;
  };
  struct Waiting {
    int layer;
    PassKind kind;
    Time since;
  };

  void resume();
  void sleep(Duration duration);
  void begin_wait(int layer, PassKind kind);
  std::optional<system::CollectiveId> issue(int layer, PassKind kind, system::SchedulingPolicy policy,
                                            bool blocking);
  int outstanding(int layer, PassKind kind) const;
  void complete(system::CollectiveId id, const system::CollectiveStats& stats);
  void settle(system::CollectiveId id);
  void loop_ended();
  void finish_if_done();
  Time now() const { return system_.clock().now(); }

  const Workload& workload_;
  Options options_;
  system::System& system_;
  TrainerObservers observers_;
  system::SchedulingPolicy policy_ = system::SchedulingPolicy::lifo;
  std::vector<LayerAccount> accounts_;
  std::map<system::CollectiveId, Outstanding> outstanding_;
  std::vector<std::array<int, kPassKinds>> outstanding_count_;
  std::optional<Waiting> waiting_;
  Loop loop_;
  int pass_ = 0;
  bool loop_done_ = false;
  std::int64_t chunks_finished_ = 0;
  std::optional<Time> finished_at_;
};

// What co_await takes: go on at once, or be resumed later by the trainer.
struct Trainer::Wait {
  bool ready;
  bool await_ready() const noexcept { return ready; }
  void await_suspend(std::coroutine_handle<>) const noexcept {}
  void await_resume() const noexcept {}
};

// Which logical dimensions the collective of a pass spans.
system::DimensionMask dimensions_of(const Workload& workload, int layer, PassKind kind,
                                    const system::LogicalDimensions& logical);

}  // namespace overture::workload
