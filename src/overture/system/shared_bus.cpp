#include "overture/system/shared_bus.h"

#include <algorithm>

#include "overture/base/check.h"

namespace overture::system {
namespace {

constexpr int kMaxConsecutiveSends = 8;         // then the partner gets a turn
constexpr double kMemoryGapPerByteNs = 0.0038;  // G of the memory behind the NPU
constexpr Duration kReductionSetUp = Nanoseconds{50};

SharedBus memory_config(SharedBus config) {
  config.gap_per_byte_ns = kMemoryGapPerByteNs;
  return config;
}

}  // namespace

void BusSide::request(Bytes size, bool reduce, bool send_back, Action done) {
  const Transfer transfer{size, reduce, send_back, done};
  if (memory_ != nullptr) {
    memory_->far().request(size, false, false,
                           [this, parked = parked_.keep(transfer)] { queue_send(parked); });
    return;
  }
  sends_.push_back(transfer);
  try_send();
}

void BusSide::try_send() {
  if (state_ != State::free || sends_.empty()) return;
  if (consecutive_sends_ > kMaxConsecutiveSends && !partner_->sends_.empty() &&
      partner_->consecutive_sends_ <= kMaxConsecutiveSends) {
    partner_->try_send();
    return;
  }
  send_next();
}

void BusSide::send_next() {
  const Duration idle = clock_.now() - last_transfer_;
  const bool gap_over = previous_ != State::sending || config_.overhead + idle > config_.gap;
  const Duration offset = gap_over ? config_.overhead : config_.gap - idle;
  const Transfer transfer = sends_.front();
  partner_->receive(transfer, offset);
  sends_.pop_front();
  state_ = State::sending;
  clock_.after(with_gaps(offset, transfer.size), [this] { sent(); });
}

// Serialisation of all bytes but the first; the sum is cut to whole cycles. A message of no bytes, as a chunk
// smaller than its group has them, saves the time of one: so in the original.
Duration BusSide::with_gaps(Duration offset, Bytes size, Duration latency, Duration overhead) const {
  const double gaps = config_.gap_per_byte_ns * static_cast<double>(size.count() - 1);
  check_transfer_ns(std::max(gaps, 0.0));
  const auto cycles = [&](Duration time) {
    return static_cast<double>(time.count()) / static_cast<double>(cycle_.count());
  };
  const double sum = cycles(offset) + gaps / to_ns(cycle_) + cycles(latency) + cycles(overhead);
  return cycle_ * static_cast<std::int64_t>(std::max(sum, 0.0));
}

void BusSide::receive(const Transfer& transfer, Duration offset) {
  receives_.push_back(transfer);
  previous_ = state_;
  state_ = State::receiving;
  consecutive_sends_ = 0;
  clock_.after(with_gaps(offset, transfer.size, config_.latency, config_.overhead), [this] { received(); });
}

void BusSide::sent() {
  last_transfer_ = clock_.now();
  previous_ = state_;
  state_ = State::free;
  ++consecutive_sends_;
  try_send();
}

void BusSide::received() {
  check(!receives_.empty(), "something was received");
  last_transfer_ = clock_.now();
  previous_ = state_;
  if (receives_.size() < 2) state_ = State::free;
  Transfer transfer = receives_.front();
  receives_.pop_front();
  Action done;
  if (transfer.reduce) {
    transfer.reduce = false;
    if (memory_ != nullptr) {
      memory_->npu().request(transfer.size, false, true,
                             [this, parked = parked_.keep(transfer)] { queue_reduction(parked); });
    } else {
      reductions_.push_back(transfer);
    }
    start_reduction();
  } else {
    done = dispose(transfer);
  }
  if (done) done();
  try_send();
}

Action BusSide::dispose(Transfer transfer) {
  if (transfer.send_back) {
    transfer.send_back = false;
    if (memory_ != nullptr) {
      memory_->npu().request(transfer.size, false, true,
                             [this, parked = parked_.keep(transfer)] { queue_send(parked); });
    } else {
      sends_.push_back(transfer);
    }
  } else if (memory_ != nullptr) {
    memory_->npu().request(transfer.size, false, false,
                           [this, parked = parked_.keep(transfer)] { retire(parked); });
  } else {
    return transfer.done;
  }
  return {};
}

void BusSide::start_reduction() {
  if (reducing_ || reductions_.empty()) return;
  reducing_ = true;
  const std::int64_t units = reductions_.front().size.count() / 100;
  check_transfer_ns(to_ns(config_.local_reduction) * static_cast<double>(units));
  clock_.after(config_.local_reduction * units + kReductionSetUp, [this] { reduced(); });
}

void BusSide::reduced() {
  reducing_ = false;
  const Transfer transfer = reductions_.front();
  reductions_.pop_front();
  if (Action done = dispose(transfer)) done();
  start_reduction();
  try_send();
}

void BusSide::queue_send(std::uint32_t parked) {
  sends_.push_back(parked_.release(parked));
  try_send();
}

void BusSide::queue_reduction(std::uint32_t parked) {
  reductions_.push_back(parked_.release(parked));
  start_reduction();
  try_send();
}

void BusSide::retire(std::uint32_t parked) {
  Transfer transfer = parked_.release(parked);
  transfer.done();
  try_send();
}

Bus::Bus(const SharedBus& config, Duration cycle, CycleClock& clock)
    : npu_(config, cycle, clock), far_(config, cycle, clock) {
  npu_.connect(far_);
  far_.connect(npu_);
}

SharedBusEndpoint::SharedBusEndpoint(const SharedBus& config, Duration cycle, CycleClock& clock)
    : memory_(memory_config(config), cycle, clock), bus_(config, cycle, clock) {
  bus_.npu().attach_memory(memory_);
}

void SharedBusEndpoint::pass(Bytes size, const Preparation& preparation, Action passed) {
  BusSide& from = preparation.own_data ? bus_.npu() : bus_.far();
  from.request(size, preparation.reduce, preparation.send_back, passed);
}

}  // namespace overture::system
