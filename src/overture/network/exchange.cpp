#include "overture/network/exchange.h"

#include <utility>

namespace overture::network {

std::int64_t messages(Pattern pattern, std::size_t group_size) {
  const auto size = static_cast<std::int64_t>(group_size);
  if (size < 2) return 0;
  switch (pattern) {
    case Pattern::ring: return size;
    case Pattern::all_pairs: return size * (size - 1);
    case Pattern::to_first:
    case Pattern::from_first: return size - 1;
  }
  return 0;
}

GroupId MessageExchanges::add_group(std::vector<Rank> ranks) {
  groups_.push_back(std::move(ranks));
  return static_cast<GroupId>(groups_.size() - 1);
}

void MessageExchanges::exchange(Pattern pattern, GroupId group, Bytes size, Action done) {
  const std::vector<Rank>& ranks = groups_[static_cast<std::size_t>(group)];
  const std::int64_t count = messages(pattern, ranks.size());
  if (count == 0) return events_.after(Duration::zero(), done);
  if (unused_.empty()) {
    unused_.push_back(static_cast<std::uint32_t>(running_.size()));
    running_.emplace_back();
  }
  const std::uint32_t id = unused_.back();
  unused_.pop_back();
  running_[id] = {.missing = count, .done = done};
  for_each_pair(pattern, ranks, [&](Rank from, Rank to) {
    network_.send({.from = from, .to = to, .size = size}, [this, id] { arrived(id); });
  });
}

void MessageExchanges::arrived(std::uint32_t id) {
  if (--running_[id].missing > 0) return;
  Action done = running_[id].done;
  unused_.push_back(id);
  done();
}

}  // namespace overture::network
