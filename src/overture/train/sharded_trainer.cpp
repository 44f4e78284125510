#include "overture/train/sharded_trainer.h"

#include <cstring>
#include <utility>

#include "overture/rpc/wire.h"
#include "overture/train/checkpoint.h"
#include "overture/train/dense_state.h"

namespace overture::train {
namespace {

// What one trainer's tables are in the pooled rows of a sample, moved one way or the other.
template <class Move>
void each_piece(const std::vector<std::size_t>& tables, const std::vector<std::int64_t>& columns,
                const std::vector<std::int64_t>& dims, std::int64_t samples, std::int64_t width, Move move) {
  std::int64_t at = 0;
  for (std::int64_t sample = 0; sample < samples; ++sample) {
    for (const std::size_t t : tables) {
      move(at, sample * width + columns[t], static_cast<std::size_t>(dims[t]) * sizeof(float));
      at += dims[t];
    }
  }
}

std::int64_t columns_of(const std::vector<std::size_t>& tables, const std::vector<std::int64_t>& dims) {
  std::int64_t columns = 0;
  for (const std::size_t t : tables) columns += dims[t];
  return columns;
}

}  // namespace

ShardedTrainer::ShardedTrainer(const TrainConfig& config, int rank, std::int64_t first_step)
    : parties_(config.parties()),
      rank_(rank),
      first_step_(first_step),
      learner_(config),
      tables_(tables_by_trainer(config)),
      width_(config.tables.width()),
      shard_(config, rank, learner_.workers()),
      dense_(learner_, parties_, rank),
      inbox_(parties_, rank) {
  std::int64_t column = 0;
  for (const embedding::TableConfig& table : config.tables.tables) {
    columns_.push_back(column);
    dims_.push_back(table.dim);
    column += table.dim;
  }
}

void ShardedTrainer::take(rpc::Message message, Outbox& /*out*/) {
  switch (kind_of(message)) {
    case Kind::step:
    case Kind::predict:
    case Kind::save:
    case Kind::stop:
      rpc::require(message.from == parties_.oracle(), "only the oracle gives orders");
      orders_.push_back(std::move(message));
      break;
    case Kind::dense_gradients:
    case Kind::dense_shares: dense_.take(std::move(message)); break;
    case Kind::pooled:
    case Kind::pooled_gradients: inbox_.take(std::move(message)); break;
    default: throw rpc::BadMessage("a trainer that holds tables does not take this kind of message");
  }
}

bool ShardedTrainer::advance(Outbox& out) {
  switch (stage_) {
    case Stage::idle: return next_order(out);
    case Stage::pooled: return compute(out);
    case Stage::gradients: return dense_.advance(out) || take_gradients() || finish_step(out);
  }
  return false;
}

bool ShardedTrainer::next_order(Outbox& out) {
  if (orders_.empty() || done_) return false;
  under_way_ = std::move(orders_.front());
  orders_.pop_front();
  switch (kind_of(under_way_)) {
    case Kind::stop: done_ = true; return true;
    case Kind::save: save(out); return true;
    default: begin_step(out); return true;
  }
}

StepPart ShardedTrainer::part() const {
  StepPart part;
  part.head = order_.head;
  part.labels = order_.labels;
  part.dense = order_.dense;
  return part;
}

// What is to be predicted is one trainer's; the others only send it what it needs.
void ShardedTrainer::begin_step(Outbox& out) {
  order_ =
      decode_shard(under_way_.payload, tables_[static_cast<std::size_t>(rank_)].size(), parties_.trainers);
  rpc::require(order_.samples_of(rank_) == order_.head.samples, "samples of another trainer");
  const bool predicts = order_.head.purpose == Purpose::predict;
  if (predicts) {
    paused_ = true;
  } else if (std::exchange(paused_, false)) {
    account_.forget_times();
  }
  shard_.look_up(order_);
  for (int peer = 0; peer < parties_.trainers; ++peer) {
    if (predicts && order_.samples_of(peer) == 0) continue;
    rpc::Buffer payload;
    rpc::WireWriter(payload).put(shard_.pooled(peer));
    inbox_.send(peer, Kind::pooled, under_way_.step, std::move(payload), out);
  }
  if (!predicts || order_.head.samples > 0) stage_ = Stage::pooled;
}

bool ShardedTrainer::compute(Outbox& out) {
  const std::vector<rpc::Message> received = inbox_.from_all(Kind::pooled, under_way_.step);
  if (received.empty()) return false;
  assemble(received);
  if (order_.head.purpose == Purpose::predict) {
    rpc::Message message = make_message(Kind::predictions, parties_.oracle(), under_way_.step);
    rpc::WireWriter(message.payload).put(learner_.predict(part(), pooled_));
    out.push_back(std::move(message));
    stage_ = Stage::idle;
    return true;
  }
  account_.report.loss = learner_.learn(part(), pooled_, first_step_ + order_.head.batch);
  dense_.begin(order_.head.batch, first_step_ + order_.head.batch, out);
  send_gradients(out);
  stage_ = Stage::gradients;
  return true;
}

void ShardedTrainer::assemble(const std::vector<rpc::Message>& received) {
  const std::int64_t samples = order_.head.samples;
  pooled_.resize(static_cast<std::size_t>(samples * width_));
  for (int peer = 0; peer < parties_.trainers; ++peer) {
    const auto& tables = tables_[static_cast<std::size_t>(peer)];
    const rpc::Message& message = received[static_cast<std::size_t>(peer)];
    const auto numbers = rpc::WireReader(message.payload).array<float>();
    rpc::require(std::ssize(numbers) == samples * columns_of(tables, dims_), "pooled rows of another size");
    each_piece(tables, columns_, dims_, samples, width_,
               [&](std::int64_t from, std::int64_t to, std::size_t bytes) {
                 std::memcpy(pooled_.data() + to, numbers.data() + from, bytes);
               });
    if (peer == rank_ || order_.head.purpose == Purpose::predict) continue;
    account_.report.rows_fetched += samples * std::ssize(tables);
    account_.report.bytes_fetched += static_cast<std::int64_t>(message.payload.size());
  }
}

void ShardedTrainer::send_gradients(Outbox& out) {
  const std::int64_t samples = order_.head.samples;
  const std::span<const float> gradients = learner_.pooled_gradients();
  for (int peer = 0; peer < parties_.trainers; ++peer) {
    const auto& tables = tables_[static_cast<std::size_t>(peer)];
    rpc::Buffer payload;
    rpc::WireWriter writer(payload);
    float* const numbers = writer.room<float>(static_cast<std::size_t>(samples * columns_of(tables, dims_)));
    each_piece(tables, columns_, dims_, samples, width_,
               [&](std::int64_t to, std::int64_t from, std::size_t bytes) {
                 std::memcpy(numbers + to, gradients.data() + from, bytes);
               });
    if (peer != rank_) {
      account_.report.rows_stored += samples * std::ssize(tables);
      account_.report.bytes_stored += static_cast<std::int64_t>(payload.size());
    }
    inbox_.send(peer, Kind::pooled_gradients, order_.head.batch, std::move(payload), out);
  }
}

bool ShardedTrainer::take_gradients() {
  const std::vector<rpc::Message> received = inbox_.from_all(Kind::pooled_gradients, order_.head.batch);
  if (received.empty()) return false;
  for (int peer = 0; peer < parties_.trainers; ++peer) {
    const auto numbers = rpc::WireReader(received[static_cast<std::size_t>(peer)].payload).array<float>();
    rpc::require(std::ssize(numbers) == order_.samples_of(peer) * shard_.width(),
                 "gradients of pooled rows are of another size");
    shard_.take_gradients(peer, numbers);
  }
  shard_.update(first_step_ + order_.head.batch);
  rows_done_ = true;
  return true;
}

bool ShardedTrainer::finish_step(Outbox& out) {
  if (!dense_.done() || !rows_done_) return false;
  rpc::Message message = make_message(Kind::finished, parties_.oracle(), order_.head.batch);
  account_.put(message.payload);
  out.push_back(std::move(message));
  account_ = {};
  rows_done_ = false;
  stage_ = Stage::idle;
  return true;
}

void ShardedTrainer::save(Outbox& out) {
  const std::string folder = rpc::WireReader(under_way_.payload).text();
  paused_ = true;
  if (!folder.empty()) {
    save_rows(tables(), folder);
    out.push_back(dense_state_message(learner_, parties_, rank_));
  }
  out.push_back(make_message(Kind::saved, parties_.oracle(), under_way_.step));
}

void ShardedTrainer::waited(const Interval& when) {
  const Activity what = stage_ == Stage::idle     ? Activity::wait_for_plan
                        : stage_ == Stage::pooled ? Activity::wait_for_rows
                                                  : Activity::wait_for_peers;
  account_.add(what, when);
}

}  // namespace overture::train
