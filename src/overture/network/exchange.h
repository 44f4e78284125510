// Many messages of one size at once, told by their pattern instead of one by one: a round of a collective. A
// backend that sees the pattern as a whole can carry a million messages for the price of a few; for all
// others there is MessageExchanges.
#pragma once

#include <cstdint>
#include <vector>

#include "overture/network/network.h"
#include "overture/sim/event_queue.h"

namespace overture::network {

enum class Pattern : std::uint8_t {
  ring,        // each rank of the group to the next, the last to the first
  all_pairs,   // each rank to every other
  to_first,    // every other rank to the first of the group
  from_first,  // the first to every other
};

// Calls `visit(from, to)` for every message of a pattern, always in the same order.
template <class Visit>
void for_each_pair(Pattern pattern, const std::vector<Rank>& group, Visit visit) {
  const std::size_t size = group.size();
  for (std::size_t i = 0; i < size; ++i) {
    if (pattern == Pattern::ring && size > 1) visit(group[i], group[(i + 1) % size]);
    if (pattern == Pattern::to_first && i > 0) visit(group[i], group[0]);
    if (pattern == Pattern::from_first && i > 0) visit(group[0], group[i]);
    // Rotated, so that no rank is everybody's first.
    for (std::size_t j = 1; pattern == Pattern::all_pairs && j < size; ++j)
      visit(group[i], group[(i + j) % size]);
  }
}
std::int64_t messages(Pattern pattern, std::size_t group_size);

enum class GroupId : std::int32_t {};

class Exchanges {
 public:
  virtual ~Exchanges() = default;

  // Makes a group of distinct ranks known, in order.
  virtual GroupId add_group(std::vector<Rank> ranks) = 0;

  // Sends a message of `size` along every pair of the pattern now, and calls `done` once, from the event
  // queue, when the last one has arrived.
  virtual void exchange(Pattern pattern, GroupId group, Bytes size, Action done) = 0;
};

// Exchanges on any network, message by message.
class MessageExchanges final : public Exchanges {
 public:
  // Both outlive the exchanges.
  MessageExchanges(Network& network, sim::EventQueue& events) : network_(network), events_(events) {}

  GroupId add_group(std::vector<Rank> ranks) override;
  void exchange(Pattern pattern, GroupId group, Bytes size, Action done) override;

 private:
  struct Running {
    std::int64_t missing = 0;
    Action done;
  };
  void arrived(std::uint32_t running);

  Network& network_;
  sim::EventQueue& events_;
  std::vector<std::vector<Rank>> groups_;
  std::vector<Running> running_;
  std::vector<std::uint32_t> unused_;
};

}  // namespace overture::network
