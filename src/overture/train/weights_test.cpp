// Weights in files of others: what is written is read back, and what a stranger made is read or refused.
#include "overture/train/weights.h"

#include <fstream>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "overture/base/testing.h"
#include "overture/data/zip_writer.h"

namespace overture::train {
namespace {

namespace fs = std::filesystem;
using Numbers = std::vector<float>;

WeightsArray array_of(const std::string& name, std::vector<std::int64_t> shape, Numbers& numbers) {
  return {
      .name = name, .shape = std::move(shape), .visit = [&numbers](const auto& piece) { piece(numbers); }};
}

class Weights : public testing::Test {
 protected:
  Weights() { std::iota(table_.begin(), table_.end(), 1.0F); }
  ~Weights() override { fs::remove(file_); }

  std::vector<WeightsArray> arrays() {
    return {array_of("tables.0.weight", {3, 2}, table_), array_of("dense", {2}, dense_)};
  }
  void put(const std::string& bytes) const { std::ofstream(file_, std::ios::binary) << bytes; }
  // torch's archive with this pickle.
  void put_pickle(const std::string& pickle) const {
    data::ZipWriter zip(file_);
    zip.add("archive/data.pkl", pickle);
    zip.add("archive/data/0", std::string(24, '\0'));
    zip.finish();
  }
  // safetensors with this header.
  void put_header(const std::string& header) const {
    const std::uint64_t length = header.size();
    put(std::string(reinterpret_cast<const char*>(&length), sizeof length) + header + std::string(32, '\0'));
  }
  std::string error() {
    std::vector<WeightsArray> into = arrays();
    return user_error([&] { read_weights(into, file_); });
  }

  fs::path file_ = fs::temp_directory_path() / ("overture-weights-" + std::to_string(getpid()));
  Numbers table_ = Numbers(6);
  Numbers dense_{7, 8};
};

TEST_F(Weights, ComeBackFromEveryFormat) {
  for (const WeightsFormat format : {WeightsFormat::npz, WeightsFormat::torch, WeightsFormat::safetensors}) {
    std::vector<WeightsArray> all = arrays();
    write_weights(all, format, file_);
    const Numbers table = table_;
    std::ranges::fill(table_, 0.0F);
    std::ranges::fill(dense_, 0.0F);
    read_weights(all, file_);
    EXPECT_EQ(table_, table);
    EXPECT_EQ(dense_, (Numbers{7, 8}));
  }
}

TEST_F(Weights, WhatIsNotANumberIsRefused) {
  for (const float odd : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    table_[3] = odd;
    std::vector<WeightsArray> all = arrays();
    for (const WeightsFormat format :
         {WeightsFormat::npz, WeightsFormat::torch, WeightsFormat::safetensors}) {
      write_weights(all, format, file_);
      EXPECT_NE(error().find("tables.0.weight holds what is not a finite number"), std::string::npos)
          << error();
    }
  }
}

TEST_F(Weights, AnotherShapeOrNameIsTold) {
  std::vector<WeightsArray> other{array_of("tables.0.weight", {2, 3}, table_), array_of("bias", {2}, dense_)};
  for (const WeightsFormat format : {WeightsFormat::npz, WeightsFormat::torch, WeightsFormat::safetensors}) {
    write_weights(other, format, file_);
    EXPECT_NE(error().find("tables.0.weight has the shape (2, 3), not (3, 2)"), std::string::npos) << error();
  }
  other[0].shape = {3, 2};
  for (const WeightsFormat format : {WeightsFormat::npz, WeightsFormat::torch, WeightsFormat::safetensors}) {
    write_weights(other, format, file_);
    EXPECT_NE(error().find("dense is missing"), std::string::npos) << error();
  }
}

// A tuple of two of what is in the memo goes into the memo, again and again: 2^60 objects in 300 bytes.
TEST_F(Weights, APickleThatDoublesItselfIsRefused) {
  std::string pickle("\x80\x02}q\x00", 5);
  for (int i = 0; i < 60; ++i) pickle += std::string("h\0h\0\x86q\0", 7);
  put_pickle(pickle + ".");
  EXPECT_NE(error().find("does not hold tensors with names"), std::string::npos) << error();
}

TEST_F(Weights, APickleNestedDeepIsRefused) {
  put_pickle("\x80\x02)" + std::string(1'000'000, '\x85') + ".");
  EXPECT_NE(error().find("does not hold tensors with names"), std::string::npos) << error();
}

TEST_F(Weights, PlacesAndShapesOfTensorsAreNotTrusted) {
  std::vector<WeightsArray> one{array_of("tables.0.weight", {3, 2}, table_)};
  write_weights(one, WeightsFormat::torch, file_);
  std::ifstream in(file_, std::ios::binary);
  const std::string sound{std::istreambuf_iterator<char>(in), {}};
  const std::size_t start = sound.find("\x80\x02}(");
  const std::string pickle = sound.substr(start, sound.find("u.", start) + 2 - start);
  const std::size_t storage = pickle.find("tQ");
  for (const std::int64_t offset : {std::int64_t{-1}, std::int64_t{1} << 60, std::int64_t{7}}) {
    std::string changed = pickle;
    changed.replace(storage + 4, sizeof offset, reinterpret_cast<const char*>(&offset), sizeof offset);
    put_pickle(changed);
    EXPECT_FALSE(error().empty()) << offset;
  }
}

TEST_F(Weights, HeadersOfSafetensorsAreNotTrusted) {
  const std::string dense = R"("dense": {"dtype": "F32", "shape": [2], "data_offsets": [24, 32]})";
  const auto with = [&](const std::string& table) {
    return "{\"tables.0.weight\": " + table + ", " + dense + "}";
  };
  put_header(with(R"({"dtype": "F32", "shape": [3, 2], "data_offsets": [0, 24]})"));
  EXPECT_EQ(error(), "");
  for (const char* table :
       {"7", "{}", R"({"dtype": "F32", "shape": [3, 2]})",
        R"({"dtype": "F32", "shape": 3, "data_offsets": [0, 24]})",
        R"({"dtype": 1, "shape": [3, 2], "data_offsets": [0, 24]})",
        R"({"dtype": "F32", "shape": [3, 2], "data_offsets": []})",
        R"({"dtype": "F32", "shape": [3, 2], "data_offsets": [18446744073709551615, 24]})",
        R"({"dtype": "F32", "shape": [3, 2], "data_offsets": [40, 64]})"}) {
    put_header(with(table));
    EXPECT_FALSE(error().empty()) << table;
  }
  put(std::string(8, '\xff'));
  EXPECT_NE(error().find("is neither npz"), std::string::npos) << error();
  put("");
  EXPECT_NE(error().find("is neither npz"), std::string::npos) << error();
}

}  // namespace
}  // namespace overture::train
