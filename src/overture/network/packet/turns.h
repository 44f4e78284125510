// Flows that take turns at a host, one packet each: in the order of their places, which they get once, from
// wherever the last turn was. So a flow that has nothing for a while comes back to its place, as with htsim's
// fair queues, and not to the end of a line. Which order that is matters: packets that are pulled for one
// after the other meet less when their senders are equally far away.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace overture::network::packet {

class Turns {
 public:
  // Gives the flow a place: one that is free again, else behind all others.
  std::uint32_t join(std::uint32_t flow) {
    if (!free_.empty()) {
      const std::uint32_t place = free_.back();
      free_.pop_back();
      flows_[place] = flow;
      return place;
    }
    flows_.push_back(flow);
    if (words_.size() * 64 < flows_.size()) words_.push_back(0);
    return static_cast<std::uint32_t>(flows_.size() - 1);
  }
  void leave(std::uint32_t place) {
    pass(place);
    free_.push_back(place);
  }

  // From now on, the flow takes turns, or takes none.
  void enter(std::uint32_t place) {
    std::uint64_t& word = words_[place / 64];
    waiting_ += (word & bit(place)) == 0 ? 1 : 0;
    word |= bit(place);
  }
  void pass(std::uint32_t place) {
    std::uint64_t& word = words_[place / 64];
    waiting_ -= (word & bit(place)) == 0 ? 0 : 1;
    word &= ~bit(place);
  }
  bool empty() const { return waiting_ == 0; }

  // The flow whose turn it is, of those that take any; there is one.
  std::uint32_t take() {
    std::size_t word = next_ / 64;
    std::uint64_t left = words_[word] & (~std::uint64_t{0} << (next_ % 64));
    while (left == 0) {
      word = word + 1 < words_.size() ? word + 1 : 0;
      left = words_[word];
    }
    const auto place =
        static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(std::countr_zero(left));
    next_ = place + 1 < flows_.size() ? place + 1 : 0;
    return flows_[place];
  }

  std::size_t memory() const {
    return words_.capacity() * sizeof(std::uint64_t) + flows_.capacity() * sizeof(std::uint32_t);
  }

 private:
  static std::uint64_t bit(std::uint32_t place) { return std::uint64_t{1} << (place % 64); }

  std::vector<std::uint64_t> words_;  // a bit per place that takes turns
  std::vector<std::uint32_t> flows_;  // by place
  std::vector<std::uint32_t> free_;   // places
  std::uint32_t waiting_ = 0;
  std::uint32_t next_ = 0;  // place
};

}  // namespace overture::network::packet
