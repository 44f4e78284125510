#include "overture/system/algorithms.h"

#include <array>

#include <fmt/format.h>

#include "overture/base/check.h"

namespace overture::system {
namespace {

using enum CollectiveKind;

// The steps were checked against the collective when they were read.
constexpr AlgorithmFacts kFromFile{
    .kind = AlgorithmKind::from_file,
    .word = "file",
    .can_do = {all_reduce, all_to_all, all_gather, reduce_scatter, broadcast, barrier},
    .parameter = "name",
    .from_file = true};

constexpr std::array kAlgorithms{
    &kRing,         &kDirect,        &kNaiveDirect,  &kHalvingDoubling, &kDoubleBinaryTree,
    &kPairwise,     &kBruck,         &kLockstepRing, &kParameterServer, &kDistributedParameterServer,
    &kBinomialTree, &kDissemination, &kFromFile};

}  // namespace

Bytes equal_share(const WindowPhase& phase, std::int64_t) {
  return (phase.kind == all_gather ? phase.data : phase.data / phase.ranks) / phase.pieces;
}

std::int64_t same_number(const WindowPhase&, std::int64_t k, int) { return k; }

const AlgorithmFacts& facts(AlgorithmKind kind) {
  const AlgorithmFacts& found = *kAlgorithms[static_cast<std::size_t>(kind)];
  check(found.kind == kind, "algorithms are listed in the order of their enumerators");
  return found;
}

std::span<const AlgorithmFacts* const> all_algorithms() { return kAlgorithms; }

std::string_view name(AlgorithmKind kind) { return facts(kind).word; }

bool can_do(AlgorithmKind algorithm, CollectiveKind kind) { return facts(algorithm).can_do.has(kind); }

std::vector<std::string> words_of(const AlgorithmFacts& algorithm) {
  std::vector<std::string> words;
  if (!algorithm.from_file) words.emplace_back(algorithm.word);
  if (!algorithm.parameter.empty())
    words.push_back(fmt::format("{}:<{}>", algorithm.word, algorithm.parameter));
  return words;
}

}  // namespace overture::system
