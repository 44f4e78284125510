#include "overture/lookahead/plan_code.h"

#include <limits>

#include "overture/base/error.h"

namespace overture::lookahead {
namespace {

class Encoder {
 public:
  explicit Encoder(std::string& bytes) : bytes_(bytes) {}

  void operator()(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  void row(Row row) {
    (*this)(static_cast<std::uint64_t>(table(row)));
    (*this)(static_cast<std::uint64_t>(id(row)));
  }

 private:
  std::string& bytes_;
};

// After the first number that is missing or too large, all are 0 and ok() is false.
class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  bool complete() const { return ok_ && bytes_.empty(); }

  std::uint64_t operator()(std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) {
    std::uint64_t value = 0;
    for (int shift = 0; ok_; shift += 7) {
      ok_ = !bytes_.empty() && shift < 64;
      if (!ok_) break;
      const auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) break;
    }
    ok_ = ok_ && value <= most;
    return ok_ ? value : 0;
  }
  template <class Number>
  Number as() {
    return static_cast<Number>((*this)(static_cast<std::uint64_t>(std::numeric_limits<Number>::max())));
  }
  // How many items follow; each takes a byte at least, so a damaged count cannot ask for memory without end.
  std::size_t count() { return (*this)(bytes_.size()); }
  Row row() {
    const auto table = (*this)(kMostTables - 1);
    return make_row(static_cast<std::int64_t>(table), static_cast<std::int64_t>((*this)(kMostRows - 1)));
  }

 private:
  std::string_view bytes_;
  bool ok_ = true;
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
