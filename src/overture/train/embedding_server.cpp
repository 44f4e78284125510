#include "overture/train/embedding_server.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "overture/rpc/wire.h"
#include "overture/train/checkpoint.h"

namespace overture::train {
namespace {

using lookahead::Row;

constexpr std::size_t kRowsAhead = 16;

void prefetch(embedding::Tables& tables, Row row) {
  const float* const numbers = tables.row(table(row), id(row));
  const std::int32_t used = tables.held(table(row)).used();
  for (std::int32_t i = 0; i < used; i += 16) __builtin_prefetch(numbers + i);
}

}  // namespace

EmbeddingServer::EmbeddingServer(const embedding::TablesConfig& tables, const Parties& parties,
                                 const embedding::Share& share, embedding::Workers& workers)
    : parties_(parties),
      tables_(tables, share, workers),
      last_store_(static_cast<std::size_t>(parties.trainers), -1) {}

void EmbeddingServer::take(rpc::Message message, Outbox& out) {
  switch (kind_of(message)) {
    case Kind::fetch:
      if (ready(message)) {
        serve(message, out);
      } else {
        waiting_.push_back(std::move(message));
      }
      break;
    case Kind::store: {
      rpc::WireReader in(message.payload);
      const auto rows = in.array<Row>();
      store(rows, in.array<float>());
      last_store_[rank_of(message)] = message.step;
      serve_waiting(out);
      break;
    }
    case Kind::write_back: save(message, out); break;
    case Kind::stop: done_ = true; break;
    default: throw rpc::BadMessage("a server does not take this kind of message");
  }
}

std::size_t EmbeddingServer::rank_of(const rpc::Message& message) const {
  const int rank = parties_.rank(message.from);
  rpc::require(rank >= 0 && rank < parties_.trainers, "it is not a trainer");
  return static_cast<std::size_t>(rank);
}

std::size_t EmbeddingServer::numbers_of(std::span<const Row> rows) const {
  const std::int64_t tables = std::ssize(tables_.config().tables);
  std::size_t count = 0;
  for (const Row row : rows) {
    rpc::require(table(row) < tables && tables_.held(table(row)).holds(id(row)), "a row that is not here");
    count += static_cast<std::size_t>(tables_.held(table(row)).used());
  }
  return count;
}

void EmbeddingServer::store(std::span<const Row> rows, std::span<const float> numbers) {
  rpc::require(numbers_of(rows) == numbers.size(), "rows of another size");
  const float* from = numbers.data();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i + kRowsAhead < rows.size()) prefetch(tables_, rows[i + kRowsAhead]);
    const auto used = static_cast<std::size_t>(tables_.held(table(rows[i])).used());
    std::memcpy(tables_.row(table(rows[i]), id(rows[i])), from, used * sizeof(float));
    from += used;
  }
  if (marks_ != nullptr) marks_->done(Work::store_rows, {std::ssize(rows), std::ssize(numbers), 0});
}

bool EmbeddingServer::ready(const rpc::Message& fetch) const {
  const auto clean_up = rpc::WireReader(fetch.payload).get<std::int64_t>();
  return *std::min_element(last_store_.begin(), last_store_.end()) >= clean_up;
}

void EmbeddingServer::serve(const rpc::Message& fetch, Outbox& out) {
  rpc::WireReader in(fetch.payload);
  in.get<std::int64_t>();
  const auto rows = in.array<Row>();
  const std::size_t count = numbers_of(rows);
  rpc::Message answer = make_message(Kind::rows, fetch.from, fetch.step);
  rpc::WireWriter writer(answer.payload);
  float* to = writer.room<float>(count);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i + kRowsAhead < rows.size()) prefetch(tables_, rows[i + kRowsAhead]);
    const auto used = static_cast<std::size_t>(tables_.held(table(rows[i])).used());
    std::memcpy(to, tables_.row(table(rows[i]), id(rows[i])), used * sizeof(float));
    to += used;
  }
  out.push_back(std::move(answer));
  if (marks_ != nullptr)
    marks_->done(Work::serve_rows, {std::ssize(rows), static_cast<std::int64_t>(count), 0});
}

void EmbeddingServer::serve_waiting(Outbox& out) {
  std::vector<rpc::Message> still;
  for (rpc::Message& fetch : waiting_) {
    if (ready(fetch)) {
      serve(fetch, out);
    } else {
      still.push_back(std::move(fetch));
    }
  }
  waiting_.swap(still);
}

// The last part of the last trainer makes the rows complete.
void EmbeddingServer::save(const rpc::Message& message, Outbox& out) {
  rpc::WireReader in(message.payload);
  const std::string folder = in.text();
  const bool last = in.get<std::uint8_t>() != 0;
  const auto rows = in.array<Row>();
  store(rows, in.array<float>());
  if (!last || ++written_back_ < parties_.trainers) return;
  written_back_ = 0;
  if (!folder.empty()) save_rows(tables_, folder);
  out.push_back(make_message(Kind::saved, parties_.oracle(), message.step));
}

}  // namespace overture::train
