// Batches: the batches that training takes from a dataset: of one size, from the training or the held-out
// part, in the order of the dataset or shuffled within blocks. What comes depends on the dataset and these
// options alone, never on timing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "overture/data/batch.h"
#include "overture/data/sample_reader.h"

namespace overture::data {

enum class Part { all, train, test };

// Which samples are held out for testing: either every n-th, or the last ones (as with logs in order of
// time; only for datasets whose length is known).
struct Split {
  std::int64_t test_every = 0;  // samples n-1, 2n-1, ... are held out; 0: none
  std::int64_t test_last = 0;   // 0: none
};

struct BatchOptions {
  std::int64_t batch_size = 2048;
  bool drop_last = false;  // a last batch that is not full
  Part part = Part::all;
  Split split;
  std::int64_t shuffle_block = 0;  // samples that are shuffled with each other, and kept in memory; 0: none
  std::uint64_t seed = 1;
  std::int64_t epochs = 1;  // every epoch is shuffled differently; batches do not reach across
};

class Batches final : public BatchSource {
 public:
  // Opens the dataset from its start, once for every epoch.
  using Open = std::function<std::unique_ptr<SampleReader>()>;

  // Throws UserError when an option makes no sense for the dataset.
  Batches(Open open, const BatchOptions& options);

  bool next(Batch& batch) override;
  void skip(std::int64_t batches) override;
  const Shape& shape() const { return reader_->shape(); }
  // Of the epoch that is read.
  const SampleReader& reader() const { return *reader_; }

 private:
  void open_epoch();
  bool fill(Batch& batch);
  bool next_block();
  bool wanted(std::int64_t sample) const;
  bool plain() const;
  bool can_jump() const;
  void jump_to_held_out(Batch& batch);

  Open open_;
  BatchOptions options_;
  std::unique_ptr<SampleReader> reader_;
  std::int64_t epoch_ = 0;
  std::int64_t position_ = 0;         // samples of this epoch that the reader has given or passed over
  std::int64_t end_ = 0;              // where to stop reading
  Batch block_;                       // what was read and is waiting; unless plain()
  std::vector<std::uint32_t> order_;  // the samples of the block that are wanted, as they come
  std::size_t given_ = 0;             // of order_
  Batch passed_;
};

}  // namespace overture::data
