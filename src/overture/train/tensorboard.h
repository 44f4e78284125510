// Curves for TensorBoard: an event file of scalars, as TensorFlow writes it. One record after the other: its
// length, a checksum of that, an Event in protobuf's encoding, a checksum of that.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "overture/train/appended_file.h"

namespace overture::train {

struct Scalar {
  std::string_view tag;
  float value = 0;
};

// CRC-32C (Castagnoli), rotated and shifted as TensorFlow does before it stores one.
std::uint32_t masked_crc32c(std::string_view bytes);

// Length, checksum, bytes, checksum.
std::string tensorboard_record(std::string_view event);

class EventFile {
 public:
  // In `folder`, which is made, for steps from `first_step` on. `now` in seconds since 1970. Throws UserError
  // when it cannot be written, as add() does.
  EventFile(const std::filesystem::path& folder, std::int64_t first_step, double now);

  void add(std::int64_t step, double now, std::span<const Scalar> scalars);

 private:
  AppendedFile file_;
};

}  // namespace overture::train
