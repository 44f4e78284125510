// EmbeddingServer: holds a share of the rows, sends those that trainers ask for and takes back those that
// leave their caches. A fetch that belongs to a clean-up waits until every trainer has stored what it writes
// back at that clean-up; this is the one order that makes a fetched row up to date.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "overture/embedding/tables.h"
#include "overture/lookahead/row.h"
#include "overture/train/party.h"

namespace overture::train {

class EmbeddingServer final : public Party {
 public:
  // `share` says which server this is. `workers` make the first rows; they are not needed later.
  EmbeddingServer(const embedding::TablesConfig& tables, const Parties& parties,
                  const embedding::Share& share, embedding::Workers& workers);

  void take(rpc::Message message, Outbox& out) override;
  bool advance(Outbox& /*out*/) override { return false; }
  bool done() const override { return done_; }
  void watch(Marks& marks) override { marks_ = &marks; }

  embedding::Tables& tables() { return tables_; }

 private:
  void store(std::span<const lookahead::Row> rows, std::span<const float> numbers);
  void serve(const rpc::Message& fetch, Outbox& out);
  void serve_waiting(Outbox& out);
  bool ready(const rpc::Message& fetch) const;
  std::size_t rank_of(const rpc::Message& message) const;
  // Numbers of all these rows together. Throws rpc::BadMessage for a row that is not held here.
  std::size_t numbers_of(std::span<const lookahead::Row> rows) const;
  void save(const rpc::Message& message, Outbox& out);

  Marks* marks_ = nullptr;
  Parties parties_;
  embedding::Tables tables_;
  std::vector<std::int64_t> last_store_;  // the last clean-up that a trainer has stored for
  std::vector<rpc::Message> waiting_;     // fetches
  int written_back_ = 0;                  // trainers that have, for the save under way
  bool done_ = false;
};

}  // namespace overture::train
