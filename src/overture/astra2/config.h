// What ASTRA-sim 2's files say, as plain data in its own units: a cycle is a nanosecond, bandwidth of links
// is in GiB/s and that of memories in GB/s. The readers are in files.h; machine.h acts on it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "overture/base/units.h"
#include "overture/system/config.h"
#include "overture/topology/hierarchy.h"

namespace overture::astra2 {

struct Dimension {
  topology::DimensionKind kind = topology::DimensionKind::ring;
  int npus = 2;
  double gib_per_s = 1;
  double latency_ns = 0;
  double bytes_per_ns() const { return gib_per_s * (1 << 30) / 1'000'000'000; }
};

struct NetworkFile {
  std::vector<Dimension> dimensions;  // the inner one first
  bool congestion_aware = false;
  int npus() const;
};

// The four that its system layer plays.
constexpr int kPlayed = 4;
enum class Played : std::uint8_t { all_reduce, all_gather, reduce_scatter, all_to_all };
system::CollectiveKind kind_of(Played collective);
// "all-reduce-implementation": its key in the system file.
std::string implementation_key(Played collective);

// One entry of "all-reduce-implementation": an algorithm, over its dimension or over everybody.
struct Implementation {
  system::Algorithm algorithm;
  bool everybody = false;
};

struct SystemFile {
  std::string file;
  system::SchedulingPolicy policy = system::SchedulingPolicy::lifo;
  system::Optimization optimization = system::Optimization::baseline;
  std::int64_t endpoint_delay_ns = 10;
  int active_chunks = 1;
  std::int64_t splits = 0;  // 0: the file does not say
  double memory_bytes_per_s = 0;
  double peak_flops = 0;
  bool roofline = false;
  bool replay_only = false;
  bool trace = false;
  bool track_memory = false;
  std::optional<system::SharedBus> shared_bus;
  std::array<std::vector<Implementation>, kPlayed> implementations;
  std::array<std::string, kPlayed> custom;            // prefix of a trace that is the algorithm; empty: none
  std::map<std::uint64_t, std::string> custom_nodes;  // ... of single nodes

  const std::vector<Implementation>& of(Played collective) const {
    return implementations[static_cast<std::size_t>(collective)];
  }
};

struct MemoryFile {
  enum class Kind : std::uint8_t { none, per_npu, per_node, pool };
  Kind kind = Kind::none;
  int nodes = 0;
  int npus_per_node = 0;
  std::uint64_t latency_ns = 0;
  std::uint64_t bytes_per_ns = 0;
};

struct Config {
  NetworkFile network;
  SystemFile system;
  MemoryFile memory;
  std::map<int, std::vector<int>> groups;
  int queues = 1;  // per dimension
  bool rendezvous = false;
};

}  // namespace overture::astra2
