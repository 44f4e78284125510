// A 64-bit checksum at memory speed, for files: it finds damage, it resists nobody.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace overture::data {

// Four lanes of multiply and rotate, so that the multiplications overlap; the length is part of the sum.
inline std::uint64_t checksum(const void* data, std::size_t size, std::uint64_t seed = 0) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  const auto mix = [](std::uint64_t lane, std::uint64_t word) {
    lane = (lane ^ word) * kOdd;
    return lane ^ (lane >> 29);
  };
  const auto* bytes = static_cast<const char*>(data);
  std::uint64_t lanes[4] = {seed, seed + 1, seed + 2, seed + 3};
  std::size_t at = 0;
  for (; at + 32 <= size; at += 32) {
    std::uint64_t words[4];
    std::memcpy(words, bytes + at, sizeof words);
    for (int i = 0; i < 4; ++i) lanes[i] = mix(lanes[i], words[i]);
  }
  std::uint64_t sum = size;
  for (const std::uint64_t lane : lanes) sum = mix(sum, lane);
  for (; at < size; ++at) sum = mix(sum, static_cast<unsigned char>(bytes[at]));
  return mix(sum, sum >> 32);
}

}  // namespace overture::data
