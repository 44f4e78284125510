#include "overture/formats/chakra/attribute.h"

#include <cmath>

#include <protozero/pbf_reader.hpp>

namespace overture::chakra {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;
using protozero::tag_and_type;

std::string_view view(const protozero::data_view& data) { return {data.data(), data.size()}; }

void set_signed(Attribute& attribute, std::int64_t number) {
  attribute.value = number < 0 ? Attribute::Value::negative : Attribute::Value::natural;
  attribute.number = static_cast<std::uint64_t>(number);
  attribute.real = static_cast<double>(number);
}

void set_natural(Attribute& attribute, std::uint64_t number) {
  attribute.value = Attribute::Value::natural;
  attribute.number = number;
}

void set_real(Attribute& attribute, double number) {
  attribute.value = Attribute::Value::real;
  attribute.real = number;
  // What is whole passes for an integer, as generators in Python do not care.
  if (number >= 0 && number < 9e15 && number == std::floor(number))
    set_natural(attribute, static_cast<std::uint64_t>(number));
}

void set_text(Attribute& attribute, std::string_view text) {
  attribute.value = Attribute::Value::text;
  attribute.text = text;
}

// Entries stand in `message` under the number `field`.
void set_list(Attribute& attribute, std::string_view message, Attribute::Value kind, std::uint64_t field) {
  attribute.value = kind;
  attribute.text = message;
  attribute.number = field;
}

// Field numbers of schema 0.0.4. A field of another wire type is not ours.
void take_current(Attribute& attribute, pbf_reader& reader) {
  switch (reader.tag_and_type()) {
    case tag_and_type(3, pbf_wire_type::fixed64): return set_real(attribute, reader.get_double());
    case tag_and_type(5, pbf_wire_type::fixed32):
      return set_real(attribute, static_cast<double>(reader.get_float()));
    case tag_and_type(7, pbf_wire_type::varint): return set_signed(attribute, reader.get_int32());
    case tag_and_type(9, pbf_wire_type::varint): return set_signed(attribute, reader.get_int64());
    case tag_and_type(11, pbf_wire_type::varint): return set_natural(attribute, reader.get_uint32());
    case tag_and_type(13, pbf_wire_type::varint): return set_natural(attribute, reader.get_uint64());
    case tag_and_type(15, pbf_wire_type::varint): return set_signed(attribute, reader.get_sint32());
    case tag_and_type(17, pbf_wire_type::varint): return set_signed(attribute, reader.get_sint64());
    case tag_and_type(19, pbf_wire_type::fixed32): return set_natural(attribute, reader.get_fixed32());
    case tag_and_type(21, pbf_wire_type::fixed64): return set_natural(attribute, reader.get_fixed64());
    case tag_and_type(23, pbf_wire_type::fixed32): return set_signed(attribute, reader.get_sfixed32());
    case tag_and_type(25, pbf_wire_type::fixed64): return set_signed(attribute, reader.get_sfixed64());
    case tag_and_type(27, pbf_wire_type::varint): return set_natural(attribute, reader.get_bool() ? 1 : 0);
    case tag_and_type(28, pbf_wire_type::length_delimited):
      return set_list(attribute, view(reader.get_view()), Attribute::Value::flags, 1);
    case tag_and_type(29, pbf_wire_type::length_delimited):
    case tag_and_type(31, pbf_wire_type::length_delimited):
      return set_text(attribute, view(reader.get_view()));
    case tag_and_type(30, pbf_wire_type::length_delimited):
      return set_list(attribute, view(reader.get_view()), Attribute::Value::list, 1);
    default: return reader.skip();
  }
}

// Field numbers of the proto2 schemas of 2023. Lists of flags are not packed there.
void take_proto2(Attribute& attribute, pbf_reader& reader, std::string_view message) {
  switch (reader.tag_and_type()) {
    case tag_and_type(4, pbf_wire_type::varint): return set_natural(attribute, reader.get_bool() ? 1 : 0);
    case tag_and_type(5, pbf_wire_type::fixed32):
      return set_real(attribute, static_cast<double>(reader.get_float()));
    case tag_and_type(6, pbf_wire_type::varint): return set_natural(attribute, reader.get_uint64());
    case tag_and_type(7, pbf_wire_type::varint): return set_signed(attribute, reader.get_int64());
    case tag_and_type(8, pbf_wire_type::length_delimited):
      return set_text(attribute, view(reader.get_view()));
    case tag_and_type(9, pbf_wire_type::varint):
      reader.skip();
      return set_list(attribute, message, Attribute::Value::flags, 9);
    default: return reader.skip();
  }
}

}  // namespace

Attribute parse_attribute(std::string_view message, Dialect dialect) {
  Attribute attribute;
  pbf_reader reader(message.data(), message.size());
  while (reader.next()) {
    if (reader.tag() == 1 && reader.wire_type() == protozero::pbf_wire_type::length_delimited) {
      attribute.name = view(reader.get_view());
    } else if (dialect == Dialect::current) {
      take_current(attribute, reader);
    } else {
      take_proto2(attribute, reader, message);
    }
  }
  return attribute;
}

std::vector<bool> parse_flags(const Attribute& attribute) {
  std::vector<bool> flags;
  pbf_reader reader(attribute.text.data(), attribute.text.size());
  while (reader.next()) {
    const bool listed = reader.tag() == attribute.number;
    if (listed && reader.wire_type() == protozero::pbf_wire_type::varint) {
      flags.push_back(reader.get_bool());
    } else if (listed && reader.wire_type() == protozero::pbf_wire_type::length_delimited) {
      for (const char c : view(reader.get_view())) flags.push_back(c != 0);
    } else {
      reader.skip();
    }
  }
  return flags;
}

}  // namespace overture::chakra
