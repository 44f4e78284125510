#include "overture/base/hash.h"

#include <bit>

#include <fmt/format.h>

namespace overture {

void Digest::add(std::int64_t value) {
  for (int byte = 0; byte < 8; ++byte)
    value_ = fnv_step(value_, static_cast<std::uint8_t>(value >> (8 * byte)));
}

void Digest::add_bits(double value) { add(std::bit_cast<std::int64_t>(value)); }

void Digest::add(std::string_view text) {
  for (const char c : text) add(std::int64_t{static_cast<unsigned char>(c)});
}

std::string Digest::text() const { return fmt::format("{:016x}", value_); }

}  // namespace overture
