// The hashes of Overture, each once. None is for security: they spread keys, choose paths, draw numbers that
// depend on nothing but a counter, and tell two runs apart. All are the same on every machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace overture {

// 2^64 over the golden ratio: steps of this size visit all numbers, far apart from each other.
constexpr std::uint64_t kGoldenStep = 0x9e3779b97f4a7c15U;

// SplitMix64's finaliser (Steele, Lea and Flood, 2014): every bit of `x` changes half of the bits.
constexpr std::uint64_t split_mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

// One step of a running digest, for engines that take one per event: digest = digest_step(digest ^ event).
constexpr std::uint64_t digest_step(std::uint64_t x) {
  x *= kGoldenStep;
  return x ^ (x >> 29);
}

constexpr std::uint64_t kFnvStart = 0xcbf29ce484222325U;
constexpr std::uint64_t fnv_step(std::uint64_t hash, std::uint8_t byte) {
  return (hash ^ byte) * 0x100000001b3U;
}

// FNV-1a of a text.
constexpr std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = kFnvStart;
  for (const char c : text) hash = fnv_step(hash, static_cast<std::uint8_t>(c));
  return hash;
}

// 64 bits that are the same for the same numbers in the same order (FNV-1a), for `digest` of summaries.
class Digest {
 public:
  void add(std::int64_t value);
  // Every bit of it.
  void add_bits(double value);
  void add(std::string_view text);
  std::uint64_t value() const { return value_; }
  std::string text() const;

 private:
  std::uint64_t value_ = kFnvStart;
};

}  // namespace overture
