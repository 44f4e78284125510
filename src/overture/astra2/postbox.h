// Matches what arrives with who waits for it. A message is known by its tag, its ends and its size; among
// equal ones the first sent goes to the first who asked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "overture/base/action.h"
#include "overture/sim/event_queue.h"

namespace overture::astra2 {

struct Letter {
  std::uint64_t size = 0;
  std::int32_t tag = 0;
  std::int32_t from = 0;
  std::int32_t to = 0;
  friend bool operator==(const Letter&, const Letter&) = default;
};

class Postbox {
 public:
  // `events` outlives it.
  explicit Postbox(sim::EventQueue& events) : events_(events) {}

  // Calls `received` when such a message has arrived: now, but after what else is due now, if one has.
  void expect(const Letter& letter, Action received);
  // Calls the first who expects it, at once.
  void arrive(const Letter& letter);

  // Who waits for what, in no order.
  std::vector<Letter> expected() const;
  // What has arrived and nobody asked for.
  std::vector<Letter> unclaimed() const;

 private:
  struct Hash {
    std::size_t operator()(const Letter& letter) const;
  };
  struct Box {
    std::int32_t arrived = 0;
    std::int32_t first = -1;  // who waits, a list in waiting_
    std::int32_t last = -1;
  };
  struct Waiting {
    Action received;
    std::int32_t next = -1;
  };

  sim::EventQueue& events_;
  std::unordered_map<Letter, Box, Hash> boxes_;
  std::vector<Waiting> waiting_;
  std::int32_t free_ = -1;
};

}  // namespace overture::astra2
