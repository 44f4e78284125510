#include "overture/lookahead/plan_code.h"

#include <limits>

#include "overture/base/error.h"
#include "overture/base/varint.h"

namespace overture::lookahead {
namespace {

class Encoder : public VarintWriter {
 public:
  using VarintWriter::VarintWriter;

  void row(Row row) {
    (*this)(static_cast<std::uint64_t>(table(row)));
    (*this)(static_cast<std::uint64_t>(id(row)));
  }
};

class Decoder : public VarintReader {
 public:
  using VarintReader::VarintReader;

  Row row() {
    const auto table = (*this)(kMostTables - 1);
    return make_row(static_cast<std::int64_t>(table), static_cast<std::int64_t>((*this)(kMostRows - 1)));
  }
};

constexpr std::uint64_t kFlush = 1;
constexpr std::uint64_t kCleanUp = 2;

std::uint64_t unsign(std::int64_t value) { return static_cast<std::uint64_t>(value); }

// Batches of the window are written as distances from the batch that runs; 0 for none.
void encode_row(const PlannedRow& row, std::int32_t batch, Encoder& put) {
  put.row(row.row);
  put(row.users);
  put(row.next_users);
  put(row.slot);
  put(unsign(row.count) << 1 | (row.event == Event::prefetch ? 1u : 0u));
  put(unsign(row.ttl - batch));
  put(row.next_use == kNever ? 0 : unsign(row.next_use - batch));
}

void decode_row(Decoder& take, std::int32_t batch, std::int32_t trainers, PlannedRow& row) {
  const auto most_distance = unsign(std::numeric_limits<std::int32_t>::max() - batch);
  row.row = take.row();
  row.users = take();
  row.next_users = take();
  row.slot = take.as<std::uint32_t>();
  const std::uint64_t count = take(std::uint64_t{std::numeric_limits<std::uint32_t>::max()} << 1 | 1);
  row.count = static_cast<std::uint32_t>(count >> 1);
  row.event = (count & 1) != 0 ? Event::prefetch : Event::hit;
  row.ttl = batch + static_cast<std::int32_t>(take(most_distance));
  const auto next = static_cast<std::int32_t>(take(most_distance));
  row.next_use = next == 0 ? kNever : batch + next;
  row.owner = row.users == 0 ? 0 : static_cast<std::uint8_t>(owner(row.row, row.users, trainers));
  row.sync = sync_class(batch, row.next_use, row.users);
}

}  // namespace

void encode(const PlannerConfig& config, std::string& bytes) {
  Encoder put(bytes);
  put(unsign(config.lookahead));
  put(config.prefetch_depth ? unsign(*config.prefetch_depth) : 0);
  put(unsign(config.cleanup_interval));
  put(config.capacity ? unsign(*config.capacity) : 0);
  put(unsign(config.trainers));
  put(config.index_lookups ? 1 : 0);
  put(config.table_rows.size());
  for (const std::int64_t rows : config.table_rows) put(unsign(rows));
}

bool decode(std::string_view bytes, PlannerConfig& config) {
  Decoder take(bytes);
  config.lookahead = take.as<std::int32_t>();
  if (const auto depth = take.as<std::int32_t>(); depth != 0) config.prefetch_depth = depth;
  config.cleanup_interval = take.as<std::int32_t>();
  if (const auto capacity = take.as<std::int64_t>(); capacity != 0) config.capacity = capacity;
  config.trainers = take.as<std::int32_t>();
  config.index_lookups = take(1) != 0;
  config.table_rows.resize(take.count());
  for (std::int64_t& rows : config.table_rows) rows = take.as<std::int64_t>();
  if (!take.complete()) return false;
  try {
    validate(config);
  } catch (const UserError&) {
    return false;
  }
  return true;
}

void encode(const StepPlan& plan, std::string& bytes) {
  Encoder put(bytes);
  put(unsign(plan.batch));
  put((plan.flush ? kFlush : 0) | (plan.clean_up ? kCleanUp : 0));
  put(unsign(plan.window_end + 1));  // -1 in a stream without batches
  put(unsign(plan.issue_step));
  for (const std::int64_t n :
       {plan.lookups, plan.prefetches, plan.window_rows, plan.occupancy, plan.resident}) {
    put(unsign(n));
  }
  put(plan.evictions.size());
  for (const Eviction& eviction : plan.evictions) {
    put.row(eviction.row);
    put(eviction.slot);
    put(eviction.owner);
  }
  put(plan.fetches.size());
  for (const Fetch& fetch : plan.fetches) {
    put.row(fetch.row);
    put(fetch.users);
    put(fetch.slot);
    put(unsign(fetch.for_batch));
  }
  put(plan.rows.size());
  for (const PlannedRow& row : plan.rows) encode_row(row, plan.batch, put);
  put(plan.lookup_rows.size());
  for (const std::uint32_t row : plan.lookup_rows) put(row);
}

bool decode(std::string_view bytes, const PlannerConfig& config, StepPlan& plan) {
  Decoder take(bytes);
  plan.batch = take.as<std::int32_t>();
  const std::uint64_t flags = take(kFlush | kCleanUp);
  plan.flush = (flags & kFlush) != 0;
  plan.clean_up = (flags & kCleanUp) != 0;
  plan.window_end = take.as<std::int32_t>() - 1;
  plan.issue_step = take.as<std::int32_t>();
  for (std::int64_t* n :
       {&plan.lookups, &plan.prefetches, &plan.window_rows, &plan.occupancy, &plan.resident}) {
    *n = take.as<std::int64_t>();
  }
  plan.evictions.resize(take.count());
  for (Eviction& eviction : plan.evictions) {
    eviction.row = take.row();
    eviction.slot = take.as<std::uint32_t>();
    eviction.owner = take.as<std::uint8_t>();
  }
  plan.fetches.resize(take.count());
  for (Fetch& fetch : plan.fetches) {
    fetch.row = take.row();
    fetch.users = take();
    fetch.slot = take.as<std::uint32_t>();
    fetch.for_batch = take.as<std::int32_t>();
  }
  plan.rows.resize(take.count());
  for (PlannedRow& row : plan.rows) decode_row(take, plan.batch, config.trainers, row);
  plan.lookup_rows.resize(take.count());
  for (std::uint32_t& row : plan.lookup_rows) row = take.as<std::uint32_t>();
  return take.complete();
}

}  // namespace overture::lookahead
