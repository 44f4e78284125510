#include "overture/base/gzip.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace overture {
namespace {

std::string unpacked(const std::string& packed, std::size_t size) {
  std::string text(size, '\0');
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  inflateEnd(&stream);
  return text;
}

TEST(Gzip, WhatIsPackedUnpacksToTheSameText) {
  for (const std::string& text : {std::string("a"), std::string(100'000, 'x'), std::string("\0\xff\n", 3)})
    EXPECT_EQ(unpacked(gzipped(text), text.size()), text);
}

TEST(Gzip, TheBytesDependOnTheTextAlone) { EXPECT_EQ(gzipped("the same"), gzipped("the same")); }

}  // namespace
}  // namespace overture
