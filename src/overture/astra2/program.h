// A trace as an NPU follows it: nodes in ascending id, who waits for whom, and which lane each one occupies.
// Many NPUs that do the same share one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "overture/formats/chakra/node.h"

namespace overture::astra2 {

// What can be under way at a time: one operation on each lane; receives need none.
enum class Lane : std::uint8_t { cpu, compute, communication, none };
constexpr std::size_t kLanes = 4;

struct Program {
  explicit Program(chakra::RankTrace of);

  const chakra::Node& node(std::uint32_t n) const { return trace.nodes[n]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(trace.nodes.size()); }
  std::span<const std::uint32_t> children_of(std::uint32_t n) const {
    return std::span(children).subspan(first_child[n], first_child[n + 1] - first_child[n]);
  }

  chakra::RankTrace trace;  // its nodes in ascending id
  std::vector<std::uint32_t> first_child;
  std::vector<std::uint32_t> children;
};

Lane lane_of(const chakra::Node& node);

}  // namespace overture::astra2
