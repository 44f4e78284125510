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
    case Kind::updates:
    case Kind::late_gradients:
    case Kind::late_updates: take_from_trainer(std::move(message)); break;
    default: check(false, "a trainer gets what a trainer understands");
  }
}

// What the step under way needs comes first; the others' late rows fill the time in which it waits.
bool Trainer::advance(Outbox& out) { return advance_step(out) || advance_rounds(Urgency::late, out); }

bool Trainer::advance_step(Outbox& out) {
  switch (stage_) {
    case Stage::plan: return begin_step(out);
    case Stage::rows: return run_batch(out);
    case Stage::dense_gradients: return reduce_dense(out);
    case Stage::dense_sums: return apply_dense(out);
    case Stage::shared_rows: return share_rows(out);
    case Stage::done: return false;
  }
  return false;
}

void Trainer::waited(double seconds) {
  switch (stage_) {
    case Stage::plan:
      (orders_.empty() ? report_.waited_for_plan : report_.waited_for_peers) += seconds;
      break;
    case Stage::rows: report_.waited_for_rows += seconds; break;
    default: report_.waited_for_peers += seconds;
  }
}

bool Trainer::begin_step(Outbox& out) {
  if (orders_.empty()) return false;
  // Late rows have until the batch after the next; but what is saved or flushed is complete.
  const rpc::Message& next = orders_.front();
  const bool runs = kind_of(next) == Kind::step && !rpc::WireReader(next.payload).get<StepHead>().flush;
  if (!rounds_done(runs ? next.step - 2 : next.step)) return false;
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
  for (int rank = 0; rank < parties_.trainers; ++rank) {
    const auto [begin, end] = dense_share(rank);
    rpc::Buffer payload;
    rpc::WireWriter(payload).put(
        std::span<const float>(learner_.parameters().gradients().subspan(begin, end - begin)));
    send_to(rank, Kind::dense_gradients, part_.head.batch, std::move(payload), out);
  }
  learner_.sum_gradients(exchange_.gradients(part_.rows));
  begin_round(Urgency::at_once, out);
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
  const std::vector<rpc::Message> received = from_all(Kind::dense_gradients, part_.head.batch);
  if (received.empty()) return false;
  std::vector<float> sum;
  for (const rpc::Message& message : received) {
    const auto gradients = rpc::WireReader(message.payload).array<float>();
    if (sum.empty()) {
      sum.assign(gradients.begin(), gradients.end());
    } else {
      embedding::kernels().add(std::ssize(sum), gradients.data(), sum.data());
    }
  }
  for (int rank = 0; rank < parties_.trainers; ++rank) {
    rpc::Buffer payload;
    rpc::WireWriter(payload).put(std::span<const float>(sum));
    send_to(rank, Kind::dense_sums, part_.head.batch, std::move(payload), out);
  }
  stage_ = Stage::dense_sums;
  return true;
}

bool Trainer::apply_dense(Outbox& /*out*/) {
  const std::vector<rpc::Message> received = from_all(Kind::dense_sums, part_.head.batch);
  if (received.empty()) return false;
  auto to = learner_.parameters().gradients().begin();
  for (const rpc::Message& message : received) {
    const auto sums = rpc::WireReader(message.payload).array<float>();
    to = std::copy(sums.begin(), sums.end(), to);
  }
  learner_.update_dense(step());
  stage_ = Stage::shared_rows;
  return true;
}

void Trainer::begin_round(Urgency when, Outbox& out) {
  const Kind kind = when == Urgency::late ? Kind::late_gradients : Kind::gradients;
  for (int rank = 0; rank < parties_.trainers; ++rank) {
    rpc::Buffer payload;
    exchange_.put_gradients(part_.rows, when, rank, payload);
    send_to(rank, kind, part_.head.batch, std::move(payload), out);
  }
  rounds_.push_back({.batch = part_.head.batch,
                     .when = when,
                     .own = exchange_.own(part_.rows, when),
                     .rule = update_rule(row_optimizer_, step())});
}

// First the gradients, then what their owners made of them.
bool Trainer::advance_round(Round& round, Outbox& out) {
  const bool late = round.when == Urgency::late;
  const Kind updates = late ? Kind::late_updates : Kind::updates;
  const Kind awaited = round.applied ? updates : late ? Kind::late_gradients : Kind::gradients;
  const std::vector<rpc::Message> received = from_all(awaited, round.batch);
  if (received.empty()) return false;
  if (round.applied) {
    for (int rank = 0; rank < parties_.trainers; ++rank) {
      if (rank != rank_) exchange_.take_updates(received[static_cast<std::size_t>(rank)], slots_);
    }
    round.done = true;
    return true;
  }
  exchange_.apply(round.own, received, round.rule, slots_);
  round.applied = true;
  for (int rank = 0; rank < parties_.trainers; ++rank) {
    rpc::Buffer payload;
    if (rank != rank_) exchange_.put_updates(round.own, rank, slots_, payload);
    send_to(rank, updates, round.batch, std::move(payload), out);
  }
  return true;
}

bool Trainer::advance_rounds(Urgency when, Outbox& out) {
  for (Round& round : rounds_) {
    if (round.when != when || !advance_round(round, out)) continue;
    std::erase_if(rounds_, [](const Round& one) { return one.done; });
    return true;
  }
  return false;
}

bool Trainer::rounds_done(std::int64_t through) const {
  return std::none_of(rounds_.begin(), rounds_.end(),
                      [&](const Round& round) { return round.batch <= through; });
}

bool Trainer::share_rows(Outbox& out) {
  if (advance_rounds(Urgency::at_once, out)) return true;
  const auto urgent = [](const Round& round) { return round.when == Urgency::at_once; };
  if (std::any_of(rounds_.begin(), rounds_.end(), urgent)) return false;
  begin_round(Urgency::late, out);  // behind everything that somebody waits for
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
  if (rank_ != 0 || folder.empty()) return;
  rpc::Message state = make_message(Kind::dense_state, parties_.oracle(), message.step);
  rpc::WireWriter writer(state.payload);
  writer.put(std::span<const float>(learner_.parameters().values()));
  writer.put(std::span<const float>(learner_.optimizer().state()));
  out.push_back(std::move(state));
}

void Trainer::send_to(int rank, Kind kind, std::int64_t batch, rpc::Buffer payload, Outbox& out) {
  rpc::Message message = make_message(kind, parties_.trainer(rank), batch);
  message.payload = std::move(payload);
  if (rank != rank_) {
    out.push_back(std::move(message));
    return;
  }
  message.from = message.to;
  take_from_trainer(std::move(message));
}

void Trainer::take_from_trainer(rpc::Message message) {
  auto& messages = from_trainers_[{kind_of(message), message.step}];
  messages.resize(static_cast<std::size_t>(parties_.trainers));
  const auto rank = static_cast<std::size_t>(parties_.rank(message.from));
  messages[rank] = std::move(message);
}

std::vector<rpc::Message> Trainer::from_all(Kind kind, std::int64_t batch) {
  const auto found = from_trainers_.find({kind, batch});
  if (found == from_trainers_.end()) return {};
  for (const rpc::Message& message : found->second) {
    // An address that is not a trainer's: nothing has come yet.
    if (message.from == parties_.oracle()) return {};
  }
  std::vector<rpc::Message> messages = std::move(found->second);
  from_trainers_.erase(found);
  return messages;
}

}  // namespace overture::train
