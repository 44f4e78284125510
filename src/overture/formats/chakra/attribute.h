// One named attribute of a Chakra node: whichever of protobuf's number types it was stored in, it reads the
// same. Views into the record; nothing is copied.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace overture::chakra {

struct Attribute {
  enum class Value : std::uint8_t { none, negative, natural, real, text, flags, list };

  std::string_view name;
  Value value = Value::none;
  std::uint64_t number = 0;  // natural; of lists the field of the message that holds an element
  double real = 0;           // real, or a negative number
  std::string_view text;     // text; of lists the message that holds them
};

// How attributes are stored: by schema 0.0.4 and later, or by the proto2 schemas before it.
enum class Dialect : std::uint8_t { current, proto2 };

// Throws protozero::exception for bytes that are no such message.
Attribute parse_attribute(std::string_view message, Dialect dialect);

// The elements of a list of true and false.
std::vector<bool> parse_flags(const Attribute& attribute);

}  // namespace overture::chakra
