// A link in one direction as Garnet has it: part by part, with a bridge at either end where its width is not
// a flit's, and heaps as queues in between. Only original_engine.h needs it so exactly.
#pragma once

#include <algorithm>
#include <vector>

#include "overture/network/garnet/channel.h"

namespace overture::network::garnet {

// A flit, a part of one, several joined, or a credit.
struct Item {
  Cycle time = 0;
  std::int32_t id = 0;  // position in the packet; 0 for every credit
  std::int32_t message = kNone;
  std::uint16_t vc = 0;
  bool head = false;
  bool tail = false;  // of a credit: frees the virtual channel
};

// Garnet's queue. Items of the same time and id leave in whatever order the standard library's heap gives
// them, and the original's numbers contain that order.
class Heap {
 public:
  bool empty() const { return items_.empty(); }
  bool ready(Cycle now) const { return !items_.empty() && items_.front().time <= now; }
  void push(const Item& item) {
    items_.push_back(item);
    std::push_heap(items_.begin(), items_.end(), later);
  }
  Item pop() {
    const Item item = items_.front();
    std::pop_heap(items_.begin(), items_.end(), later);
    items_.pop_back();
    return item;
  }

 private:
  static bool later(const Item& a, const Item& b) { return a.time == b.time ? a.id > b.id : a.time > b.time; }
  std::vector<Item> items_;
};

struct Line {
  enum Queue { at_near_bridge, at_link, at_far_bridge, at_receiver };

  bool credits = false;  // carries the credits of its channel, against the flits
  bool bridged = false;
  bool narrow = true;  // than a flit; if bridged
  int latency = 1;
  int split = 1;  // a bridge makes so many of one
  int join = 1;   // ... or one of so many
  Heap queues[4];
  std::vector<int> collected;       // by virtual channel: what the joining bridge has of the next one
  std::vector<Ring<int>> to_split;  // by virtual channel: into how many each credit is to be split
};

}  // namespace overture::network::garnet
