#include "overture/train/table_client.h"

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
using rpc::require;

constexpr std::int64_t kForGood = std::numeric_limits<std::int64_t>::max();
// The batch that requests of a prediction are for: they come before any other that is waited for.
constexpr std::int64_t kPrediction = -1;
// What is written back at once: a server takes it in while the next part is on its way.
constexpr std::size_t kPartBytes = std::size_t{64} << 20;

std::int32_t widest(const std::vector<embedding::RowLayout>& layouts) {
  std::int32_t most = 4;
  for (const embedding::RowLayout& layout : layouts) most = std::max(most, layout.stride);
  return most;
}

// As many as their bytes could be: what copying them costs.
std::int64_t numbers_in(const std::vector<rpc::Message>& messages) {
  std::size_t bytes = 0;
  for (const rpc::Message& message : messages) bytes += message.payload.size();
  return static_cast<std::int64_t>(bytes / sizeof(float));
}

std::size_t float_bytes(std::int32_t floats) { return static_cast<std::size_t>(floats) * sizeof(float); }

}  // namespace

TableClient::TableClient(const TableClientConfig& config, embedding::Workers& workers)
    : parties_(config.parties),
      rank_(config.rank),
      first_step_(config.first_step),
      tables_(config.tables),
      layouts_(config.tables.layouts()),
      shares_(embedding::all_shares(config.tables, config.division, config.parties.servers)),
      workers_(workers),
      pooled_(config.tables),
      exchange_(layouts_, config.rank, config.parties.trainers),
      inbox_(config.parties, config.rank),
      slots_(widest(layouts_)) {}

void TableClient::take(rpc::Message message) {
  switch (kind_of(message)) {
    case Kind::step:
    case Kind::predict:
    case Kind::save:
    case Kind::stop:
      require(message.from == parties_.oracle(), "only the oracle gives orders");
      take_order(std::move(message));
      break;
    case Kind::rows: take_rows(message); break;
    case Kind::gradients:
    case Kind::updates:
    case Kind::late_gradients:
    case Kind::late_updates: inbox_.take(std::move(message)); break;
    default: throw rpc::BadMessage("a trainer does not take this kind of message");
  }
}

// A pause that was asked for comes before steps that were planned meanwhile.
void TableClient::take_order(rpc::Message message) {
  const auto is_step = [](const rpc::Message& one) { return kind_of(one) == Kind::step; };
  if (leaving_ && is_step(message)) return;
  auto before = orders_.end();
  if (kind_of(message) == Kind::save) {
    before = std::find_if(orders_.begin(), orders_.end(),
                          [&](const rpc::Message& one) { return is_step(one) && one.step > message.step; });
  }
  orders_.insert(before, std::move(message));
}

void TableClient::leave(Outbox& out) {
  check(!stepping_, "a trainer leaves between two steps");
  leaving_ = true;
  std::erase_if(orders_, [](const rpc::Message& one) { return kind_of(one) == Kind::step; });
  for (int party = 0; party <= parties_.trainers; ++party) {
    if (party != 1 + rank_) out.push_back(make_message(Kind::left, rpc::Address{party}, batches_done_));
  }
}

// What the step under way needs comes first; the others' late rows fill the time in which it waits.
bool TableClient::advance(Outbox& out) {
  if (has_ == Has::nothing && !stepping_ && next_order(out)) return true;
  if (has_ == Has::nothing && stepping_ && !sharing_ && rows_are_here()) {
    has_ = part_.head.purpose == Purpose::predict ? Has::predict : Has::batch;
    return true;
  }
  return advance_rounds(out);
}

// Late rows have until the batch after the next; but what is saved or flushed is complete.
bool TableClient::next_order(Outbox& out) {
  if (orders_.empty()) return false;
  const rpc::Message& next = orders_.front();
  const bool runs =
      kind_of(next) == Kind::step && rpc::WireReader(next.payload).get<StepHead>().purpose == Purpose::train;
  if (!rounds_done(runs ? next.step - 2 : next.step)) return false;
  if (held_ && kind_of(next) == Kind::step) return false;
  order_ = std::make_shared<rpc::Message>(std::move(orders_.front()));
  orders_.pop_front();
  switch (kind_of(*order_)) {
    case Kind::stop: has_ = Has::end; return true;
    case Kind::save:
      checkpoint_ = rpc::WireReader(order_->payload).text();
      write_back(order_->step, checkpoint_.string(), out);
      has_ = Has::pause;
      paused_ = true;
      return true;
    default: return begin_step(out);
  }
}

bool TableClient::begin_step(Outbox& out) {
  part_ = decode(order_->payload, layouts_.size(), parties_.trainers);
  if (part_.head.purpose == Purpose::predict) {
    begin_prediction(out);
    return true;
  }
  if (std::exchange(paused_, false)) account_.forget_times();
  slots_.reserve(part_.head.slots);
  owned_.resize(std::max<std::size_t>(owned_.size(), part_.head.slots));
  if (part_.head.clean_up != 0) {
    store_evictions(out);
    fetch_rows(out);
  }
  if (part_.head.purpose == Purpose::flush) {
    report_finished(out);
    return true;
  }
  rows_.resize(part_.rows.size());
  for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i] = slots_.slot(part_.rows[i].slot);
  stepping_ = true;
  workers_.done(Work::begin_step, {std::ssize(part_.rows), 0, 0}, part_.head.batch);
  return true;
}

// Rows to predict with come from the servers, which have them all since the pause, and pass the cache by.
void TableClient::begin_prediction(Outbox& out) {
  const auto stride = static_cast<std::size_t>(widest(layouts_));
  predicted_rows_.resize(part_.rows.size() * stride);
  rows_.resize(part_.rows.size());
  for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i] = predicted_rows_.data() + i * stride;
  for (std::size_t server = 0; server < shares_.size(); ++server) {
    Request request{.for_batch = kPrediction, .server = server, .rows = {}};
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (holds(server, part_.rows[i].row)) request.rows.emplace_back(part_.rows[i].row, rows_[i]);
    }
    fetch(std::move(request), kPrediction, out);
  }
  paused_ = true;
  stepping_ = true;
}

bool TableClient::rows_are_here() const {
  const std::int64_t needed =
      part_.head.purpose == Purpose::predict ? kPrediction : std::int64_t{part_.head.batch};
  return outstanding_.empty() || outstanding_.begin()->first > needed;
}

// Every server gets a message, even an empty one: it tells that this trainer has stored all.
void TableClient::store_evictions(Outbox& out) {
  for (std::size_t server = 0; server < shares_.size(); ++server) {
    std::size_t count = 0;
    std::size_t size = 0;
    for (const Eviction& eviction : part_.evictions) {
      if (!holds(server, eviction.row)) continue;
      ++count;
      size += static_cast<std::size_t>(share(server, eviction.row).used());
    }
    rpc::Message message =
        make_message(Kind::store, parties_.server(static_cast<int>(server)), part_.head.batch);
    rpc::WireWriter writer(message.payload);
    Row* row = writer.room<Row>(count);
    for (const Eviction& eviction : part_.evictions) {
      if (holds(server, eviction.row)) *row++ = eviction.row;
    }
    float* to = writer.room<float>(size);
    for (const Eviction& eviction : part_.evictions) {
      if (!holds(server, eviction.row)) continue;
      const embedding::TableShare& held = share(server, eviction.row);
      std::memcpy(to, slots_.slot(eviction.slot) + held.begin, float_bytes(held.used()));
      to += held.used();
    }
    account_.report.bytes_stored += static_cast<std::int64_t>(message.payload.size());
    out.push_back(std::move(message));
    workers_.done(
        Work::pack_rows,
        {static_cast<std::int64_t>(count), static_cast<std::int64_t>(size), std::ssize(part_.evictions)},
        part_.head.batch);
  }
  for (const Eviction& eviction : part_.evictions) owned_[eviction.slot].until = 0;
  account_.report.rows_stored += std::ssize(part_.evictions);
}

// One request for each batch and server, so that a batch waits for its own rows only.
void TableClient::fetch_rows(Outbox& out) {
  for (std::size_t begin = 0; begin < part_.fetches.size();) {
    const std::int32_t batch = part_.fetches[begin].for_batch;
    std::size_t end = begin;
    while (end < part_.fetches.size() && part_.fetches[end].for_batch == batch) ++end;
    for (std::size_t server = 0; server < shares_.size(); ++server) {
      Request request{.for_batch = batch, .server = server, .rows = {}};
      for (const Fetch& one : part_.fetches.subspan(begin, end - begin)) {
        if (holds(server, one.row)) request.rows.emplace_back(one.row, slots_.slot(one.slot));
      }
      const std::int64_t asked = std::ssize(request.rows);
      fetch(std::move(request), part_.head.batch, out);
      if (asked > 0) workers_.done(Work::ask_rows, {asked, static_cast<std::int64_t>(end - begin), 0}, batch);
    }
    begin = end;
  }
  account_.report.rows_fetched += std::ssize(part_.fetches);
}

void TableClient::fetch(Request request, std::int64_t clean_up, Outbox& out) {
  if (request.rows.empty()) return;
  rpc::Message message =
      make_message(Kind::fetch, parties_.server(static_cast<int>(request.server)), requests_made_);
  rpc::WireWriter writer(message.payload);
  writer.put(clean_up);
  Row* row = writer.room<Row>(request.rows.size());
  for (const auto& [wanted, place] : request.rows) *row++ = wanted;
  ++outstanding_[request.for_batch];
  requests_.emplace(requests_made_++, std::move(request));
  out.push_back(std::move(message));
}

void TableClient::take_rows(const rpc::Message& message) {
  const auto found = requests_.find(message.step);
  require(found != requests_.end() && message.from == parties_.server(static_cast<int>(found->second.server)),
          "rows that nobody asked for");
  const Request& request = found->second;
  const auto numbers = rpc::WireReader(message.payload).array<float>();
  std::size_t size = 0;
  for (const auto& [row, place] : request.rows)
    size += static_cast<std::size_t>(share(request.server, row).used());
  require(numbers.size() == size, "rows of another size");
  const float* from = numbers.data();
  for (const auto& [row, place] : request.rows) {
    const embedding::TableShare& held = share(request.server, row);
    std::memcpy(place + held.begin, from, float_bytes(held.used()));
    from += held.used();
  }
  if (request.for_batch != kPrediction)
    account_.report.bytes_fetched += static_cast<std::int64_t>(message.payload.size());
  const auto waiting = outstanding_.find(request.for_batch);
  if (--waiting->second == 0) outstanding_.erase(waiting);
  workers_.done(Work::take_rows, {std::ssize(request.rows), static_cast<std::int64_t>(size), 0},
                request.for_batch);
  requests_.erase(found);
}

std::span<const float> TableClient::pooled() { return pooled_.pool(part_, rows_, workers_); }

void TableClient::give_back(std::span<const float> gradients, Outbox& out) {
  give_back(pooled_.as_pooled(gradients), 1, out);
}

void TableClient::give_back(std::span<const embedding::TableGradients> gradients, float share, Outbox& out) {
  check(has_ == Has::batch, "gradients are those of the batch that was given");
  has_ = Has::nothing;
  sharing_ = true;
  if (parties_.trainers == 1) {
    pooled_.update(gradients, rows_, step(), workers_);
    return;
  }
  pooled_.sum(gradients, exchange_.gradients(part_.rows), workers_);
  if (share != 1) exchange_.scale_gradients(part_.rows, share);
  begin_round(Urgency::at_once, out);
}

void TableClient::finish(double loss, Outbox& out) {
  check(shared(), "a step ends when its rows have been shared");
  if (parties_.trainers > 1) begin_round(Urgency::late, out);  // behind everything that somebody waits for
  remember_owned();
  account_.report.loss = loss;
  stepping_ = sharing_ = false;
  ++batches_done_;
  report_finished(out);
  workers_.done(Work::end_step, {std::ssize(part_.rows), 0, 0}, part_.head.batch);
}

void TableClient::report_finished(Outbox& out) {
  rpc::Message message = make_message(Kind::finished, parties_.oracle(), part_.head.batch);
  account_.put(message.payload);
  out.push_back(std::move(message));
  account_ = {};
}

void TableClient::give_predictions(std::span<const float> logits, Outbox& out) {
  check(has_ == Has::predict, "predictions are those of the batch that was given");
  has_ = Has::nothing;
  stepping_ = false;
  rpc::Message message = make_message(Kind::predictions, parties_.oracle(), order_->step);
  rpc::WireWriter(message.payload).put(logits);
  out.push_back(std::move(message));
}

void TableClient::begin_round(Urgency when, Outbox& out) {
  const Kind kind = when == Urgency::late ? Kind::late_gradients : Kind::gradients;
  std::vector<rpc::Buffer> payloads = exchange_.take_gradients(when);
  const std::int64_t packed = send_all(kind, part_.head.batch, payloads, out);
  rounds_.push_back({.batch = part_.head.batch,
                     .when = when,
                     .own = exchange_.own(part_.rows, when),
                     .rule = update_rule(tables_.optimizer, step())});
  workers_.done(when == Urgency::late ? Work::late_pack_gradients : Work::pack_gradients,
                {std::ssize(part_.rows), packed, 0}, part_.head.batch);
}

// To every trainer what is for it; gives how many numbers that is.
std::int64_t TableClient::send_all(Kind kind, std::int64_t batch, std::vector<rpc::Buffer>& payloads,
                                   Outbox& out) {
  std::size_t bytes = 0;
  for (int rank = 0; rank < parties_.trainers; ++rank) {
    rpc::Buffer& payload = payloads[static_cast<std::size_t>(rank)];
    bytes += payload.size();
    inbox_.send(rank, kind, batch, std::move(payload), out);
  }
  return static_cast<std::int64_t>(bytes / sizeof(float));
}

// First the gradients, then what their owners made of them.
bool TableClient::advance_round(Round& round, Outbox& out) {
  const bool late = round.when == Urgency::late;
  const Kind updates = late ? Kind::late_updates : Kind::updates;
  const Kind awaited = round.applied ? updates : late ? Kind::late_gradients : Kind::gradients;
  const std::vector<rpc::Message> received = inbox_.from_all(awaited, round.batch);
  if (received.empty()) return false;
  if (round.applied) {
    for (int rank = 0; rank < parties_.trainers; ++rank) {
      if (rank != rank_) exchange_.take_updates(received[static_cast<std::size_t>(rank)], slots_);
    }
    round.done = true;
    workers_.done(late ? Work::late_take_updates : Work::take_updates, {numbers_in(received), 0, 0},
                  round.batch);
    return true;
  }
  exchange_.apply(round.own, received, round.rule, slots_);
  round.applied = true;
  std::vector<rpc::Buffer> payloads = exchange_.put_updates(round.own, slots_);
  const std::int64_t sent = send_all(updates, round.batch, payloads, out);
  workers_.done(late ? Work::late_apply_gradients : Work::apply_gradients,
                {std::ssize(round.own), numbers_in(received), sent}, round.batch);
  return true;
}

// The urgent ones first.
bool TableClient::advance_rounds(Outbox& out) {
  for (const Urgency when : {Urgency::at_once, Urgency::late}) {
    for (Round& round : rounds_) {
      if (round.when != when || !advance_round(round, out)) continue;
      std::erase_if(rounds_, [](const Round& one) { return one.done; });
      return true;
    }
  }
  return false;
}

bool TableClient::rounds_done(std::int64_t through) const {
  return std::none_of(rounds_.begin(), rounds_.end(),
                      [&](const Round& round) { return round.batch <= through; });
}

bool TableClient::in_urgent_round() const {
  return std::any_of(rounds_.begin(), rounds_.end(),
                     [](const Round& round) { return round.when == Urgency::at_once; });
}

// Who answers for a row between two uses: the owner at the earlier one.
void TableClient::remember_owned() {
  for (const PlannedRow& row : part_.rows) {
    Owned& owned = owned_[row.slot];
    owned.row = row.row;
    owned.until = row.owner != rank_                  ? 0
                  : row.next_use == lookahead::kNever ? kForGood
                                                      : std::int64_t{row.next_use};
  }
}

// The servers get every row that has changed since it was fetched; the cache keeps it and goes on.
void TableClient::write_back(std::int64_t done_through, const std::string& folder, Outbox& out) {
  for (std::size_t server = 0; server < shares_.size(); ++server)
    write_back(server, done_through, folder, out);
}

void TableClient::write_back(std::size_t server, std::int64_t done_through, const std::string& folder,
                             Outbox& out) {
  std::vector<Row> rows;
  std::vector<float> numbers;
  const auto send = [&](bool last) {
    rpc::Message part =
        make_message(Kind::write_back, parties_.server(static_cast<int>(server)), done_through);
    rpc::WireWriter writer(part.payload);
    writer.put(folder);
    writer.put(static_cast<std::uint8_t>(last));
    writer.put(std::span<const Row>(rows));
    writer.put(std::span<const float>(numbers));
    out.push_back(std::move(part));
    rows.clear();
    numbers.clear();
  };
  for (std::size_t slot = 0; slot < owned_.size(); ++slot) {
    const Owned& owned = owned_[slot];
    if (owned.until <= done_through || !holds(server, owned.row)) continue;
    const embedding::TableShare& held = share(server, owned.row);
    const float* const from = slots_.slot(static_cast<std::uint32_t>(slot));
    rows.push_back(owned.row);
    numbers.insert(numbers.end(), from + held.begin, from + held.end);
    if (numbers.size() * sizeof(float) >= kPartBytes) send(false);
  }
  send(true);
}

void TableClient::waited(const Interval& when) {
  const Activity what = stepping_ && !sharing_          ? Activity::wait_for_rows
                        : !stepping_ && orders_.empty() ? Activity::wait_for_plan
                                                        : Activity::wait_for_peers;
  account_.add(what, when);
}

}  // namespace overture::train
