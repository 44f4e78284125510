#include "overture/rpc/in_process.h"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <queue>
#include <utility>

#include "overture/base/check.h"

namespace overture::rpc {
namespace {

using Clock = std::chrono::steady_clock;

Clock::duration on_the_clock(Duration duration) { return std::chrono::ceil<Clock::duration>(duration); }

}  // namespace

class InProcess::Party : public Transport {
 public:
  Party(InProcess& network, Address self) : network_(network), self_(self) {}

  void send(Message message) override {
    message.from = self_;
    network_.deliver(std::move(message));
  }

  Received receive() override {
    std::unique_lock lock(mutex_);
    while (!gone_) {
      if (queue_.empty()) {
        arrived_.wait(lock);
      } else if (queue_.top().due > Clock::now()) {
        const Clock::time_point due = queue_.top().due;  // waiting looks at it again when the queue has moved
        arrived_.wait_until(lock, due);
      } else {
        Message message =
            std::move(const_cast<Waiting&>(queue_.top()).message);  // it leaves the queue at once
        queue_.pop();
        return message;
      }
    }
    return *gone_;
  }

  void fail(const std::string& why) override { network_.fail({self_, why}); }

  void put(Message message, Clock::time_point due) {
    {
      const std::lock_guard lock(mutex_);
      queue_.push({due, count_++, std::move(message)});
    }
    arrived_.notify_one();
  }

  void note(const Gone& gone) {
    {
      const std::lock_guard lock(mutex_);
      if (!gone_) gone_ = gone;
    }
    arrived_.notify_all();
  }

 private:
  struct Waiting {
    Clock::time_point due;
    std::uint64_t number;  // those of one time keep their order
    Message message;

    bool operator<(const Waiting& other) const {
      return std::pair(other.due, other.number) < std::pair(due, number);  // the earliest on top
    }
  };

  InProcess& network_;  // outlives its parties
  Address self_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::priority_queue<Waiting> queue_;
  std::uint64_t count_ = 0;
  std::optional<Gone> gone_;
};

InProcess::InProcess(const std::vector<std::optional<Link>>& links) {
  for (std::size_t i = 0; i < links.size(); ++i) {
    lanes_.push_back({.link = links[i]});
    parties_.push_back(std::make_unique<Party>(*this, Address{static_cast<std::int32_t>(i)}));
  }
}

InProcess::~InProcess() = default;

Transport& InProcess::party(Address address) {
  return *parties_.at(static_cast<std::size_t>(index(address)));
}

void InProcess::fail(const Gone& gone) {
  for (const auto& party : parties_) party->note(gone);
}

void InProcess::deliver(Message message) {
  const auto to = static_cast<std::size_t>(index(message.to));
  check(to < parties_.size(), "a message goes to one of the parties");
  const Clock::time_point when = due(message);
  parties_[to]->put(std::move(message), when);
}

// First over the sender's link, then over the receiver's, as through a switch that forwards whole messages.
InProcess::Clock::time_point InProcess::due(const Message& message) {
  Lane& out = lanes_[static_cast<std::size_t>(index(message.from))];
  Lane& in = lanes_[static_cast<std::size_t>(index(message.to))];
  if (!out.link && !in.link) return {};
  const Bytes size{static_cast<std::int64_t>(message.payload.size()) + kHeaderBytes};
  const std::lock_guard lock(mutex_);
  Clock::time_point when = Clock::now();
  const auto carry = [&](Clock::time_point& free, const std::optional<Link>& link) {
    if (!link) return;
    free = std::max(free, when) + on_the_clock(transfer_time(size, link->rate));
    when = free + on_the_clock(link->delay);
  };
  carry(out.out_free, out.link);
  carry(in.in_free, in.link);
  return when;
}

}  // namespace overture::rpc
