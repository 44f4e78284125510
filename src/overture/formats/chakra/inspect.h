// What is in a trace, for people: counts, sizes, the longest chain of recorded times, and what is missing.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "overture/formats/chakra/node.h"

namespace overture::chakra {

struct Inspection {
  std::uint64_t nodes = 0;
  std::uint64_t dependencies = 0;
  std::uint64_t roots = 0;
  std::array<std::uint64_t, kNodeKinds + 1> of_kind{};  // the last: newer kinds
  struct Sum {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
    std::uint64_t micros = 0;
  };
  std::map<std::string, Sum> communication;  // "all_reduce", "all_reduce in group 2", "send"
  Sum compute;
  std::uint64_t critical_micros = 0;
  std::vector<std::uint32_t> critical_path;  // places of nodes, first to last
  std::vector<std::string> missing;          // sentences
  std::size_t memory = 0;                    // bytes of the trace here
};

Inspection inspect(const RankTrace& trace);

}  // namespace overture::chakra
