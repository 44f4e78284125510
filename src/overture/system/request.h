// What the system layer is asked for: one collective among some ranks.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "overture/base/units.h"
#include "overture/network/network.h"
#include "overture/system/collective.h"
#include "overture/system/config.h"

namespace overture::system {

// Which dimensions a collective spans: one entry per logical dimension.
using DimensionMask = std::vector<bool>;

// What each rank of a group sends to each other one in an all-to-all.
class PairSizes {
 public:
  explicit PairSizes(int ranks) : ranks_(ranks), sizes_(static_cast<std::size_t>(ranks) * ranks) {}

  int ranks() const { return ranks_; }
  Bytes& at(int from, int to) { return sizes_[static_cast<std::size_t>(from) * ranks_ + to]; }
  Bytes at(int from, int to) const { return sizes_[static_cast<std::size_t>(from) * ranks_ + to]; }

 private:
  int ranks_;
  std::vector<Bytes> sizes_;
};

// A list of ranks that the system was told of; see System::add_group().
enum class GroupNumber : std::int32_t { none = -1 };

struct CollectiveRequest {
  CollectiveKind kind = CollectiveKind::all_reduce;
  // Held by one rank before; of an all-gather, one rank's shard. A barrier has none.
  Bytes size;
  DimensionMask dimensions;               // every group of ranks that differ only in these, or ...
  GroupNumber group = GroupNumber::none;  // ... one group by name
  SchedulingPolicy policy = SchedulingPolicy::lifo;
  std::shared_ptr<const PairSizes> sizes{};  // all_to_all: in place of `size`
  network::MessageName name{};               // of its messages; their chunk is filled in
};

}  // namespace overture::system
