#include "overture/topology/matching.h"

#include <numeric>

#include "overture/base/check.h"

namespace overture::topology {
namespace {

// Round `round` of the circle method: the last ToR stays, the others turn (Kirkman, 1847).
Matching circle_round(int tors, int round) {
  const int turning = tors - 1;
  Matching matching(static_cast<std::size_t>(tors));
  for (int i = 0; i < turning; ++i) {
    const int peer = ((2 * round - i) % turning + turning) % turning;
    matching[i] = peer == i ? turning : peer;
    if (peer == i) matching[turning] = i;
  }
  return matching;
}

// Exchanges `a` and `b` on the component of their union that holds `first`, or only marks it as visited.
void visit_component(Matching& a, Matching& b, int first, bool exchange, std::vector<char>& visited) {
  std::vector<int> open{first};
  visited[first] = 1;
  while (!open.empty()) {
    const int tor = open.back();
    open.pop_back();
    for (const int next : {a[tor], b[tor]}) {
      if (visited[next] != 0) continue;
      visited[next] = 1;
      open.push_back(next);
    }
    if (exchange) std::swap(a[tor], b[tor]);
  }
}

}  // namespace

std::vector<Matching> circle_matchings(int tors) {
  check(tors >= 1, "there is a ToR");
  std::vector<Matching> matchings;
  if (tors % 2 == 0) {
    Matching identity(static_cast<std::size_t>(tors));
    std::iota(identity.begin(), identity.end(), 0);
    matchings.push_back(std::move(identity));
    for (int round = 0; round < tors - 1; ++round) matchings.push_back(circle_round(tors, round));
    return matchings;
  }
  for (int sum = 0; sum < tors; ++sum) {
    Matching& matching = matchings.emplace_back();
    for (int i = 0; i < tors; ++i) matching.push_back((sum - i + tors) % tors);
  }
  return matchings;
}

void mix(std::vector<Matching>& matchings, int swaps, RandomStream& random) {
  if (matchings.size() < 2) return;
  std::vector<char> visited;
  for (int n = 0; n < swaps; ++n) {
    const std::size_t first = random.below(matchings.size());
    std::size_t second = random.below(matchings.size() - 1);
    if (second >= first) ++second;
    Matching& a = matchings[first];
    Matching& b = matchings[second];
    visited.assign(a.size(), 0);
    for (int tor = 0; tor < static_cast<int>(a.size()); ++tor) {
      if (visited[tor] == 0) visit_component(a, b, tor, random.below(2) == 1, visited);
    }
  }
}

bool meets_every_pair_once(const std::vector<Matching>& matchings) {
  const std::size_t tors = matchings.size();
  std::vector<char> met(tors * tors, 0);
  for (const Matching& matching : matchings) {
    if (matching.size() != tors) return false;
    for (std::size_t i = 0; i < tors; ++i) {
      const int peer = matching[i];
      if (peer < 0 || static_cast<std::size_t>(peer) >= tors) return false;
      if (matching[peer] != static_cast<int>(i)) return false;
      char& pair = met[i * tors + static_cast<std::size_t>(peer)];
      if (pair != 0) return false;
      pair = 1;
    }
  }
  return true;  // tors * tors entries, none twice
}

}  // namespace overture::topology
