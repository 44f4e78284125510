// In which order a chunk visits the dimensions, and how large the next chunk is.
#pragma once

#include <vector>

#include "overture/base/units.h"
#include "overture/system/collective.h"
#include "overture/system/config.h"
#include "overture/system/request.h"

namespace overture::system {

struct ChunkOrder {
  std::vector<int> dimensions;  // all of them, also those that the collective does not span
  Bytes size;
};

class DimensionOrder {
 public:
  struct Dimension {
    int size;
    double gib_per_s;  // what a rank can send into it
  };

  DimensionOrder(InterOrder policy, std::vector<Dimension> dimensions);

  // A collective starts now. Themis forgets its loads when time has passed since the last one.
  void collective_created(Time now);

  // The next chunk of a collective with `left` bytes to go, nominally `nominal` bytes.
  ChunkOrder next(CollectiveKind kind, Bytes left, Bytes nominal, const DimensionMask& mask);

 private:
  struct Load {
    int dimension;
    double megabytes = 0;  // relative to the bandwidth of dimension 0
  };

  ChunkOrder themis(CollectiveKind kind, Bytes left, Bytes nominal, const DimensionMask& mask);
  bool used(int dimension, const DimensionMask& mask) const;
  double relative_bandwidth(int dimension) const;
  std::uint64_t balancing_bytes(bool gather, std::size_t first, const DimensionMask& mask) const;
  // Adds what a chunk puts on a dimension, and returns what is left of the chunk for the next one.
  std::uint64_t add_load(Load& load, int dimension, bool gather, std::uint64_t chunk) const;
  std::vector<int> ascending_with_load(bool gather, std::uint64_t chunk, const DimensionMask& mask);

  InterOrder policy_;
  std::vector<Dimension> dimensions_;
  std::vector<Load> loads_;  // in the order that the last chunk left them in
  std::size_t rotation_ = 0;
  Time last_created_{Duration{-1}};
};

}  // namespace overture::system
