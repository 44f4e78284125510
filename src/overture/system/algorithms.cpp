#include "overture/system/algorithms.h"

#include <fmt/format.h>

namespace overture::system {
using enum CollectiveKind;

// The steps were checked against the collective when they were read.
constinit const AlgorithmFacts kFromFile{
    .word = "file",
    .can_do = {all_reduce, all_to_all, all_gather, reduce_scatter, broadcast, barrier},
    .parameter = "name",
    .from_file = true};

Bytes equal_share(const WindowPhase& phase, std::int64_t) {
  return (phase.kind == all_gather ? phase.data : phase.data / phase.ranks) / phase.pieces;
}

std::int64_t same_number(const WindowPhase&, std::int64_t k, int) { return k; }

std::string_view name(AlgorithmKind kind) { return kind->word; }

std::vector<std::string> words_of(const AlgorithmFacts& algorithm) {
  std::vector<std::string> words;
  if (!algorithm.from_file) words.emplace_back(algorithm.word);
  if (!algorithm.parameter.empty())
    words.push_back(fmt::format("{}:<{}>", algorithm.word, algorithm.parameter));
  return words;
}

}  // namespace overture::system
