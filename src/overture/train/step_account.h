// What a trainer tells of a step: sums, and where its time went, stretch by stretch.
#pragma once

#include <vector>

#include "overture/train/messages.h"
#include "overture/train/party.h"

namespace overture::train {

// Of a step, by one trainer.
struct StepAccount {
  TrainerReport report;
  std::vector<Span> spans;  // in the order of time

  void add(Activity what, const Interval& when);
  // Those so far do not belong to the step.
  void forget_times();

  void put(rpc::Buffer& payload) const;
  // Throws rpc::BadMessage.
  static StepAccount of(const rpc::Message& message);
};

}  // namespace overture::train
