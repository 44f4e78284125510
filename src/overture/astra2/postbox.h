// Matches what arrives with who waits for it. A message is known by its tag, its ends and its size; among
// equal ones the first sent goes to the first who asked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "overture/base/action.h"
#include "overture/base/pool.h"
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
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  struct Hash {
    std::size_t operator()(const Letter& letter) const;
  };
  struct Box {
    std::int32_t arrived = 0;
    std::uint32_t first = kNobody;  // who waits, a list in waiting_
    std::uint32_t last = kNobody;
  };
  struct Waiting {
    Action received;
    std::uint32_t next = kNobody;
  };

  sim::EventQueue& events_;
  std::unordered_map<Letter, Box, Hash> boxes_;
  Pool<Waiting> waiting_;
};

}  // namespace overture::astra2
