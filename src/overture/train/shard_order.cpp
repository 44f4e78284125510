#include "overture/train/shard_order.h"

#include <algorithm>

#include "overture/rpc/wire.h"

namespace overture::train {
namespace {

template <class T>
std::span<const T> between(const std::vector<T>& all, std::int64_t begin, std::int64_t end) {
  return std::span(all).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
}

void check_table(const ShardOrder::Table& table, std::int64_t samples) {
  rpc::require(table.weights.empty() || table.weights.size() == table.ids.size(), "odd weights");
  if (table.offsets.empty()) {
    rpc::require(std::ssize(table.ids) == samples, "lookups of other samples");
    return;
  }
  rpc::require(std::ssize(table.offsets) == samples + 1 && table.offsets.front() == 0 &&
                   table.offsets.back() == table.ids.size() &&
                   std::is_sorted(table.offsets.begin(), table.offsets.end()),
               "odd offsets");
}

}  // namespace

void encode(const StepHead& head, const data::Batch& batch, std::span<const std::int64_t> bounds, int trainer,
            std::span<const std::size_t> tables, rpc::Buffer& buffer) {
  const std::int64_t begin = bounds[static_cast<std::size_t>(trainer)];
  const std::int64_t end = bounds[static_cast<std::size_t>(trainer) + 1];
  rpc::WireWriter out(buffer);
  StepHead own = head;
  own.samples = end - begin;
  out.put(own);
  out.put(bounds);
  out.put(between(batch.labels, begin, end));
  out.put(between(batch.dense, begin * batch.dense_features, end * batch.dense_features));
  for (const std::size_t t : tables) {
    const data::Bags& bags = batch.tables[t];
    out.put(std::span<const std::int64_t>(bags.ids));
    out.put(std::span<const std::uint32_t>(bags.offsets));
    out.put(std::span<const float>(bags.weights));
  }
}

ShardOrder decode_shard(const rpc::Buffer& buffer, std::size_t tables, int trainers) {
  rpc::WireReader in(buffer);
  ShardOrder order;
  order.head = in.get<StepHead>();
  order.bounds = in.array<std::int64_t>();
  rpc::require(std::ssize(order.bounds) == trainers + 1 && order.bounds.front() == 0 &&
                   order.bounds.back() == order.head.global_samples &&
                   std::is_sorted(order.bounds.begin(), order.bounds.end()),
               "odd shares of a batch");
  order.labels = in.array<float>();
  order.dense = in.array<float>();
  rpc::require(std::ssize(order.labels) == order.head.samples, "labels of other samples");
  for (std::size_t t = 0; t < tables; ++t) {
    ShardOrder::Table& table = order.tables.emplace_back();
    table.ids = in.array<std::int64_t>();
    table.offsets = in.array<std::uint32_t>();
    table.weights = in.array<float>();
    check_table(table, order.head.global_samples);
  }
  return order;
}

}  // namespace overture::train
