// Carries messages between ranks in simulated time. The backends differ in what they model (closed form,
// queues on links, max-min fair flows, packets, rotors), never in what a caller sees: the contract stands
// here, once, and network_conformance_test.cpp plays it on all of them.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "overture/base/action.h"
#include "overture/base/check.h"
#include "overture/base/ids.h"
#include "overture/base/pool.h"
#include "overture/base/units.h"
#include "overture/network/exchange.h"
#include "overture/network/record.h"
#include "overture/sim/event_queue.h"

namespace overture::network {

inline constexpr std::uint32_t kNoTask = std::numeric_limits<std::uint32_t>::max();

// What a message belongs to, for records only: no network looks at it.
struct MessageName {
  std::uint32_t task = kNoTask;  // of a task graph, which knows its layer and kind
  std::int32_t chunk = -1;       // of the task's collective
  friend bool operator==(const MessageName&, const MessageName&) = default;
};

struct Message {
  Rank from;
  Rank to;
  Bytes size;
  MessageName name{};
  // For a network that has lanes for the queues of the system layer: which queue, counted through all
  // dimensions, and which chunk's traffic it is. The others do not ask.
  std::int32_t lane = 0;
  std::int32_t stream = 0;
  // Inside of the first machine of a network of ranks_of_machine(): stands for the like in so many machines.
  std::int32_t machines = 1;
};

// A message that has arrived.
struct Delivery {
  Message message;
  Time start{};
  Time end{};
};

class Network {
 public:
  using Observer = std::function<void(const Delivery&)>;

  // `events` outlives the network. Ranks are 0 to ranks - 1.
  Network(int ranks, sim::EventQueue& events) : events_(events), ranks_(ranks) {}
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;
  virtual ~Network() = default;

  int ranks() const { return ranks_; }

  // Starts carrying `message` now. Called before the event queue runs or from its events, deliveries among
  // them. Calls `delivered`, if it is not empty, exactly once, from the event queue, when the last byte has
  // reached message.to and never earlier than the wires allow (the closed form cuts to whole nanoseconds).
  // - Both ranks exist and the size is not negative: check().
  // - A message to its own rank takes no time and no link.
  // - A message of 0 bytes is delivered as any other; a backend that needs something to carry takes 1 byte.
  // - Messages of one pair may overtake each other, unless the backend says otherwise.
  void send(const Message& message, Action delivered) {
    check(is_rank(message.from) && is_rank(message.to), "messages go between ranks of the network");
    check(message.size >= Bytes{}, "a message has no negative size");
    if (!delivered) delivered = [] {};
    if (observer_) delivered = observed(message, delivered);
    if (message.from == message.to) return events_.after(Duration::zero(), delivered);
    carry(message, delivered);
  }

  // Makes a group of distinct ranks known, in order.
  GroupId add_group(std::vector<Rank> ranks);

  // Sends a message of `size` along every pair of the pattern now, and calls `done` once, from the event
  // queue, when the last one has arrived; after no time if the pattern has no pairs.
  void exchange(Pattern pattern, GroupId group, Bytes size, MessageName name, Action done);

  // Before the first message: from now on notes at regular moments what every link carries and what waits
  // before it, within 64 MB. A network without links has nothing to watch.
  virtual void watch(const MonitorConfig& config);
  // Until now. Without watch(), a backend may leave out what it would have to count for it.
  virtual NetworkRecord record();

  // Told of every message as it is delivered, those of exchanges among them, before its `delivered` runs.
  // Set before the first message; messages take as long as without.
  void on_delivery(Observer observer) { observer_ = std::move(observer); }

  // Ranks in blocks of so many, each block a machine: what they send each other meets nothing of other
  // machines, is carried alike in each, and arrives no later than what is sent to another machine at the same
  // time. So where machines do the same, the messages of the first one may stand for all. 0: it is not so.
  virtual int ranks_of_machine() const { return 0; }

  // Something happens at `rank` now. Only a network whose interfaces sleep until something wakes them asks.
  virtual void rank_acts(Rank) {}

 protected:
  // Between two different ranks; `delivered` is not empty.
  virtual void carry(const Message& message, Action delivered) = 0;
  // At least one pair. By default message by message.
  virtual void carry_exchange(Pattern pattern, GroupId group, Bytes size, MessageName name, Action done);

  sim::EventQueue& events() const { return events_; }
  const std::vector<Rank>& group(GroupId id) const { return groups_[static_cast<std::size_t>(id)]; }
  // For a backend that carries an exchange as a whole: is somebody to be told of its messages?
  bool is_observed() const { return static_cast<bool>(observer_); }
  // Once for every machine, if it stands for several.
  void tell(Delivery delivery) const;
  static Bytes at_least_one(Bytes size) { return size < Bytes{1} ? Bytes{1} : size; }

 private:
  struct Exchange {
    std::int64_t missing = 0;
    Action done;
  };
  struct Observed {
    Message message;
    Time start{};
    Action delivered;
  };

  bool is_rank(Rank rank) const { return index(rank) >= 0 && index(rank) < ranks_; }
  Action observed(const Message& message, Action delivered);
  void arrived(std::uint32_t exchange);

  sim::EventQueue& events_;
  int ranks_;
  std::vector<std::vector<Rank>> groups_;
  Pool<Exchange> exchanges_;  // under way, message by message
  Observer observer_;
  Pool<Observed> observed_;  // under way
};

}  // namespace overture::network
