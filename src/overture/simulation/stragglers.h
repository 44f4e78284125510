// How long a rank computes that some fault makes slower or stops: the only part of network::Faults that the
// executor asks for. What is drawn depends on the seed, the fault, the rank and the task alone, so that it is
// the same in whatever order tasks run.
#pragma once

#include <cstdint>
#include <vector>

#include "overture/network/faults.h"

namespace overture::simulation {

class Stragglers {
 public:
  Stragglers() = default;  // nobody is slower
  // Throws UserError when a fault names a rank that there is not.
  Stragglers(const network::Faults& faults, int ranks);

  bool empty() const { return faults_.empty(); }
  // When a task that takes `work` on a healthy rank, and begins at `start`, ends on this one; Time::max() if
  // the rank is dead and stays so.
  Time end(int rank, Time start, Duration work, std::uint32_t task) const;
  // When the last of all ranks ends it.
  Time last_end(Time start, Duration work, std::uint32_t task) const;

 private:
  struct Fault {
    Time from{};
    Time until = Time::max();
    network::NodeFault what;
    std::uint64_t number = 0;
  };
  struct Factor {
    Time from{};
    Time until{};
    double factor = 1;  // how much longer it takes meanwhile; 0: it stands still
  };

  double factor(const Fault& fault, int rank, std::uint32_t task) const;

  std::vector<Fault> faults_;
  std::vector<std::vector<std::uint32_t>> of_rank_;  // into faults_
  std::uint64_t seed_ = 1;
};

}  // namespace overture::simulation
