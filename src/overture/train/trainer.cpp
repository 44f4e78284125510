#include "overture/train/trainer.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "overture/base/check.h"
#include "overture/rpc/wire.h"

namespace overture::train {
namespace {

using lookahead::Eviction;
using lookahead::Fetch;
using lookahead::PlannedRow;
using lookahead::Row;

constexpr std::int64_t kForGood = std::numeric_limits<std::int64_t>::max();

std::int32_t widest(const std::vector<embedding::RowLayout>& layouts) {
  std::int32_t most = 4;
  for (const embedding::RowLayout& layout : layouts) most = std::max(most, layout.stride);
  return most;
}

}  // namespace

Trainer::Trainer(const TrainConfig& config, int rank, std::int64_t first_step)
    : parties_{config.trainers, config.servers},
      rank_(rank),
      first_step_(first_step),
      row_optimizer_(config.tables.optimizer),
      layouts_(config.tables.layouts()),
      learner_(config),
      exchange_(layouts_, rank, config.trainers),
      slots_(widest(layouts_)) {}

void Trainer::take(rpc::Message message, Outbox& /*out*/) {
  switch (kind_of(message)) {
    case Kind::step:
    case Kind::save:
    case Kind::stop: orders_.push_back(std::move(message)); break;
    case Kind::rows: take_rows(message); break;
    case Kind::dense_gradients:
    case Kind::dense_sums:
    case Kind::gradients:
    case Kind::updates: {
      auto& messages = peers_[{kind_of(message), message.step}];
      messages.resize(static_cast<std::size_t>(parties_.trainers));
      const auto from = static_cast<std::size_t>(parties_.rank(message.from));
      messages[from] = std::move(message);
      break;
    }
    default: check(false, "a trainer gets what a trainer understands");
  }
}

bool Trainer::advance(Outbox& out) {
  switch (stage_) {
    case Stage::plan: return begin_step(out);
    case Stage::rows: return run_batch(out);
    case Stage::dense_gradients: return reduce_dense(out);
    case Stage::dense_sums: return apply_dense(out);
    case Stage::gradients: return apply_gradients(out);
    case Stage::updates: return take_updates(out);
    case Stage::done: return false;
  }
  return false;
}

void Trainer::waited(double seconds) {
  switch (stage_) {
    case Stage::plan: report_.waited_for_plan += seconds; break;
    case Stage::rows: report_.waited_for_rows += seconds; break;
    default: report_.waited_for_peers += seconds;
  }
}

bool Trainer::begin_step(Outbox& out) {
  if (orders_.empty()) return false;
  order_ = std::move(orders_.front());
  orders_.pop_front();
  if (kind_of(order_) == Kind::stop) {
    stage_ = Stage::done;
    return false;
  }
  if (kind_of(order_) == Kind::save) {
    save(order_, out);
    return true;
  }
  part_ = decode(order_.payload);
  slots_.reserve(part_.head.slots);
  owned_.resize(std::max<std::size_t>(owned_.size(), part_.head.slots));
  if (part_.head.clean_up) clean_up(out);
  if (part_.head.flush) {
    finish_step(out);
  } else {
    stage_ = Stage::rows;
  }
  return true;
}

void Trainer::clean_up(Outbox& out) {
  store_evictions(out);
  fetch_rows(out);
}

// Every server gets a message, even an empty one: it tells that this trainer has stored all.
void Trainer::store_evictions(Outbox& out) {
  for (int server = 0; server < parties_.servers; ++server) {
    std::size_t count = 0;
    std::size_t size = 0;
    for (const Eviction& eviction : part_.evictions) {
      if (server_of(eviction.row) != server) continue;
      ++count;
      size += static_cast<std::size_t>(layout(eviction.row).used());
    }
    rpc::Message message = make_message(Kind::store, parties_.server(server), part_.head.batch);
    rpc::WireWriter writer(message.payload);
    Row* row = writer.room<Row>(count);
    for (const Eviction& eviction : part_.evictions) {
      if (server_of(eviction.row) == server) *row++ = eviction.row;
    }
    float* to = writer.room<float>(size);
    for (const Eviction& eviction : part_.evictions) {
      if (server_of(eviction.row) != server) continue;
      const auto used = static_cast<std::size_t>(layout(eviction.row).used());
      std::memcpy(to, slots_.slot(eviction.slot), used * sizeof(float));
      to += used;
      owned_[eviction.slot].until = 0;
    }
    report_.rows_stored += static_cast<std::int64_t>(count);
    report_.bytes_stored += static_cast<std::int64_t>(message.payload.size());
    out.push_back(std::move(message));
  }
}

// One request for each batch and server, so that a batch waits for its own rows only.
void Trainer::fetch_rows(Outbox& out) {
  const std::int64_t clean_up = part_.head.batch;
  for (std::size_t begin = 0; begin < part_.fetches.size();) {
    const std::int32_t batch = part_.fetches[begin].for_batch;
    std::size_t end = begin;
    while (end < part_.fetches.size() && part_.fetches[end].for_batch == batch) ++end;
    for (int server = 0; server < parties_.servers; ++server) {
      Request request{.for_batch = batch, .rows = {}};
      for (const Fetch& fetch : part_.fetches.subspan(begin, end - begin)) {
        if (server_of(fetch.row) == server) request.rows.emplace_back(fetch.row, fetch.slot);
      }
      if (request.rows.empty()) continue;
      rpc::Message message = make_message(Kind::fetch, parties_.server(server), requests_made_);
      rpc::WireWriter writer(message.payload);
      writer.put(clean_up);
      Row* row = writer.room<Row>(request.rows.size());
      for (const auto& [wanted, slot] : request.rows) *row++ = wanted;
      report_.rows_fetched += std::ssize(request.rows);
      ++outstanding_[batch];
      requests_.emplace(requests_made_++, std::move(request));
      out.push_back(std::move(message));
    }
    begin = end;
  }
}

void Trainer::take_rows(const rpc::Message& message) {
  const auto found = requests_.find(message.step);
  check(found != requests_.end(), "rows were asked for");
  const float* from = rpc::WireReader(message.payload).array<float>().data();
  for (const auto& [row, slot] : found->second.rows) {
    const auto used = static_cast<std::size_t>(layout(row).used());
    std::memcpy(slots_.slot(slot), from, used * sizeof(float));
    from += used;
  }
  report_.bytes_fetched += static_cast<std::int64_t>(message.payload.size());
  const auto waiting = outstanding_.find(found->second.for_batch);
  if (--waiting->second == 0) outstanding_.erase(waiting);
  requests_.erase(found);
}

bool Trainer::run_batch(Outbox& out) {
  if (!outstanding_.empty() && outstanding_.begin()->first <= part_.head.batch) return false;
  rows_.resize(part_.rows.size());
  for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i] = slots_.slot(part_.rows[i].slot);
  report_.loss = learner_.learn(part_, rows_, step());
  if (parties_.trainers == 1) {
    learner_.update_dense(step());
    learner_.update_rows(rows_, step());
    finish_step(out);
    return true;
  }
  for (int peer = 0; peer < parties_.trainers; ++peer) {
    const auto [begin, end] = dense_share(peer);
    rpc::Buffer payload;
    rpc::WireWriter(payload).put(
        std::span<const float>(learner_.parameters().gradients().subspan(begin, end - begin)));
    to_peer(Kind::dense_gradients, peer, std::move(payload), out);
  }
  learner_.sum_gradients(exchange_.gradients(part_.rows));
  for (int peer = 0; peer < parties_.trainers; ++peer) {
    rpc::Buffer payload;
    exchange_.put_gradients(part_.rows, peer, payload);
    to_peer(Kind::gradients, peer, std::move(payload), out);
  }
  stage_ = Stage::dense_gradients;
  return true;
}

std::pair<std::size_t, std::size_t> Trainer::dense_share(int rank) const {
  const std::int64_t size = const_cast<Learner&>(learner_).parameters().size();
  const Block block = block_of(size, rank, parties_.trainers);
  return {static_cast<std::size_t>(block.begin), static_cast<std::size_t>(block.end)};
}

// Each trainer adds up its share of the parameters, in the order of ranks, and sends the sums to all.
bool Trainer::reduce_dense(Outbox& out) {
  const std::vector<rpc::Message> received = from_peers(Kind::dense_gradients);
  if (received.empty()) return false;
  const auto [begin, end] = dense_share(rank_);
  std::span<float> own = learner_.parameters().gradients().subspan(begin, end - begin);
  std::vector<float> sum(own.size());
  for (int peer = 0; peer < parties_.trainers; ++peer) {
    const std::span<const float> theirs =
        peer == rank_ ? std::span<const float>(own)
                      : rpc::WireReader(received[static_cast<std::size_t>(peer)].payload).array<float>();
    if (peer == 0) {
      std::copy(theirs.begin(), theirs.end(), sum.begin());
    } else {
      embedding::kernels().add(std::ssize(sum), theirs.data(), sum.data());
    }
  }
  std::copy(sum.begin(), sum.end(), own.begin());
  for (int peer = 0; peer < parties_.trainers; ++peer) {
    rpc::Buffer payload;
    rpc::WireWriter(payload).put(std::span<const float>(sum));
    to_peer(Kind::dense_sums, peer, std::move(payload), out);
  }
  stage_ = Stage::dense_sums;
  return true;
}

bool Trainer::apply_dense(Outbox& /*out*/) {
  const std::vector<rpc::Message> received = from_peers(Kind::dense_sums);
  if (received.empty()) return false;
  for (int peer = 0; peer < parties_.trainers; ++peer) {
    if (peer == rank_) continue;
    const auto sums = rpc::WireReader(received[static_cast<std::size_t>(peer)].payload).array<float>();
    std::copy(
        sums.begin(), sums.end(),
        learner_.parameters().gradients().begin() + static_cast<std::ptrdiff_t>(dense_share(peer).first));
  }
  learner_.update_dense(step());
  stage_ = Stage::gradients;
  return true;
}

bool Trainer::apply_gradients(Outbox& out) {
  const std::vector<rpc::Message> received = from_peers(Kind::gradients);
  if (received.empty()) return false;
  exchange_.apply(part_.rows, received, update_rule(row_optimizer_, step()), slots_);
  for (int peer = 0; peer < parties_.trainers; ++peer) {
    rpc::Buffer payload;
    exchange_.put_updates(part_.rows, peer, slots_, payload);
    to_peer(Kind::updates, peer, std::move(payload), out);
  }
  stage_ = Stage::updates;
  return true;
}

bool Trainer::take_updates(Outbox& out) {
  const std::vector<rpc::Message> received = from_peers(Kind::updates);
  if (received.empty()) return false;
  for (int peer = 0; peer < parties_.trainers; ++peer) {
    if (peer != rank_) exchange_.take_updates(received[static_cast<std::size_t>(peer)], slots_);
  }
  finish_step(out);
  return true;
}

void Trainer::finish_step(Outbox& out) {
  remember_owned();
  rpc::Message message = make_message(Kind::finished, parties_.oracle(), part_.head.batch);
  rpc::WireWriter(message.payload).put(report_);
  out.push_back(std::move(message));
  report_ = {};
  stage_ = Stage::plan;
}

// Who answers for a row between two uses: the owner at the earlier one.
void Trainer::remember_owned() {
  for (const PlannedRow& row : part_.rows) {
    Owned& owned = owned_[row.slot];
    owned.row = row.row;
    owned.until = row.owner != rank_                  ? 0
                  : row.next_use == lookahead::kNever ? kForGood
                                                      : std::int64_t{row.next_use};
  }
}

// The servers get every row that has changed since it was fetched; the cache keeps it and goes on.
void Trainer::save(const rpc::Message& message, Outbox& out) {
  const std::int64_t done_through = message.step;
  const std::string folder = rpc::WireReader(message.payload).text();
  for (int server = 0; server < parties_.servers; ++server) {
    std::vector<Row> rows;
    std::vector<float> numbers;
    for (std::size_t slot = 0; slot < owned_.size(); ++slot) {
      const Owned& owned = owned_[slot];
      if (owned.until <= done_through || server_of(owned.row) != server) continue;
      rows.push_back(owned.row);
      const float* const from = slots_.slot(static_cast<std::uint32_t>(slot));
      numbers.insert(numbers.end(), from, from + layout(owned.row).used());
    }
    rpc::Message write_back = make_message(Kind::write_back, parties_.server(server), message.step);
    rpc::WireWriter writer(write_back.payload);
    writer.put(folder);
    writer.put(std::span<const Row>(rows));
    writer.put(std::span<const float>(numbers));
    out.push_back(std::move(write_back));
  }
  if (rank_ != 0) return;
  rpc::Message state = make_message(Kind::dense_state, parties_.oracle(), message.step);
  rpc::WireWriter writer(state.payload);
  writer.put(std::span<const float>(learner_.parameters().values()));
  writer.put(std::span<const float>(learner_.optimizer().state()));
  out.push_back(std::move(state));
}

std::vector<rpc::Message> Trainer::from_peers(Kind kind) {
  const auto found = peers_.find({kind, part_.head.batch});
  if (found == peers_.end()) return {};
  for (int peer = 0; peer < parties_.trainers; ++peer) {
    // An address that is not a trainer's: nothing has come yet.
    if (peer != rank_ && found->second[static_cast<std::size_t>(peer)].from == parties_.oracle()) return {};
  }
  std::vector<rpc::Message> messages = std::move(found->second);
  peers_.erase(found);
  return messages;
}

void Trainer::to_peer(Kind kind, int peer, rpc::Buffer payload, Outbox& out) const {
  if (peer == rank_) return;
  rpc::Message message = make_message(kind, parties_.trainer(peer), part_.head.batch);
  message.payload = std::move(payload);
  out.push_back(std::move(message));
}

}  // namespace overture::train
