#include "overture/train/recorder.h"

#include <chrono>
#include <ctime>

#include <unistd.h>

#include "overture/base/version.h"

namespace overture::train {
namespace {

using Clock = std::chrono::steady_clock;

// Shorter rests are nothing but the clock being read.
constexpr std::int64_t kWorthNanoseconds = 200;
// The processor's clocks take half a microsecond each: rarely enough not to matter.
constexpr std::int64_t kComputingEvery = 5'000'000;
constexpr std::int64_t kReceivesPerLook = 16;

std::int64_t nanoseconds_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

recording::Head head_of(const TrainConfig& config, rpc::Address self, std::int64_t first_step) {
  recording::Head head{.party = rpc::index(self),
                       .trainers = config.trainers,
                       .servers = config.servers,
                       .threads = config.threads,
                       .first_step = first_step,
                       .process = getpid(),
                       .machine = this_machine(),
                       .program = version_text(),
                       .dense_features = config.dense_features};
  for (auto kind = Kind::hello; kind <= Kind::saved; kind = Kind{static_cast<std::uint32_t>(kind) + 1})
    head.kinds.emplace_back(name(kind));
  for (const embedding::TableConfig& table : config.tables.tables) {
    head.table_rows.push_back(table.rows);
    head.weighted = head.weighted || table.pooling == embedding::Pooling::weighted;
  }
  return head;
}

}  // namespace

std::int64_t wall_nanoseconds() {
  static const auto offset =
      std::chrono::system_clock::now().time_since_epoch() -
      std::chrono::duration_cast<std::chrono::system_clock::duration>(Clock::now().time_since_epoch());
  return std::chrono::nanoseconds(offset + Clock::now().time_since_epoch()).count();
}

Recorder::Recorder(const TrainConfig& config, rpc::Address self, std::int64_t first_step)
    : writer_(recording::party_file(config.record, rpc::index(self)), head_of(config, self, first_step)) {}

void Recorder::done(Work work, const WorkNumbers& numbers, std::int64_t step) {
  const std::int64_t now = wall_nanoseconds();
  writer_.add(recording::Piece{
      .work = work, .numbers = numbers, .step = step, .begin = last_, .length = now - last_});
  last_ = now;
}

void Recorder::rest(Work work, std::int64_t bytes) {
  const std::int64_t now = wall_nanoseconds();
  if (now - last_ >= kWorthNanoseconds)
    writer_.add(
        recording::Piece{.work = work, .numbers = {bytes, 0, 0}, .begin = last_, .length = now - last_});
  last_ = now;
}

void Recorder::sent(const rpc::Message& message, std::int64_t bytes, std::int64_t begin) {
  last_ = wall_nanoseconds();
  writer_.add(recording::Sent{.begin = begin,
                              .length = last_ - begin,
                              .to = rpc::index(message.to),
                              .kind = message.kind,
                              .step = message.step,
                              .bytes = bytes});
}

void Recorder::receiving(std::int64_t now) {
  if (received_ % kReceivesPerLook == 0) note_computing(now);
}

void Recorder::received(const rpc::Message& message, std::int64_t begin, std::int64_t end) {
  writer_.add(recording::Received{.at = end,
                                  .waited = end - begin,
                                  .from = rpc::index(message.from),
                                  .kind = message.kind,
                                  .step = message.step,
                                  .bytes = static_cast<std::int64_t>(message.payload.size())});
  if (end >= next_computing_ || received_ % kReceivesPerLook == 0) note_computing(end);
  ++received_;
}

void Recorder::note_computing(std::int64_t now) {
  if (!notes_computing_) return;
  writer_.add(recording::Computed{.at = now,
                                  .thread = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID),
                                  .process = nanoseconds_of(CLOCK_PROCESS_CPUTIME_ID)});
  next_computing_ = now + kComputingEvery;
}

void Recorder::finish() {
  note_computing(wall_nanoseconds());
  writer_.finish();
}

}  // namespace overture::train
