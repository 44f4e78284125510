#include "overture/workload/trainer.h"

#include <algorithm>

#include <fmt/format.h>

#include "overture/base/check.h"
#include "overture/workload/training_loop.h"

namespace overture::workload {

using system::CollectiveId;
using system::CollectiveStats;
using system::SchedulingPolicy;

const Pass& pass_of(const Layer& layer, PassKind kind) {
  switch (kind) {
    case PassKind::forward: return layer.forward;
    case PassKind::input_gradient: return layer.input_gradient;
    case PassKind::weight_gradient: return layer.weight_gradient;
  }
  return layer.forward;
}

Trainer::Trainer(const Workload& workload, Options options, system::System& system,
                 TrainerObservers observers)
    : workload_(workload),
      options_(options),
      system_(system),
      observers_(std::move(observers)),
      accounts_(workload.layers.size()),
      outstanding_count_(workload.layers.size()) {
  system_.on_finished([this](CollectiveId id, const CollectiveStats& stats) { complete(id, stats); });
}

void Trainer::start() {
  loop_ = training_loop(*this);
  resume();
}

void Trainer::resume() {
  loop_.resume();
  if (loop_.done()) loop_ended();
}

void Trainer::sleep(Duration duration) {
  system_.clock().after(duration, [this] { resume(); });
}

Trainer::Wait Trainer::compute(int layer, PassKind kind) {
  const Duration length = pass_of(workload_.layers[static_cast<std::size_t>(layer)], kind).compute;
  accounts_[static_cast<std::size_t>(layer)].of(kind).compute += length;
  if (length == Duration{}) return {.ready = true};
  if (observers_.computed) observers_.computed({layer, kind, pass_, now(), length});
  sleep(length);
  return {.ready = false};
}

Trainer::Wait Trainer::step() {
  sleep(options_.step);
  return {.ready = false};
}

Trainer::Wait Trainer::finished(int layer, PassKind kind) {
  if (outstanding(layer, kind) == 0) return {.ready = true};
  begin_wait(layer, kind);
  return {.ready = false};
}

Trainer::Wait Trainer::issue_and_wait(int layer, PassKind kind, SchedulingPolicy policy) {
  return {.ready = !issue(layer, kind, policy, true).has_value()};
}

bool Trainer::issue(int layer, PassKind kind, SchedulingPolicy policy) {
  return issue(layer, kind, policy, false).has_value();
}

std::optional<CollectiveId> Trainer::issue(int layer, PassKind kind, SchedulingPolicy policy, bool blocking) {
  const auto& communication = pass_of(workload_.layers[static_cast<std::size_t>(layer)], kind).communication;
  if (!communication) return std::nullopt;
  const auto id = system_.issue({.kind = communication->kind,
                                 .size = communication->size,
                                 .dimensions = dimensions_of(workload_, layer, kind, system_.logical()),
                                 .policy = policy});
  if (!id) return std::nullopt;
  outstanding_.emplace(*id, Outstanding{layer, kind, pass_, now(), blocking});
  ++outstanding_count_[static_cast<std::size_t>(layer)][static_cast<std::size_t>(kind)];
  return id;
}

int Trainer::outstanding(int layer, PassKind kind) const {
  return outstanding_count_[static_cast<std::size_t>(layer)][static_cast<std::size_t>(kind)];
}

void Trainer::begin_wait(int layer, PassKind kind) { waiting_ = Waiting{layer, kind, now()}; }

// All chunks are through; the layer regards it as finished after its update delay.
void Trainer::complete(CollectiveId id, const CollectiveStats& stats) {
  Outstanding& collective = outstanding_.at(id);
  collective.chunks = stats.chunks;
  LayerAccount& account = accounts_[static_cast<std::size_t>(collective.layer)];
  ++account.collectives;
  const auto add = [](std::vector<double>& sums, const std::vector<double>& values) {
    sums.resize(std::max(sums.size(), values.size()));
    for (std::size_t i = 0; i < values.size(); ++i) sums[i] += values[i];
  };
  add(account.queueing_ns, stats.queueing_ns);
  add(account.network_ns, stats.network_ns);
  const Duration update = workload_.layers[static_cast<std::size_t>(collective.layer)].update;
  system_.clock().after(update, [this, id] { settle(id); });
}

void Trainer::settle(CollectiveId id) {
  const Outstanding collective = outstanding_.at(id);
  outstanding_.erase(id);
  const int left = --outstanding_count_[static_cast<std::size_t>(collective.layer)]
                                       [static_cast<std::size_t>(collective.kind)];
  PassAccount& account = accounts_[static_cast<std::size_t>(collective.layer)].of(collective.kind);
  const Duration took = now() - collective.issued;
  account.communication += took;
  if (observers_.communicated) {
    const auto& pass = pass_of(workload_.layers[static_cast<std::size_t>(collective.layer)], collective.kind);
    observers_.communicated({collective.layer, collective.kind, collective.pass, id, *pass.communication,
                             collective.issued, now()});
  }
  if (collective.blocking) {
    account.exposed += took;
    resume();
  } else if (waiting_ && waiting_->layer == collective.layer && waiting_->kind == collective.kind) {
    account.exposed += now() - waiting_->since;
    waiting_->since = now();
    // After the end of the loop only the first completion is charged, as in the original.
    if (left == 0 || loop_done_) waiting_.reset();
    if (left == 0 && !loop_done_) resume();
  }
  chunks_finished_ += collective.chunks;
  finish_if_done();
}

void Trainer::loop_ended() {
  loop_done_ = true;
  // What is still under way is waited for; only layer 0's weight gradient is charged for it.
  if (outstanding(0, PassKind::weight_gradient) > 0) begin_wait(0, PassKind::weight_gradient);
  finish_if_done();
}

void Trainer::finish_if_done() {
  if (loop_done_ && !finished_at_ && chunks_finished_ == system_.chunks_created()) finished_at_ = now();
}

std::string Trainer::waiting_for() const {
  if (loop_done_) return "the training loop has ended and waits for collectives that are under way";
  const auto layer_name = [this](int layer) {
    return workload_.layers[static_cast<std::size_t>(layer)].name;
  };
  for (const auto& [id, collective] : outstanding_) {
    if (collective.blocking) {
      return fmt::format("the training loop waits for the {} collective of layer {}", name(collective.kind),
                         layer_name(collective.layer));
    }
  }
  if (waiting_) {
    return fmt::format("the training loop waits for the {} collective of layer {}", name(waiting_->kind),
                       layer_name(waiting_->layer));
  }
  return "the training loop computes";
}

system::DimensionMask dimensions_of(const Workload& workload, int layer, PassKind kind,
                                    const system::LogicalDimensions& logical) {
  const auto count = static_cast<std::size_t>(logical.count());
  const system::DimensionMask all(count, true);
  const system::DimensionMask none(count, false);
  const bool weights = kind == PassKind::weight_gradient;
  const auto first = [&](int n) {
    system::DimensionMask mask(count, false);
    std::fill_n(mask.begin(), std::min<std::size_t>(static_cast<std::size_t>(n), count), true);
    return mask;
  };
  const auto rest = [&](int n) {
    system::DimensionMask mask = first(n);
    mask.flip();
    return mask;
  };
  const Parallelism parallelism = workload.parallelism == Parallelism::hybrid_customized
                                      ? workload.layers[static_cast<std::size_t>(layer)].parallelism
                                      : workload.parallelism;
  switch (parallelism) {
    case Parallelism::micro:
    case Parallelism::data: return weights ? all : none;
    case Parallelism::model:
    case Parallelism::distributed_inference: return weights ? none : all;
    case Parallelism::hybrid_data_model: return weights ? rest(1) : first(1);
    case Parallelism::hybrid_model_data: return weights ? first(1) : rest(1);
    case Parallelism::hybrid_transformer:
    case Parallelism::hybrid_transformer_fwd_in_bckwd:
      return weights ? rest(logical.model_dimensions) : first(logical.model_dimensions);
    case Parallelism::hybrid_dlrm:
    case Parallelism::hybrid_dlrm_enhanced: return weights || layer == 0 ? all : none;
    case Parallelism::hybrid_customized: break;
  }
  return none;
}

}  // namespace overture::workload
