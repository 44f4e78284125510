#include "overture/network/network.h"

#include <utility>

namespace overture::network {
GroupId Network::add_group(std::vector<Rank> ranks) {
  for (const Rank rank : ranks) check(is_rank(rank), "a group has ranks of the network");
  groups_.push_back(std::move(ranks));
  return static_cast<GroupId>(groups_.size() - 1);
}

void Network::exchange(Pattern pattern, GroupId group, Bytes size, MessageName name, Action done) {
  check(static_cast<std::size_t>(group) < groups_.size(), "an exchange is of a known group");
  check(size >= Bytes{}, "a message has no negative size");
  if (!done) done = [] {};
  if (messages(pattern, this->group(group).size()) == 0) return events_.after(Duration::zero(), done);
  carry_exchange(pattern, group, size, name, done);
}

void Network::carry_exchange(Pattern pattern, GroupId group, Bytes size, MessageName name, Action done) {
  const std::vector<Rank>& ranks = this->group(group);
  const std::uint32_t id = exchanges_.keep({.missing = messages(pattern, ranks.size()), .done = done});
  for_each_pair(pattern, ranks, [&](Rank from, Rank to) {
    send({.from = from, .to = to, .size = size, .name = name}, [this, id] { arrived(id); });
  });
}

void Network::arrived(std::uint32_t id) {
  if (--exchanges_[id].missing > 0) return;
  Action done = exchanges_.release(id).done;
  done();
}

void Network::tell(Delivery delivery) const {
  const int next = ranks_of_machine();
  for (int left = std::exchange(delivery.message.machines, 1); left > 0; --left) {
    observer_(delivery);
    delivery.message.from = Rank{index(delivery.message.from) + next};
    delivery.message.to = Rank{index(delivery.message.to) + next};
  }
}

Action Network::observed(const Message& message, Action delivered) {
  const std::uint32_t id =
      observed_.keep({.message = message, .start = events_.now(), .delivered = delivered});
  return [this, id] {
    const Observed done = observed_.release(id);
    tell(Delivery{.message = done.message, .start = done.start, .end = events_.now()});
    Action action = done.delivered;
    action();
  };
}

void Network::watch(const MonitorConfig& config) { require_sound(config); }

NetworkRecord Network::record() { return {}; }

}  // namespace overture::network
