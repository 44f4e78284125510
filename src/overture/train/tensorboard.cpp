#include "overture/train/tensorboard.h"

#include <array>
#include <bit>

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::train {
namespace {

// Protobuf's wire types.
constexpr int kVarint = 0;
constexpr int kEightBytes = 1;
constexpr int kBytes = 2;
constexpr int kFourBytes = 5;

template <class Number>
void put(std::string& out, Number value) {
  for (std::size_t i = 0; i < sizeof value; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
}

void put_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

void put_key(std::string& out, int field, int type) {
  put_varint(out, static_cast<std::uint64_t>(field << 3 | type));
}

void put_bytes(std::string& out, int field, std::string_view bytes) {
  put_key(out, field, kBytes);
  put_varint(out, bytes.size());
  out += bytes;
}

// tensorflow/core/util/event.proto: wall_time = 1, step = 2, file_version = 3, summary = 5.
std::string event_at(double now) {
  std::string event;
  put_key(event, 1, kEightBytes);
  put(event, std::bit_cast<std::uint64_t>(now));
  return event;
}

// Summary.Value: tag = 1, simple_value = 2.
std::string summary_value(const Scalar& scalar) {
  std::string value;
  put_bytes(value, 1, scalar.tag);
  put_key(value, 2, kFourBytes);
  put(value, std::bit_cast<std::uint32_t>(scalar.value));
  return value;
}

std::filesystem::path event_path(const std::filesystem::path& folder, std::int64_t first_step) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw UserError({.file = folder.string()}, "cannot be created: " + error.message());
  // TensorBoard knows the file by the middle of its name, and reads those of a folder in order.
  return folder / fmt::format("events.out.tfevents.{:010}.overture", first_step);
}

constexpr std::array<std::uint32_t, 256> crc32c_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78U : 0U);
    table[i] = crc;
  }
  return table;
}

}  // namespace

std::uint32_t masked_crc32c(std::string_view bytes) {
  static constexpr auto kTable = crc32c_table();
  std::uint32_t crc = ~0U;
  for (const char byte : bytes) crc = kTable[(crc ^ static_cast<std::uint8_t>(byte)) & 0xff] ^ crc >> 8;
  return std::rotr(~crc, 15) + 0xa282ead8U;
}

std::string tensorboard_record(std::string_view event) {
  std::string record;
  put(record, std::uint64_t{event.size()});
  put(record, masked_crc32c(record));
  record += event;
  put(record, masked_crc32c(event));
  return record;
}

EventFile::EventFile(const std::filesystem::path& folder, std::int64_t first_step, double now)
    : file_(event_path(folder, first_step), "") {
  std::string event = event_at(now);
  put_bytes(event, 3, "brain.Event:2");
  file_.write(tensorboard_record(event));
}

void EventFile::add(std::int64_t step, double now, std::span<const Scalar> scalars) {
  std::string event = event_at(now);
  put_key(event, 2, kVarint);
  put_varint(event, static_cast<std::uint64_t>(step));
  std::string summary;
  for (const Scalar& scalar : scalars) put_bytes(summary, 1, summary_value(scalar));
  put_bytes(event, 5, summary);
  file_.write(tensorboard_record(event));
}

}  // namespace overture::train
