// StepPart: what one trainer is told of one step: which rows to write back, which to ask for, and its share
// of the batch, whose lookups are numbers of rows instead of ids. A view: it points into a message, or into
// a batch and its plan.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "overture/data/batch.h"
#include "overture/embedding/lookups.h"
#include "overture/lookahead/plan.h"
#include "overture/lookahead/planner.h"
#include "overture/rpc/message.h"

namespace overture::lookahead {
class TrafficPlanner;
}

namespace overture::train {

// What a step is for.
enum class Purpose : std::uint8_t {
  train,
  predict,  // a batch that is only computed forward, by one trainer; nothing comes into the cache
  flush,    // the step after the last batch: everything left is written back
};

struct StepHead {
  std::int32_t batch = 0;           // as the planner counts: from 0, also in a resumed run
  std::uint32_t slots = 0;          // that the cache needs
  std::int64_t samples = 0;         // of this trainer
  std::int64_t global_samples = 0;  // of all
  Purpose purpose = Purpose::train;
  std::uint8_t clean_up = 0;  // whether rows may leave and come at this step
};

struct StepPart {
  StepHead head;
  std::span<const lookahead::Eviction> evictions;  // that this trainer writes back
  std::span<const lookahead::Fetch> fetches;       // that it asks for
  std::span<const lookahead::PlannedRow> rows;     // that it looks up, in the order of their numbers
  std::span<const float> labels;
  std::span<const float> dense;
  std::vector<embedding::TableLookups> tables;
};

// Samples [begin, end) of a batch belong to trainer `trainer` of so many.
struct Block {
  std::int64_t begin;
  std::int64_t end;
};
constexpr Block block_of(std::int64_t samples, int trainer, int trainers) {
  return {samples * trainer / trainers, samples * (trainer + 1) / trainers};
}

// Gives the planner a batch, table by table, the trainers' shares one after the other. Throws UserError when
// the batch does not have the planner's tables.
void feed(lookahead::Planner& planner, const data::Batch& batch);
// The same for who counts what is sent.
void feed(lookahead::TrafficPlanner& planner, const data::Batch& batch);

// Makes the messages for all trainers of a plan; keeps memory from plan to plan.
class PartEncoder {
 public:
  // The plan must stay as it is until the last message of it is made.
  void split(const lookahead::StepPlan& plan, int trainers);
  void encode(const StepHead& head, const data::Batch& batch, int trainer, rpc::Buffer& buffer) const;

 private:
  struct Part {
    std::vector<lookahead::Eviction> evictions;
    std::vector<lookahead::Fetch> fetches;
    std::vector<lookahead::PlannedRow> rows;
    std::vector<std::uint32_t> numbers;  // of the plan's rows, among this trainer's, where it has them
  };

  const lookahead::StepPlan* plan_ = nullptr;
  int trainers_ = 1;
  std::vector<Part> parts_;  // by trainer; one trainer's part is the plan
};

// Throws rpc::BadMessage when the message does not fit together: with itself, or with so many tables and
// trainers.
StepPart decode(const rpc::Buffer& buffer, std::size_t tables, int trainers);

}  // namespace overture::train
