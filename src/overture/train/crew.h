// Crew: runs parties of one process, each in a thread. What one throws ends all; the first is thrown on.
#pragma once

#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "overture/rpc/in_process.h"
#include "overture/train/config.h"
#include "overture/train/party_maker.h"

namespace overture::train {

// To and from whoever holds the tables; by address, the oracle first.
std::vector<std::optional<rpc::Link>> links_of(const TrainConfig& config,
                                               const std::vector<MadeParty>& others);

class Crew {
 public:
  // All must outlive it.
  Crew(rpc::InProcess& network, const TrainConfig& config, std::int64_t first_step = 0)
      : network_(network), config_(config), first_step_(first_step) {}
  ~Crew();

  // `ended` is told how the party ended, in its thread. Throws UserError when no more threads can be started;
  // those that run end.
  using Ended = std::function<void(std::exception_ptr)>;
  void add(Party& party, rpc::Address address, Ended ended = {});

  // Waits for all, and throws what one threw.
  void join();

 private:
  void run(Party& party, rpc::Address address, const Ended& ended);

  rpc::InProcess& network_;
  const TrainConfig& config_;
  std::int64_t first_step_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace overture::train
