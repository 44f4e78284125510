// Which share of row accesses a cache of any size would miss, if it always threw out the row that was used
// longest ago (LRU): what to compare a cache that looks ahead with. One pass over the accesses, in memory
// that does not grow: rows are sampled by a hash of their name, at a rate that falls when there are too many
// (SHARDS, Waldspurger et al., FAST 2015).
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace overture::report {

class MissRatioCurve {
 public:
  // `most_rows` sampled at a time; with fewer rows in all, the curve is exact.
  explicit MissRatioCurve(std::size_t most_rows = 16'384) : most_rows_(most_rows) {}

  // A batch uses each of its rows once, however often they are asked for.
  void next_batch() { ++batch_; }
  void add(std::int64_t table, std::int64_t row);

  // "cache_rows,miss_ratio", sizes on a logarithmic scale up to the one that misses no row twice; only the
  // header when nothing was added.
  std::string csv() const;

 private:
  struct Row {
    std::size_t last = 0;  // its place in the order of uses
    std::int64_t batch = 0;
  };

  void use(Row& row);
  void lower_rate();
  void compact();
  std::size_t used_since(std::size_t place) const;
  void mark(std::size_t place, std::int32_t change);

  std::size_t most_rows_;
  std::uint64_t threshold_ = UINT64_MAX;  // rows whose hash is at most this are sampled
  double rate_ = 1;
  std::int64_t batch_ = 0;
  std::unordered_map<std::uint64_t, Row> rows_;  // by hash
  std::vector<std::int32_t> tree_;               // Fenwick's: 1 where a sampled row was used last
  std::size_t uses_ = 0;                         // places taken in tree_
  std::vector<double> reused_;                   // how many had been used since, by octave and eighth
  double first_uses_ = 0;
};

}  // namespace overture::report
