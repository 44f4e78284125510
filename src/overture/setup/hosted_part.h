// HostedPart: a trainer among processes whose model another program computes: a thread that meets the others,
// is told the setup of all, and takes part until training ends.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "overture/setup/by_hand.h"
#include "overture/setup/remote_training.h"
#include "overture/train/hosted_trainer.h"

namespace overture::setup {

class HostedPart {
 public:
  // Throws UserError when the numbers make no sense.
  HostedPart(const ByHand& given, Started started);
  // A thread that still waits for others is left to itself; they notice when the program ends.
  ~HostedPart();

  // Whether all are there and the trainer can be used; false after `patience`. Throws what went wrong.
  bool ready(std::chrono::milliseconds patience);
  // Once it is ready:
  train::HostedTrainer& trainer();
  const train::TrainConfig& config() const;
  std::int64_t first_step() const;
  // What a checkpoint kept for this program; empty when there is none.
  const std::string& state() const;

  // This program gives up, and lets the others know if it can.
  void abandon(const std::string& why);
  // Waits until training has ended for all; throws what went wrong.
  void finish();

 private:
  struct Shared;
  static void take_part(const std::shared_ptr<Shared>& shared);

  std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

}  // namespace overture::setup
