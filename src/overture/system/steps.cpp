#include "overture/system/steps.h"

#include <algorithm>

#include <fmt/format.h>

#include "overture/base/memory.h"
#include "overture/system/algorithms.h"

namespace overture::system {
namespace {

constexpr std::size_t kMallocOverhead = 16;  // of glibc, an allocation

// Whose contributions somebody's copy of a chunk contains, a bit for each rank.
class Contributions {
 public:
  explicit Contributions(int ranks = 0) : words_((static_cast<std::size_t>(ranks) + 63) / 64) {}

  void add(int rank) { words_[static_cast<std::size_t>(rank) / 64] |= std::uint64_t{1} << (rank % 64); }
  void add(const Contributions& others) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= others.words_[i];
  }
  bool has(int rank) const { return (words_[static_cast<std::size_t>(rank) / 64] >> (rank % 64) & 1) != 0; }
  bool empty() const {
    return std::ranges::all_of(words_, [](std::uint64_t word) { return word == 0; });
  }
  // The first rank of both, of these but not of the others, or -1.
  int shared(const Contributions& others, int ranks) const {
    return first(ranks, [&](int rank) { return has(rank) && others.has(rank); });
  }
  int beyond(const Contributions& others, int ranks) const {
    return first(ranks, [&](int rank) { return has(rank) && !others.has(rank); });
  }

 private:
  template <class Holds>
  static int first(int ranks, Holds holds) {
    for (int rank = 0; rank < ranks; ++rank) {
      if (holds(rank)) return rank;
    }
    return -1;
  }
  std::vector<std::uint64_t> words_;
};

// Who has what of a collective that is played on symbols.
class SymbolicPlay {
 public:
  SymbolicPlay(CollectiveKind kind, const Steps& steps) : kind_(kind), steps_(steps) {
    held_.assign(static_cast<std::size_t>(steps.ranks) * static_cast<std::size_t>(steps.chunks),
                 Contributions(steps.ranks));
    for (int rank = 0; rank < steps.ranks; ++rank) {
      for (int chunk = 0; chunk < steps.chunks; ++chunk) {
        if (contributes(rank, chunk)) held(rank, chunk).add(rank);
      }
    }
  }

  // Everything that is sent in a step is what its sender had before it.
  Result<bool> play() {
    const std::vector<Transfer>& transfers = steps_.transfers;
    std::vector<Contributions> sent;
    for (std::size_t i = 0; i < transfers.size();) {
      sent.clear();
      for (std::size_t j = i; j < transfers.size() && transfers[j].step == transfers[i].step; ++j)
        sent.push_back(held_[place(transfers[j].from, transfers[j].chunk)]);
      for (const Contributions& one : sent) {
        if (Result<bool> result = take(transfers[i++], one); !result) return result;
      }
    }
    return finished();
  }

 private:
  std::size_t place(int rank, int chunk) const {
    return static_cast<std::size_t>(rank) * static_cast<std::size_t>(steps_.chunks) +
           static_cast<std::size_t>(chunk);
  }
  Contributions& held(int rank, int chunk) { return held_[place(rank, chunk)]; }

  int owner(int chunk) const {
    return static_cast<int>(static_cast<std::int64_t>(chunk) * steps_.ranks / steps_.chunks);
  }
  int destination(int chunk) const {
    const int each = steps_.chunks / steps_.ranks;  // of a source
    return static_cast<int>(static_cast<std::int64_t>(chunk % each) * steps_.ranks / each);
  }

  bool contributes(int rank, int chunk) const {
    switch (kind_) {
      case CollectiveKind::all_reduce:
      case CollectiveKind::reduce_scatter:
      case CollectiveKind::barrier: return true;
      case CollectiveKind::all_gather:
      case CollectiveKind::all_to_all: return owner(chunk) == rank;
      case CollectiveKind::broadcast: return rank == 0;
    }
    return false;
  }

  bool wants(int rank, int chunk) const {
    if (kind_ == CollectiveKind::reduce_scatter) return owner(chunk) == rank;
    if (kind_ == CollectiveKind::all_to_all) return destination(chunk) == rank;
    return true;
  }

  Result<bool> take(const Transfer& t, const Contributions& sent) {
    Contributions& mine = held(t.to, t.chunk);
    if (sent.empty())
      return Error{
          fmt::format("step {}: rank {} sends chunk {}, which it does not have", t.step, t.from, t.chunk)};
    if (t.reduce && kind_ != CollectiveKind::barrier) {
      if (const int twice = sent.shared(mine, steps_.ranks); twice >= 0)
        return Error{fmt::format("step {}: rank {} adds rank {}'s share of chunk {} twice", t.step, t.to,
                                 twice, t.chunk)};
    }
    if (!t.reduce) {
      if (const int lost = mine.beyond(sent, steps_.ranks); lost >= 0)
        return Error{fmt::format("step {}: rank {} overwrites chunk {} and loses rank {}'s share of it",
                                 t.step, t.to, t.chunk, lost)};
    }
    mine.add(sent);
    return true;
  }

  Result<bool> finished() {
    const int last = steps_.transfers.empty() ? 0 : steps_.transfers.back().step;
    for (int rank = 0; rank < steps_.ranks; ++rank) {
      for (int chunk = 0; chunk < steps_.chunks; ++chunk) {
        if (!wants(rank, chunk)) continue;
        for (int from = 0; from < steps_.ranks; ++from) {
          if (!contributes(from, chunk) || held(rank, chunk).has(from)) continue;
          return Error{fmt::format("after step {}, the last, rank {} still lacks rank {}'s share of chunk {}",
                                   last, rank, from, chunk)};
        }
      }
    }
    return true;
  }

  CollectiveKind kind_;
  const Steps& steps_;
  std::vector<Contributions> held_;
};

Result<bool> require_sound(CollectiveKind kind, const Steps& steps) {
  if (steps.ranks < 2) return Error{"names fewer than two ranks"};
  const std::int64_t pairs = std::int64_t{steps.ranks} * steps.ranks;
  if (kind == CollectiveKind::all_to_all && steps.chunks % pairs != 0)
    return Error{fmt::format("an all_to_all of {} ranks has a multiple of {} chunks, not {}", steps.ranks,
                             pairs, steps.chunks)};
  if ((kind == CollectiveKind::all_gather || kind == CollectiveKind::reduce_scatter) &&
      steps.chunks % steps.ranks != 0)
    return Error{fmt::format("{} of {} ranks has a multiple of as many chunks, not {}", name(kind),
                             steps.ranks, steps.chunks)};
  for (const Transfer& t : steps.transfers) {
    if (t.from == t.to) return Error{fmt::format("step {}: rank {} sends to itself", t.step, t.from)};
    const bool known = t.from >= 0 && t.to >= 0 && t.from < steps.ranks && t.to < steps.ranks &&
                       t.chunk >= 0 && t.chunk < steps.chunks;
    if (!known) return Error{fmt::format("step {}: a rank or chunk does not exist", t.step)};
  }
  return true;
}

}  // namespace

// In step s, each of the first 2^s ranks sends to the one 2^s further.
Steps binomial_broadcast(int ranks) {
  Steps steps{.ranks = ranks, .chunks = 1, .transfers = {}};
  int step = 0;
  for (int distance = 1; distance < ranks; distance *= 2, ++step) {
    for (int rank = 0; rank < distance && rank + distance < ranks; ++rank)
      steps.transfers.push_back({.step = step, .from = rank, .to = rank + distance});
  }
  return steps;
}

// Hensgen, Finkel and Manber, 1988: in step s everybody tells the one 2^s further what it knows.
Steps dissemination_barrier(int ranks) {
  Steps steps{.ranks = ranks, .chunks = 1, .transfers = {}};
  int step = 0;
  for (int distance = 1; distance < ranks; distance *= 2, ++step) {
    for (int rank = 0; rank < ranks; ++rank)
      steps.transfers.push_back(
          {.step = step, .from = rank, .to = (rank + distance) % ranks, .reduce = true});
  }
  return steps;
}

Steps all_pairs(int ranks) {
  Steps steps{.ranks = ranks, .chunks = ranks * ranks, .transfers = {}};
  for (int distance = 1; distance < ranks; ++distance) {
    for (int rank = 0; rank < ranks; ++rank) {
      const int to = (rank + distance) % ranks;
      steps.transfers.push_back({.from = rank, .to = to, .chunk = rank * ranks + to});
    }
  }
  return steps;
}

Bytes chunk_size(CollectiveKind kind, const Steps& steps, Bytes data, int chunk) {
  if (kind == CollectiveKind::barrier) return Bytes{1};
  const bool per_rank = kind == CollectiveKind::all_gather || kind == CollectiveKind::all_to_all;
  const int chunks = per_rank ? steps.chunks / steps.ranks : steps.chunks;  // of what one rank holds
  const Int128 place = per_rank ? chunk % chunks : chunk;
  const auto end = static_cast<std::int64_t>(Int128{data.count()} * (place + 1) / chunks);
  return Bytes{end - static_cast<std::int64_t>(Int128{data.count()} * place / chunks)};
}

Result<bool> verify(CollectiveKind kind, const Steps& steps) {
  if (Result<bool> sound = require_sound(kind, steps); !sound) return sound;
  const Int128 copies = Int128{steps.ranks} * steps.chunks;
  const Int128 needed = copies * static_cast<std::int64_t>(sizeof(Contributions) + kMallocOverhead) +
                        copies * ((steps.ranks + 63) / 64 * 8);
  require_memory(Bytes{static_cast<std::int64_t>(needed)},
                 fmt::format("checking {} chunks on {} ranks", steps.chunks, steps.ranks));
  return SymbolicPlay(kind, steps).play();
}

constinit const AlgorithmFacts kBinomialTree{
    .word = "binomial_tree", .can_do = {CollectiveKind::broadcast}, .steps = binomial_broadcast};

constinit const AlgorithmFacts kDissemination{
    .word = "dissemination", .can_do = {CollectiveKind::barrier}, .steps = dissemination_barrier};

}  // namespace overture::system
