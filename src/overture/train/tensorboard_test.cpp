#include "overture/train/tensorboard.h"

#include <bit>
#include <cstring>

#include <gtest/gtest.h>

#include "overture/base/files.h"

namespace overture::train {
namespace {

std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, size);
  return value;
}

// The events of a file, their checksums checked.
std::vector<std::string> events_of(const std::string& file) {
  std::vector<std::string> events;
  for (std::size_t at = 0; at < file.size();) {
    const std::size_t size = number(file, at, 8);
    EXPECT_EQ(number(file, at + 8, 4), masked_crc32c(file.substr(at, 8)));
    events.push_back(file.substr(at + 12, size));
    EXPECT_EQ(number(file, at + 12 + size, 4), masked_crc32c(events.back()));
    at += 16 + size;
  }
  return events;
}

TEST(TensorBoard, ChecksumsAreCastagnolisMasked) {
  // RFC 3720: the CRC-32C of "123456789" is e3069283.
  EXPECT_EQ(masked_crc32c("123456789"), std::rotr(0xe3069283U, 15) + 0xa282ead8U);
}

TEST(TensorBoard, AFileHoldsItsVersionThenScalarsByStep) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "tensorboard";
  EventFile file(folder, 7, 1000.5);
  file.add(300, 1001.25, std::vector<Scalar>{{"loss", 0.5F}, {"hit rate", 0.75F}});
  const auto events = events_of(read_file(folder / "events.out.tfevents.0000000007.overture"));
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].substr(9),
            "\x1a\x0d"
            "brain.Event:2");
  EXPECT_EQ(std::bit_cast<double>(number(events[1], 1, 8)), 1001.25);
  // Field 2, 300 as a varint; field 5 with two values, each a tag and four bytes.
  EXPECT_EQ(events[1].substr(9, 3), "\x10\xac\x02");
  const std::string loss = std::string("\x0a\x04loss\x15", 7) + std::string("\0\0\0\x3f", 4);
  const std::string hits = std::string("\x0a\x08hit rate\x15", 11) + std::string("\0\0\x40\x3f", 4);
  EXPECT_EQ(events[1].substr(12), "\x2a\x1e\x0a\x0b" + loss + "\x0a\x0f" + hits);
}

}  // namespace
}  // namespace overture::train
