#include "overture/formats/chakra/attribute.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "overture/base/varint.h"

namespace overture::chakra {
namespace {

// Protobuf by hand: a field is its number and wire type, then its value.
enum Wire : std::uint64_t { varint = 0, fixed64 = 1, delimited = 2, fixed32 = 5 };

void tag(std::string& bytes, std::uint64_t field, Wire wire) { VarintWriter{bytes}((field << 3) | wire); }
template <class T>
std::string raw(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}
std::string number_field(std::uint64_t field, std::uint64_t value) {
  std::string bytes;
  tag(bytes, field, varint);
  VarintWriter{bytes}(value);
  return bytes;
}
template <class T>
std::string fixed_field(std::uint64_t field, T value) {
  std::string bytes;
  tag(bytes, field, sizeof value == 8 ? fixed64 : fixed32);
  return bytes + raw(value);
}
std::string text_field(std::uint64_t field, const std::string& text) {
  std::string bytes;
  tag(bytes, field, delimited);
  VarintWriter(bytes).text(text);
  return bytes;
}
std::string named(const std::string& value) { return text_field(1, "comm_size") + value; }
std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}

// 4096 in every number type of the format.
TEST(ChakraAttribute, ANumberReadsTheSameWhateverTypeItWasStoredIn) {
  for (const std::string& value :
       {fixed_field(3, 4096.0), fixed_field(5, 4096.0F), number_field(7, 4096), number_field(9, 4096),
        number_field(11, 4096), number_field(13, 4096), number_field(15, zigzag(4096)),
        number_field(17, zigzag(4096)), fixed_field(19, std::uint32_t{4096}),
        fixed_field(21, std::uint64_t{4096}), fixed_field(23, std::int32_t{4096}),
        fixed_field(25, std::int64_t{4096})}) {
    const std::string message = named(value);
    const Attribute attribute = parse_attribute(message, Dialect::current);
    EXPECT_EQ(attribute.name, "comm_size");
    EXPECT_EQ(attribute.value, Attribute::Value::natural);
    EXPECT_EQ(attribute.number, 4096u);
  }
}

TEST(ChakraAttribute, ANegativeNumberIsNoNaturalOne) {
  for (const std::string& value :
       {number_field(7, static_cast<std::uint64_t>(-5)), number_field(9, static_cast<std::uint64_t>(-5)),
        number_field(15, zigzag(-5)), number_field(17, zigzag(-5)), fixed_field(23, std::int32_t{-5}),
        fixed_field(25, std::int64_t{-5})}) {
    const std::string message = named(value);
    const Attribute attribute = parse_attribute(message, Dialect::current);
    EXPECT_EQ(attribute.value, Attribute::Value::negative);
    EXPECT_DOUBLE_EQ(attribute.real, -5);
  }
}

TEST(ChakraAttribute, OnlyWholeRealNumbersPassForNaturalOnes) {
  for (const double value : {0.5, -1.0, 1e16, -0.5}) {
    const std::string message = named(fixed_field(3, value));
    const Attribute attribute = parse_attribute(message, Dialect::current);
    EXPECT_EQ(attribute.value, Attribute::Value::real) << value;
    EXPECT_DOUBLE_EQ(attribute.real, value);
  }
}

TEST(ChakraAttribute, FlagsTextsAndNothing) {
  const std::string yes = named(number_field(27, 1));
  EXPECT_EQ(parse_attribute(yes, Dialect::current).number, 1u);
  const std::string text = named(text_field(29, "main"));
  EXPECT_EQ(parse_attribute(text, Dialect::current).text, "main");
  EXPECT_EQ(parse_attribute(text, Dialect::current).value, Attribute::Value::text);
  const std::string bytes = named(text_field(31, "raw"));
  EXPECT_EQ(parse_attribute(bytes, Dialect::current).text, "raw");
  EXPECT_EQ(parse_attribute(named(""), Dialect::current).value, Attribute::Value::none);
}

// Numbers of fields mean something else in the two schemas.
TEST(ChakraAttribute, TheSchemasOf2023HaveNumbersOfTheirOwn) {
  const std::string natural = named(number_field(6, 7));
  EXPECT_EQ(parse_attribute(natural, Dialect::proto2).number, 7u);
  EXPECT_EQ(parse_attribute(natural, Dialect::current).value, Attribute::Value::none);
  const std::string seven = named(number_field(7, 9));
  EXPECT_EQ(parse_attribute(seven, Dialect::proto2).number, 9u);
  const std::string flag = named(number_field(4, 1));
  EXPECT_EQ(parse_attribute(flag, Dialect::proto2).number, 1u);
  const std::string text = named(text_field(8, "x"));
  EXPECT_EQ(parse_attribute(text, Dialect::proto2).text, "x");
}

TEST(ChakraAttribute, AFieldOfAnotherWireTypeIsSkipped) {
  const std::string message = named(fixed_field(9, std::uint64_t{4096}) + number_field(13, 5));
  EXPECT_EQ(parse_attribute(message, Dialect::current).number, 5u);
}

TEST(ChakraAttribute, ListsOfFlagsMayBePackedOrNot) {
  const std::string packed = named(text_field(28, text_field(1, std::string("\1\0\1", 3))));
  EXPECT_EQ(parse_flags(parse_attribute(packed, Dialect::current)), (std::vector<bool>{true, false, true}));
  const std::string loose = named(text_field(28, number_field(1, 1) + number_field(1, 0)));
  EXPECT_EQ(parse_flags(parse_attribute(loose, Dialect::current)), (std::vector<bool>{true, false}));
  const std::string old = named(number_field(9, 1) + number_field(9, 0) + number_field(9, 1));
  EXPECT_EQ(parse_flags(parse_attribute(old, Dialect::proto2)), (std::vector<bool>{true, false, true}));
}

TEST(ChakraAttribute, BytesThatAreNoMessageAreAnError) {
  for (const std::string& damaged :
       {named("").substr(0, 5), named(number_field(9, 300)).substr(0, 13) + "\x80",
        std::string("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 11)})
    EXPECT_ANY_THROW(parse_attribute(damaged, Dialect::current));
}

}  // namespace
}  // namespace overture::chakra
