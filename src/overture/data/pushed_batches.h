// PushedBatches: a source whose batches another thread brings, such as a program that reads data of its own.
// Whoever takes them waits; `wanted` is called, in the taker's thread, whenever one is missing.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

#include "overture/data/batch.h"

namespace overture::data {

class PushedBatches final : public BatchSource {
 public:
  explicit PushedBatches(std::function<void()> wanted) : wanted_(std::move(wanted)) {}

  bool next(Batch& batch) override;

  // For the thread that brings them.
  bool wants() const;
  void push(Batch batch);
  // No more will come.
  void end();

 private:
  std::function<void()> wanted_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Batch> batches_;
  bool wants_ = false;
  bool ended_ = false;
};

}  // namespace overture::data
