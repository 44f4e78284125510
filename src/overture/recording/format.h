// The bytes of a recording's file: a magic word with the version, then blocks: the length of its bytes before
// and after compression (4 bytes each), a CRC-32 of the compressed ones (4 bytes), and these (zstd). Numbers
// have the low byte first. The first block is the head; the others hold events; an empty one ends the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace overture::recording {

inline constexpr std::string_view kMagic = "overture recording 1\n";
inline constexpr std::size_t kVersionDigit = kMagic.size() - 2;
inline constexpr std::size_t kFrameBytes = 12;
inline constexpr std::size_t kBlockBytes = std::size_t{1} << 17;  // before compression
inline constexpr std::size_t kMostBlockBytes = std::size_t{1} << 22;

enum class EventCode : std::uint8_t {
  sent = 128,
  received = 129,
  computed = 130,
  full = 131
};  // below: a Work

std::uint32_t checksum(std::string_view bytes);

}  // namespace overture::recording
