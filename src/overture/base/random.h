// Random streams: every random choice draws from a stream with a name, seeded by the setup, so that adding a
// choice somewhere changes nothing elsewhere and the same seed gives the same run on every machine.
#pragma once

#include <cstdint>
#include <string_view>

#include <pcg_random.hpp>

namespace overture {

class RandomStream {
 public:
  using result_type = std::uint64_t;

  RandomStream(std::uint64_t seed, std::uint64_t stream) : engine_(seed, stream) {}

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }
  result_type operator()() { return engine_(); }

  // Uniform in [0, bound); the standard library's distributions differ between machines, this does not.
  std::uint64_t below(std::uint64_t bound) { return engine_(bound); }
  // Uniform in [0, 1), 53 bits.
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }

 private:
  pcg64 engine_;
};

class RandomStreams {
 public:
  explicit RandomStreams(std::uint64_t seed) : seed_(seed) {}
  RandomStream make(std::string_view name) const;

 private:
  std::uint64_t seed_;
};

}  // namespace overture
