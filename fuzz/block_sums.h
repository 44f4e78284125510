// Files of blocks (plans, the arrays of checkpoints): a line of text, then blocks of a length (8 bytes), a
// CRC-32 (4) and so many bytes. The sums of what a fuzzer made are set right, or no input would get past
// them.
#pragma once

#include <cstring>
#include <string>

#include <zlib.h>

namespace overture::fuzz {

inline void set_block_sums(std::string& bytes) {
  constexpr std::size_t kFrame = 12;
  std::size_t at = bytes.find('\n');
  at = at == std::string::npos ? bytes.size() : at + 1;
  while (bytes.size() - at >= kFrame) {
    std::uint64_t size = 0;
    std::memcpy(&size, bytes.data() + at, sizeof size);
    const std::size_t left = bytes.size() - at - kFrame;
    if (size > left) {  // the last block goes to the end of the file
      size = left;
      std::memcpy(bytes.data() + at, &size, sizeof size);
    }
    const auto* block = reinterpret_cast<const Bytef*>(bytes.data() + at + kFrame);
    const auto sum = static_cast<std::uint32_t>(crc32_z(0, block, static_cast<z_size_t>(size)));
    std::memcpy(bytes.data() + at + 8, &sum, sizeof sum);
    at += kFrame + static_cast<std::size_t>(size);
  }
}

}  // namespace overture::fuzz
