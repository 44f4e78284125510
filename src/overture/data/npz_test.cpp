#include <cstring>

#include <zlib.h>

#include "overture/base/testing.h"
#include "overture/data/dataset.h"
#include "overture/data/testing.h"

namespace overture::data {
namespace {

using namespace testing;

struct Member {
  std::string name;
  std::string bytes;
  bool packed = false;
};

template <class Number>
void put(std::string& to, Number number) {
  to.append(reinterpret_cast<const char*>(&number), sizeof number);
}

std::string deflated(const std::string& bytes) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(bytes.size() + 1000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// As numpy's savez (stored) and savez_compressed (deflated) write them, sizes in a ZIP64 field included.
std::string zip(const std::vector<Member>& members, bool zip64) {
  std::string file;
  std::string directory;
  for (const Member& member : members) {
    const std::string data = member.packed ? deflated(member.bytes) : member.bytes;
    const auto crc = static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(member.bytes.data()),
                                                      static_cast<uInt>(member.bytes.size())));
    const auto offset = static_cast<std::uint32_t>(file.size());
    const auto small = [&](std::size_t size) {
      return zip64 ? 0xffffffff : static_cast<std::uint32_t>(size);
    };
    std::string common;
    put<std::uint16_t>(common, 45);
    put<std::uint16_t>(common, 0);
    put<std::uint16_t>(common, member.packed ? 8 : 0);
    put<std::uint32_t>(common, 0);
    put<std::uint32_t>(common, crc);
    put<std::uint32_t>(common, small(data.size()));
    put<std::uint32_t>(common, small(member.bytes.size()));
    put<std::uint16_t>(common, static_cast<std::uint16_t>(member.name.size()));
    put<std::uint16_t>(common, zip64 ? 20 : 0);
    std::string extra;
    if (zip64) {
      put<std::uint16_t>(extra, 1);
      put<std::uint16_t>(extra, 16);
      put<std::uint64_t>(extra, member.bytes.size());
      put<std::uint64_t>(extra, data.size());
    }
    file += "PK\x03\x04" + common + member.name + extra + data;
    directory += "PK\x01\x02";
    put<std::uint16_t>(directory, 45);
    directory += common + std::string(10, '\0');
    put<std::uint32_t>(directory, offset);
    directory += member.name + extra;
  }
  const auto start = static_cast<std::uint32_t>(file.size());
  file += directory + "PK\x05\x06" + std::string(4, '\0');
  put<std::uint16_t>(file, static_cast<std::uint16_t>(members.size()));
  put<std::uint16_t>(file, static_cast<std::uint16_t>(members.size()));
  put<std::uint32_t>(file, static_cast<std::uint32_t>(directory.size()));
  put<std::uint32_t>(file, start);
  put<std::uint16_t>(file, 0);
  return file;
}

template <class Number>
std::string npy(const std::string& type, const std::string& shape, const std::vector<Number>& numbers) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
  header.resize(117, ' ');
  header += '\n';
  std::string bytes = "\x93NUMPY\x01" + std::string(1, '\0');
  put<std::uint16_t>(bytes, static_cast<std::uint16_t>(header.size()));
  bytes += header;
  for (const Number number : numbers) put(bytes, number);
  return bytes;
}

std::vector<Member> arrays(bool packed) {
  return {{"X_int.npy", npy<std::int32_t>("<i4", "(2, 3)", {0, 1, 2, -3, 4, 5}), packed},
          {"X_cat.npy", npy<std::int64_t>("<i8", "(2, 2)", {7, 8, 9, 10}), packed},
          {"y.npy", npy<std::int32_t>("<i4", "(2,)", {1, 0}), packed},
          {"counts.npy", npy<std::int32_t>("<i4", "(2,)", {10, 11}), packed}};
}

TEST(Npz, ReadsDlrmsArraysStoredPackedAndWithLongSizes) {
  const Folder folder;
  for (const bool packed : {false, true}) {
    for (const bool zip64 : {false, true}) {
      const auto reader = open_dataset(folder.write("a.npz", zip(arrays(packed), zip64)));
      EXPECT_EQ(reader->shape().table_rows, (std::vector<std::int64_t>{10, 11}));
      EXPECT_EQ(reader->samples(), 2);
      const Batch batch = read_all(*reader);
      EXPECT_EQ(batch.labels, (std::vector<float>{1, 0}));
      EXPECT_EQ(batch.dense,
                (std::vector<float>{0, std::log(2.0F), std::log(3.0F), 0, std::log(5.0F), std::log(6.0F)}));
      EXPECT_EQ(batch.tables[0].ids, (std::vector<std::int64_t>{7, 9}));
      EXPECT_EQ(batch.tables[1].ids, (std::vector<std::int64_t>{8, 10}));
    }
  }
}

TEST(Npz, ReadsMoreThanABuffer) {
  const Folder folder;
  constexpr int kSamples = 50000;
  std::vector<std::int32_t> ids(kSamples);
  for (int i = 0; i < kSamples; ++i) ids[static_cast<std::size_t>(i)] = i * 7;
  const std::string column = fmt::format("({}, 1)", kSamples);
  const auto path = folder.write(
      "a.npz",
      zip({{"X_int.npy", npy<float>("<f4", column, std::vector<float>(kSamples, 2.0F)), true},
           {"X_cat.npy", npy<std::int32_t>("<i4", column, ids), true},
           {"y.npy",
            npy<std::uint8_t>("|b1", fmt::format("({},)", kSamples), std::vector<std::uint8_t>(kSamples, 1)),
            true}},
          false));
  const Batch batch = read_all(*open_dataset(path), 1024);
  ASSERT_EQ(batch.samples, kSamples);
  EXPECT_EQ(batch.tables[0].ids.back(), (kSamples - 1) * 7);
  EXPECT_EQ(batch.dense.back(), std::log(3.0F));
}

std::string complaint_of(const Folder& folder, const std::string& bytes) {
  const auto path = folder.write("bad.npz", bytes);
  return user_error([&] { read_all(*open_dataset(path, {.format = Format::npz})); });
}

TEST(Npz, NoticesEveryTruncation) {
  const Folder folder;
  const std::string whole = zip(arrays(true), false);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    ASSERT_NE(complaint_of(folder, whole.substr(0, size)), "") << size << " bytes";
  }
}

TEST(Npz, NoticesDamagedNumbers) {
  const Folder folder;
  std::string bytes = zip(arrays(false), false);
  const std::size_t place = bytes.find("'shape': (2, 2)") + 80;  // in X_cat's numbers
  bytes[place] = static_cast<char>(bytes[place] ^ 1);
  EXPECT_NE(complaint_of(folder, bytes).find("checksum"), std::string::npos);
}

TEST(Npz, SaysWhatItCannotRead) {
  const Folder folder;
  auto members = arrays(false);
  members[2].name = "z.npy";
  EXPECT_NE(complaint_of(folder, zip(members, false)).find("has no array y"), std::string::npos);
  members = arrays(false);
  members[2].bytes = npy<std::int32_t>("<i4", "(3,)", {1, 0, 1});
  EXPECT_NE(complaint_of(folder, zip(members, false)).find("2, 2 and 3 lines"), std::string::npos);
  members[2].bytes = npy<std::int32_t>("<c8", "(2,)", {1, 0, 1, 0});
  EXPECT_NE(complaint_of(folder, zip(members, false)).find("type '<c8'"), std::string::npos);
  members = arrays(false);
  members[2].bytes = npy<std::int32_t>("<i4", "(2,)", {1});
  EXPECT_NE(complaint_of(folder, zip(members, false)).find("cut short"), std::string::npos);
}

}  // namespace
}  // namespace overture::data
