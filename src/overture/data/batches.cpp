#include "overture/data/batches.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/random.h"
#include "overture/data/columns.h"

namespace overture::data {
namespace {

void check_options(const BatchOptions& options) {
  constexpr std::int64_t kMost = 1LL << 31;
  if (options.batch_size < 1 || options.batch_size > kMost) {
    throw UserError({.key = "--mini-batch-size"}, "must be from 1 to 2^31");
  }
  if (options.epochs < 1) throw UserError({.key = "epochs"}, "must be at least 1");
  if (options.shuffle_block < 0 || options.shuffle_block > kMost) {
    throw UserError({.key = "shuffle_block"}, "must be from 0 to 2^31");
  }
  const Split& split = options.split;
  if (split.test_every < 0 || split.test_every == 1 || split.test_last < 0) {
    throw UserError({.key = "split"}, "test_every must be 0 or at least 2, test_last must not be negative");
  }
  if (split.test_every > 0 && split.test_last > 0) {
    throw UserError({.key = "split"}, "either every n-th sample is held out or the last ones, not both");
  }
}

}  // namespace

Batches::Batches(Open open, const BatchOptions& options) : open_(std::move(open)), options_(options) {
  check_options(options_);
  open_epoch();
}

void Batches::open_epoch() {
  reader_ = open_();
  position_ = 0;
  end_ = std::numeric_limits<std::int64_t>::max();
  order_.clear();
  given_ = 0;
  const std::int64_t last = options_.split.test_last;
  if (last == 0 || options_.part == Part::all) {
    if (options_.part == Part::test && options_.split.test_every == 0) end_ = 0;  // nothing is held out
    return;
  }
  const auto samples = reader_->samples();
  if (!samples || *samples < last) {
    throw UserError({.key = "split"},
                    samples ? fmt::format("{} samples cannot be held out of {}", last, *samples)
                            : "the last samples of a text cannot be told before it is read",
                    samples ? "" : "convert it first (overture convert), or hold out every n-th");
  }
  if (options_.part == Part::train) end_ = *samples - last;
  if (options_.part == Part::test) position_ = reader_->skip(*samples - last);
}

// Whether batches can come straight from the reader.
bool Batches::plain() const {
  const bool filtered = options_.part != Part::all && options_.split.test_every > 0;
  return !filtered && options_.shuffle_block == 0;
}

// Whether passing over what is not held out costs less than reading it: evaluation comes often.
bool Batches::can_jump() const {
  return options_.part == Part::test && options_.split.test_every > 0 && options_.shuffle_block == 0 &&
         reader_->samples().has_value();
}

void Batches::jump_to_held_out(Batch& batch) {
  clear(batch, shape());
  const std::int64_t every = options_.split.test_every;
  while (batch.samples < options_.batch_size) {
    position_ += reader_->skip(every - 1 - position_ % every);
    const std::int64_t read = reader_->read(block_, 1);
    if (read == 0) break;
    position_ += read;
    append(batch, block_);
  }
}

bool Batches::wanted(std::int64_t sample) const {
  if (options_.part == Part::all || options_.split.test_every == 0) return true;
  const bool held_out = (sample + 1) % options_.split.test_every == 0;
  return held_out == (options_.part == Part::test);
}

// Reads the next block and decides on its order. False at the end of the epoch.
bool Batches::next_block() {
  constexpr std::int64_t kUnshuffled = 16384;
  const std::int64_t size = options_.shuffle_block > 0 ? options_.shuffle_block : kUnshuffled;
  const std::int64_t first = position_;
  position_ += reader_->read(block_, std::min(size, end_ - position_));
  if (block_.samples == 0) return false;
  order_.clear();
  given_ = 0;
  for (std::int64_t s = 0; s < block_.samples; ++s) {
    if (wanted(first + s)) order_.push_back(static_cast<std::uint32_t>(s));
  }
  if (options_.shuffle_block == 0) return true;
  RandomStream random = RandomStreams(options_.seed).make(fmt::format("shuffle {} {}", epoch_, first));
  for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random.below(i)]);
  return true;
}

bool Batches::fill(Batch& batch) {
  if (plain()) {
    position_ += reader_->read(batch, std::min(options_.batch_size, end_ - position_));
  } else if (can_jump()) {
    jump_to_held_out(batch);
  } else {
    clear(batch, shape());
    while (batch.samples < options_.batch_size) {
      if (given_ == order_.size()) {
        if (!next_block()) break;
        continue;
      }
      const auto missing = static_cast<std::size_t>(options_.batch_size - batch.samples);
      const std::size_t count = std::min(order_.size() - given_, missing);
      append(batch, block_, std::span(order_).subspan(given_, count));
      given_ += count;
    }
  }
  return batch.samples == options_.batch_size || (batch.samples > 0 && !options_.drop_last);
}

bool Batches::next(Batch& batch) {
  if (fill(batch)) return true;
  while (epoch_ + 1 < options_.epochs) {
    ++epoch_;
    open_epoch();
    if (fill(batch)) return true;
  }
  return false;
}

void Batches::skip(std::int64_t batches) {
  if (plain() && batches > 0) {
    // Never so far that the end could be missed: what is left of the epoch is passed over batch by batch.
    if (const auto samples = reader_->samples(); samples.has_value()) {
      const std::int64_t stop = std::min(end_, *samples);
      const std::int64_t whole = std::max<std::int64_t>(0, stop - position_) / options_.batch_size;
      const std::int64_t jump = std::min(batches, whole);
      position_ += reader_->skip(jump * options_.batch_size);
      batches -= jump;
    }
  }
  while (batches-- > 0 && next(passed_)) {
  }
}

}  // namespace overture::data
