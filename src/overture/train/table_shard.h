// TableShard: the tables that one trainer holds when there are no servers. It pools their rows for the
// samples of every trainer, adds up the gradients that come back, and changes the rows. Knows no messages.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "overture/embedding/tables.h"
#include "overture/lookahead/planner.h"
#include "overture/train/config.h"
#include "overture/train/pooled_rows.h"
#include "overture/train/shard_order.h"

namespace overture::train {

// The numbers of the tables that each trainer holds.
std::vector<std::vector<std::size_t>> tables_by_trainer(const TrainConfig& config);

class TableShard {
 public:
  TableShard(const TrainConfig& config, int rank, embedding::Workers& workers);

  // Takes a batch; the order must stay until the next one. Throws UserError for an id beyond its table.
  void look_up(const ShardOrder& order);
  // What the samples of `peer` see of these tables: samples x width(). Good until the next batch.
  std::span<const float> pooled(int peer);
  // The gradients of that; once, for each peer.
  void take_gradients(int peer, std::span<const float> gradients);
  // Changes the rows by the gradients of all peers, added up in the order of ranks.
  void update(std::int64_t step);

  std::int64_t width() const { return own_.width(); }
  embedding::Tables& tables() { return tables_; }

 private:
  // What one trainer looks up here.
  struct Peer {
    explicit Peer(const embedding::TablesConfig& tables) : pooled(tables) {}

    PooledRows pooled;
    StepPart part;
    std::vector<float*> places;                       // of its different rows
    std::vector<std::uint32_t> lookups;               // numbers of these, table after table
    std::vector<std::vector<std::uint32_t>> offsets;  // by table
    std::vector<float> sums;                          // the gradient of every row
    std::vector<float*> sum_places;
  };

  void number_rows(const ShardOrder& order);
  void fill(Peer& peer, int rank, const ShardOrder& order);
  void fill_table(Peer& peer, int rank, const ShardOrder& order, std::size_t t, std::size_t first);
  float* place(lookahead::Row row);

  std::vector<std::size_t> numbers_;  // of the tables held here, among all
  embedding::TablesConfig own_;       // these alone
  embedding::Workers& workers_;
  embedding::Tables tables_;
  std::optional<lookahead::Planner> planner_;  // of single batches; none where no table is held
  lookahead::StepPlan plan_;
  std::vector<std::uint32_t> number_;  // of the plan's rows, among those of a peer
  std::vector<Peer> peers_;
};

}  // namespace overture::train
