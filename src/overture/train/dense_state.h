// DenseState: the dense part for a checkpoint, which trainers send to the oracle: each its share of the
// parameters with what the optimizer remembers of it, or one of them alone what only its own program
// understands.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "overture/train/learner.h"
#include "overture/train/messages.h"

namespace overture::train {

rpc::Message dense_state_message(Learner& learner, const Parties& parties, int rank);
// Of a program that brings its own model.
rpc::Message dense_state_message(const std::string& state, const Parties& parties);

class DenseState {
 public:
  explicit DenseState(const Parties& parties) : parties_(parties) {}

  // Throws rpc::BadMessage.
  void take(rpc::Message message);
  bool complete() const { return came_ > 0 && came_ == std::ssize(parts_); }
  // Once it is complete. Gives how many parameters there are.
  std::int64_t save(const std::filesystem::path& into) const;

 private:
  struct Part {
    rpc::Message message;  // what the others view
    std::span<const float> values;
    std::span<const float> memory;  // of the optimizer: some arrays, each as long as the values
    std::string state;
    bool came = false;
  };

  Parties parties_;
  std::vector<Part> parts_;  // by rank
  std::int64_t came_ = 0;
};

}  // namespace overture::train
