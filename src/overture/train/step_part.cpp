#include "overture/train/step_part.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/lookahead/traffic.h"
#include "overture/rpc/wire.h"

namespace overture::train {

static_assert(sizeof(StepHead) == lookahead::kOrderHead && rpc::kHeaderBytes == lookahead::kMessageHeader);

namespace {

template <class T>
std::span<const T> part(const std::vector<T>& all, std::int64_t begin, std::int64_t end) {
  return std::span(all).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
}

// Where the lookups of each sample of the block start, and their weights.
void encode_table(const data::Bags& bags, const Block& block, rpc::WireWriter& out) {
  if (bags.offsets.empty()) {
    out.room<std::uint32_t>(0);
  } else {
    const std::size_t count = static_cast<std::size_t>(block.end - block.begin) + 1;
    std::uint32_t* const offsets = out.room<std::uint32_t>(count);
    for (std::size_t i = 0; i < count; ++i)
      offsets[i] = bags.begin(block.begin + static_cast<std::int64_t>(i)) - bags.begin(block.begin);
  }
  out.put(bags.weights.empty() ? std::span<const float>()
                               : part(bags.weights, bags.begin(block.begin), bags.begin(block.end)));
}

template <class Planner>
void feed_any(Planner& planner, const data::Batch& batch) {
  const int trainers = planner.config().trainers;
  if (batch.tables.size() != planner.config().table_rows.size()) {
    throw UserError(fmt::format("the data has {} tables, the model {}", batch.tables.size(),
                                planner.config().table_rows.size()));
  }
  planner.begin_batch();
  for (std::size_t t = 0; t < batch.tables.size(); ++t) {
    const data::Bags& bags = batch.tables[t];
    for (int trainer = 0; trainer < trainers; ++trainer) {
      const Block block = block_of(batch.samples, trainer, trainers);
      planner.add(trainer, static_cast<std::int64_t>(t),
                  part(bags.ids, bags.begin(block.begin), bags.begin(block.end)));
    }
  }
  planner.end_batch();
}

// What PartEncoder::encode() writes of the samples themselves.
std::int64_t data_size(const data::Batch& batch, const Block& block) {
  using lookahead::numbers_size;
  const std::int64_t samples = block.end - block.begin;
  std::int64_t size = numbers_size(samples) + numbers_size(samples * batch.dense_features) + 8;
  for (const data::Bags& bags : batch.tables) {
    const std::int64_t lookups = bags.begin(block.end) - bags.begin(block.begin);
    size += numbers_size(lookups) + numbers_size(bags.offsets.empty() ? 0 : samples + 1) +
            numbers_size(bags.weights.empty() ? 0 : lookups);
  }
  return size;
}

}  // namespace

void feed(lookahead::Planner& planner, const data::Batch& batch) { feed_any(planner, batch); }

void feed(lookahead::TrafficPlanner& planner, const data::Batch& batch) {
  feed_any(planner, batch);
  const int trainers = planner.config().trainers;
  for (int trainer = 0; trainer < trainers; ++trainer)
    planner.add_data(trainer, data_size(batch, block_of(batch.samples, trainer, trainers)));
}

void PartEncoder::encode(const StepHead& head, const data::Batch& batch, int trainer,
                         rpc::Buffer& buffer) const {
  rpc::WireWriter out(buffer);
  const Block block = block_of(batch.samples, trainer, trainers_);
  StepHead own = head;
  own.samples = block.end - block.begin;
  out.put(own);
  const Part* const shared = trainers_ == 1 ? nullptr : &parts_[static_cast<std::size_t>(trainer)];
  out.put(std::span(shared == nullptr ? plan_->evictions : shared->evictions));
  out.put(std::span(shared == nullptr ? plan_->fetches : shared->fetches));
  out.put(std::span(shared == nullptr ? plan_->rows : shared->rows));
  out.put(part(batch.labels, block.begin, block.end));
  out.put(part(batch.dense, block.begin * batch.dense_features, block.end * batch.dense_features));
  out.put(static_cast<std::uint64_t>(batch.tables.size()));
  std::size_t first = 0;  // of a table's lookups in the plan
  for (const data::Bags& bags : batch.tables) {
    const std::uint32_t begin = bags.begin(block.begin);
    const std::uint32_t end = bags.begin(block.end);
    std::uint32_t* const rows = out.room<std::uint32_t>(end - begin);
    const std::uint32_t* const lookups = plan_->lookup_rows.data() + first + begin;
    for (std::uint32_t i = 0; i < end - begin; ++i)
      rows[i] = shared == nullptr ? lookups[i] : shared->numbers[lookups[i]];
    encode_table(bags, block, out);
    first += bags.begin(batch.samples);
  }
}

// In one walk, however many trainers there are. The order of the plan stays, so that the rows of a table
// still stand together.
void PartEncoder::split(const lookahead::StepPlan& plan, int trainers) {
  plan_ = &plan;
  trainers_ = trainers;
  if (trainers == 1) return;
  parts_.resize(static_cast<std::size_t>(trainers));
  for (Part& one : parts_) {
    one.evictions.clear();
    one.fetches.clear();
    one.rows.clear();
    one.numbers.resize(plan.rows.size());
  }
  const auto each = [&](lookahead::Trainers users, auto give) {
    for (; users != 0; users &= users - 1) give(parts_[static_cast<std::size_t>(std::countr_zero(users))]);
  };
  for (const lookahead::Eviction& one : plan.evictions) parts_[one.owner].evictions.push_back(one);
  for (const lookahead::Fetch& one : plan.fetches)
    each(one.users, [&](Part& to) { to.fetches.push_back(one); });
  for (std::size_t i = 0; i < plan.rows.size(); ++i) {
    each(plan.rows[i].users, [&](Part& to) {
      to.numbers[i] = static_cast<std::uint32_t>(to.rows.size());
      to.rows.push_back(plan.rows[i]);
    });
  }
}

namespace {

using rpc::require;

void check_rows(const StepPart& part, std::size_t tables, int trainers) {
  const auto sound = [&](lookahead::Row row, std::uint32_t slot) {
    return table(row) < static_cast<std::int64_t>(tables) &&
           (slot < part.head.slots || part.head.purpose == Purpose::predict);  // which uses no slots
  };
  for (const lookahead::Eviction& one : part.evictions) require(sound(one.row, one.slot), "an odd eviction");
  for (const lookahead::Fetch& one : part.fetches) require(sound(one.row, one.slot), "an odd fetch");
  std::int64_t last = 0;
  for (const lookahead::PlannedRow& one : part.rows) {
    require(sound(one.row, one.slot) && one.owner < trainers && table(one.row) >= last, "an odd row");
    require(one.users != 0 && static_cast<int>(std::bit_width(one.users)) <= trainers,
            "a row of other trainers");
    last = table(one.row);
  }
}

void check_lookups(const StepPart& part, std::int64_t t, const embedding::TableLookups& lookups) {
  for (const std::uint32_t number : lookups.rows)
    require(number < part.rows.size() && table(part.rows[number].row) == t, "an odd lookup");
  require(lookups.weights.empty() || lookups.weights.size() == lookups.rows.size(), "odd weights");
  if (lookups.offsets.empty()) {
    require(std::ssize(lookups.rows) == part.head.samples, "lookups of other samples");
    return;
  }
  require(std::ssize(lookups.offsets) == part.head.samples + 1 && lookups.offsets.front() == 0 &&
              lookups.offsets.back() == lookups.rows.size() &&
              std::is_sorted(lookups.offsets.begin(), lookups.offsets.end()),
          "odd offsets");
}

}  // namespace

StepPart decode(const rpc::Buffer& buffer, std::size_t tables, int trainers) {
  rpc::WireReader in(buffer);
  StepPart result;
  result.head = in.get<StepHead>();
  result.evictions = in.array<lookahead::Eviction>();
  result.fetches = in.array<lookahead::Fetch>();
  result.rows = in.array<lookahead::PlannedRow>();
  result.labels = in.array<float>();
  result.dense = in.array<float>();
  check_rows(result, tables, trainers);
  require(std::ssize(result.labels) == result.head.samples, "labels of other samples");
  const auto held = in.get<std::uint64_t>();
  require(result.head.purpose == Purpose::flush ? held == 0 : held == tables, "other tables");
  result.tables.resize(held);
  for (std::size_t t = 0; t < held; ++t) {
    embedding::TableLookups& table = result.tables[t];
    table.rows = in.array<std::uint32_t>();
    table.offsets = in.array<std::uint32_t>();
    table.weights = in.array<float>();
    check_lookups(result, static_cast<std::int64_t>(t), table);
  }
  return result;
}

}  // namespace overture::train
