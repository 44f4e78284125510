// InProcess: parties that are threads of one process. Messages are handed over without a copy, at once, or,
// for parties behind a link, as late as that link would deliver them: so that one machine shows what a
// network does to training.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "overture/base/units.h"
#include "overture/rpc/transport.h"

namespace overture::rpc {

// Between a party and all others. Each direction carries one message after the other.
struct Link {
  Bandwidth rate;
  Duration delay{};
};

class InProcess {
 public:
  // One party per element; without a link, messages take no time.
  explicit InProcess(const std::vector<std::optional<Link>>& links);
  ~InProcess();

  // Each is for one thread at a time.
  Transport& party(Address address);

 private:
  using Clock = std::chrono::steady_clock;
  class Party;

  void deliver(Message message);
  void fail(const Gone& gone);
  Clock::time_point due(const Message& message);

  struct Lane {
    std::optional<Link> link;
    Clock::time_point out_free{};
    Clock::time_point in_free{};
  };

  std::mutex mutex_;  // of the lanes
  std::vector<Lane> lanes_;
  std::vector<std::unique_ptr<Party>> parties_;
};

}  // namespace overture::rpc
