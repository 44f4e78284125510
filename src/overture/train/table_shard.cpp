#include "overture/train/table_shard.h"

#include <cstring>
#include <utility>

#include "overture/embedding/kernels.h"

namespace overture::train {
namespace {

using lookahead::PlannedRow;

embedding::TablesConfig only_tables(const embedding::TablesConfig& all,
                                    const std::vector<std::size_t>& numbers) {
  embedding::TablesConfig result = all;
  result.tables.clear();
  for (const std::size_t t : numbers) result.tables.push_back(all.tables[t]);
  return result;
}

lookahead::PlannerConfig single_batches(const embedding::TablesConfig& tables, int trainers) {
  lookahead::PlannerConfig config{.lookahead = 1, .trainers = trainers, .index_lookups = true};
  for (const embedding::TableConfig& table : tables.tables) config.table_rows.push_back(table.rows);
  return config;
}

embedding::TablesConfig with_own_file(embedding::TablesConfig tables, int rank) {
  if (!tables.file.empty()) tables.file += "." + std::to_string(rank);
  return tables;
}

std::uint32_t first_lookup(const ShardOrder::Table& table, std::int64_t sample) {
  return table.offsets.empty() ? static_cast<std::uint32_t>(sample)
                               : table.offsets[static_cast<std::size_t>(sample)];
}

std::span<const std::int64_t> ids_of(const ShardOrder& order, const ShardOrder::Table& table, int rank) {
  const std::uint32_t begin = first_lookup(table, order.bounds[static_cast<std::size_t>(rank)]);
  const std::uint32_t end = first_lookup(table, order.bounds[static_cast<std::size_t>(rank) + 1]);
  return table.ids.subspan(begin, end - begin);
}

}  // namespace

std::vector<std::vector<std::size_t>> tables_by_trainer(const TrainConfig& config) {
  std::vector<std::vector<std::size_t>> result;
  for (const auto& shares : embedding::all_shares(config.tables, config.division, config.trainers)) {
    auto& held = result.emplace_back();
    for (std::size_t t = 0; t < shares.size(); ++t) {
      if (shares[t].rows > 0) held.push_back(t);
    }
  }
  return result;
}

TableShard::TableShard(const TrainConfig& config, int rank, embedding::Workers& workers)
    : numbers_(tables_by_trainer(config)[static_cast<std::size_t>(rank)]),
      own_(only_tables(config.tables, numbers_)),
      workers_(workers),
      tables_(with_own_file(config.tables, rank),
              {.index = rank, .count = config.trainers, .division = config.division}, workers) {
  if (!numbers_.empty()) planner_.emplace(single_batches(own_, config.trainers));
  for (int peer = 0; peer < config.trainers; ++peer) peers_.emplace_back(own_);
}

void TableShard::look_up(const ShardOrder& order) {
  if (planner_) number_rows(order);
  for (std::size_t rank = 0; rank < peers_.size(); ++rank) fill(peers_[rank], static_cast<int>(rank), order);
}

void TableShard::number_rows(const ShardOrder& order) {
  while (!planner_->next(plan_)) {
    planner_->begin_batch();
    for (std::size_t t = 0; t < order.tables.size(); ++t) {
      for (int rank = 0; rank < order.trainers(); ++rank)
        planner_->add(rank, static_cast<std::int64_t>(t), ids_of(order, order.tables[t], rank));
    }
    planner_->end_batch();
  }
}

float* TableShard::place(lookahead::Row row) {
  const std::size_t number = numbers_[static_cast<std::size_t>(table(row))];
  return tables_.row(static_cast<std::int64_t>(number), id(row));
}

void TableShard::fill(Peer& peer, int rank, const ShardOrder& order) {
  peer.part = {};
  peer.part.head = order.head;
  peer.part.head.samples = order.samples_of(rank);
  peer.places.clear();
  number_.resize(plan_.rows.size());
  for (std::size_t i = 0; i < plan_.rows.size(); ++i) {
    number_[i] = static_cast<std::uint32_t>(peer.places.size());
    if ((plan_.rows[i].users & lookahead::only(rank)) != 0) peer.places.push_back(place(plan_.rows[i].row));
  }
  std::size_t count = 0;
  for (const ShardOrder::Table& table : order.tables) count += ids_of(order, table, rank).size();
  peer.lookups.resize(count);
  peer.offsets.resize(order.tables.size());
  std::size_t at = 0;
  for (std::size_t t = 0; t < order.tables.size(); ++t) {
    fill_table(peer, rank, order, t, at);
    at += ids_of(order, order.tables[t], rank).size();
  }
}

// `first` is where the lookups of this table begin among the peer's.
void TableShard::fill_table(Peer& peer, int rank, const ShardOrder& order, std::size_t t, std::size_t first) {
  const ShardOrder::Table& table = order.tables[t];
  const std::int64_t begin = order.bounds[static_cast<std::size_t>(rank)];
  const std::uint32_t skipped = first_lookup(table, begin);
  std::size_t planned = skipped;  // where they begin in the plan, which has table after table
  for (std::size_t before = 0; before < t; ++before) planned += order.tables[before].ids.size();
  const std::size_t count = ids_of(order, table, rank).size();
  for (std::size_t i = 0; i < count; ++i) peer.lookups[first + i] = number_[plan_.lookup_rows[planned + i]];
  peer.offsets[t].clear();
  if (!table.offsets.empty()) {
    for (std::int64_t s = 0; s <= peer.part.head.samples; ++s)
      peer.offsets[t].push_back(first_lookup(table, begin + s) - skipped);
  }
  peer.part.tables.push_back(
      {.rows = std::span(peer.lookups).subspan(first, count),
       .offsets = peer.offsets[t],
       .weights = table.weights.empty() ? table.weights : table.weights.subspan(skipped, count)});
}

std::span<const float> TableShard::pooled(int peer) {
  Peer& one = peers_[static_cast<std::size_t>(peer)];
  return one.pooled.pool(one.part, one.places, workers_);
}

void TableShard::take_gradients(int peer, std::span<const float> gradients) {
  Peer& one = peers_[static_cast<std::size_t>(peer)];
  std::size_t size = 0;
  one.sum_places.clear();
  std::vector<std::size_t> starts;
  for (const PlannedRow& row : plan_.rows) {
    if ((row.users & lookahead::only(peer)) == 0) continue;
    starts.push_back(size);
    size += static_cast<std::size_t>(own_.tables[static_cast<std::size_t>(table(row.row))].dim);
  }
  one.sums.resize(size);
  for (const std::size_t start : starts) one.sum_places.push_back(one.sums.data() + start);
  one.pooled.sum(one.pooled.as_pooled(gradients), one.sum_places, workers_);
}

void TableShard::update(std::int64_t step) {
  const embedding::Kernels& kernels = embedding::kernels();
  const embedding::UpdateRule rule = update_rule(own_.optimizer, step);
  std::vector<std::size_t> next(peers_.size(), 0);
  std::vector<float> sum(embedding::kWidestRow);
  for (const PlannedRow& row : plan_.rows) {
    const std::int32_t dim = own_.tables[static_cast<std::size_t>(table(row.row))].dim;
    bool first = true;
    for (std::size_t peer = 0; peer < peers_.size(); ++peer) {
      if ((row.users & lookahead::only(static_cast<int>(peer))) == 0) continue;
      const float* const gradient = peers_[peer].sum_places[next[peer]++];
      if (std::exchange(first, false)) {
        std::memcpy(sum.data(), gradient, static_cast<std::size_t>(dim) * sizeof(float));
      } else {
        kernels.add(dim, gradient, sum.data());
      }
    }
    kernels.apply(rule, dim, sum.data(), place(row.row));
  }
}

}  // namespace overture::train
