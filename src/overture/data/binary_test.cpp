#include <cstring>

#include "overture/base/testing.h"
#include "overture/data/binary_reader.h"
#include "overture/data/binary_writer.h"
#include "overture/data/dataset.h"
#include "overture/data/testing.h"

namespace overture::data {
namespace {

using namespace testing;

// One table for each width of an id.
const std::vector<std::int64_t> kRows{2, 256, 257, 65536, 65537, 1LL << 32, 1LL << 40};

std::filesystem::path written(const Folder& folder, const Shape& shape, const Batch& batch) {
  BinaryWriter writer(folder / "x.ovd", shape);
  write_all(writer, batch);
  return folder / "x.ovd";
}

TEST(Binary, GivesBackWhatWasWrittenOverSeveralChunks) {
  const Folder folder;
  const Shape shape{.dense_features = 3, .table_rows = kRows};
  const Batch batch = random_batch(shape, 2 * kChunkSamples + 5, 1);
  BinaryReader reader(written(folder, shape, batch));
  EXPECT_EQ(reader.shape(), shape);
  EXPECT_EQ(reader.samples(), batch.samples);
  EXPECT_EQ(read_all(reader, 1000), batch);
}

TEST(Binary, KeepsBagsAndTheirWeights) {
  for (const bool weighted : {false, true}) {
    const Folder folder;
    const Shape shape{.dense_features = 1, .table_rows = kRows, .multi_hot = true, .weighted = weighted};
    const Batch batch = random_batch(shape, kChunkSamples + 11, 2);
    BinaryReader reader(written(folder, shape, batch));
    EXPECT_EQ(reader.shape(), shape);
    EXPECT_EQ(read_all(reader, 999), batch);
  }
}

TEST(Binary, DependsNotOnTheBatchesItIsWrittenIn) {
  const Folder folder;
  const Shape shape{.dense_features = 2, .table_rows = {10, 1000}, .multi_hot = true};
  const Batch batch = random_batch(shape, kChunkSamples + 3000, 3);
  BinaryReader reader(written(folder, shape, batch));
  BinaryWriter pieces(folder / "pieces.ovd", shape);
  Batch some;
  while (reader.read(some, 1234) > 0) pieces.write(some);
  pieces.close();
  EXPECT_EQ(bytes_of(folder / "pieces.ovd"), bytes_of(folder / "x.ovd"));
}

TEST(Binary, SkipsAnySamples) {
  const Folder folder;
  const Shape shape{.dense_features = 1, .table_rows = {1000}};
  const Batch batch = random_batch(shape, 2 * kChunkSamples, 4);
  BinaryReader reader(written(folder, shape, batch));
  EXPECT_EQ(reader.skip(kChunkSamples + 1), kChunkSamples + 1);
  Batch one;
  reader.read(one, 1);
  EXPECT_EQ(one.tables[0].ids[0], batch.tables[0].ids[kChunkSamples + 1]);
  EXPECT_EQ(reader.skip(1 << 20), kChunkSamples - 2);
  EXPECT_EQ(reader.read(one, 1), 0);
}

TEST(Binary, FindsTheRowsOfTablesNobodyNamed) {
  const Folder folder;
  Batch batch;
  clear(batch, {.table_rows = {0, 0}});
  append(batch, TextRow{.ids = {7, 100000}});
  append(batch, TextRow{.ids = {3, 0}});
  BinaryReader reader(written(folder, {.table_rows = {0, 0}}, batch));
  EXPECT_EQ(reader.shape().table_rows, (std::vector<std::int64_t>{8, 100001}));
  EXPECT_EQ(read_all(reader), batch);
}

TEST(Binary, RefusesIdsBeyondTheTable) {
  const Folder folder;
  Batch batch;
  clear(batch, {.table_rows = {8}});
  append(batch, TextRow{.ids = {8}});
  EXPECT_NE(user_error([&] { written(folder, {.table_rows = {8}}, batch); }).find("id 8 of table 0"),
            std::string::npos);
  EXPECT_EQ(folder.files(), 0U) << "nothing may be left behind";
}

TEST(Binary, HoldsNoSamplesToo) {
  const Folder folder;
  const Shape shape{.dense_features = 1, .table_rows = {5}};
  Batch none;
  clear(none, shape);
  BinaryReader reader(written(folder, shape, none));
  EXPECT_EQ(reader.samples(), 0);
  EXPECT_EQ(reader.read(none, 10), 0);
}

// Reads the bytes as a dataset; says what was wrong.
std::string complaint_of(const Folder& folder, const std::string& bytes) {
  const auto path = folder.write("damaged.ovd", bytes);
  return user_error([&] {
    BinaryReader reader(path);
    read_all(reader, 100);
  });
}

TEST(Binary, NoticesEveryByteThatChanges) {
  const Folder folder;
  const Shape shape{.dense_features = 1, .table_rows = {5, 300}, .multi_hot = true};
  const std::string whole = bytes_of(written(folder, shape, random_batch(shape, 20, 5)));
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string bytes = whole;
    bytes[i] = static_cast<char>(bytes[i] ^ 0x10);
    EXPECT_NE(complaint_of(folder, bytes), "") << "byte " << i;
  }
}

TEST(Binary, NoticesEveryTruncation) {
  const Folder folder;
  const Shape shape{.dense_features = 1, .table_rows = {5, 300}};
  const std::string whole = bytes_of(written(folder, shape, random_batch(shape, 20, 6)));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(complaint_of(folder, whole.substr(0, size)), "") << size << " bytes";
  }
  EXPECT_NE(complaint_of(folder, whole.substr(0, whole.size() - 1)).find("cut short"), std::string::npos);
}

TEST(Binary, AFileThatIsCutWhileItIsReadIsAnError) {
  const Folder folder;
  const Shape shape{.dense_features = 1, .table_rows = {5, 300}};
  const auto path = written(folder, shape, random_batch(shape, 20, 6));
  BinaryReader reader(path);
  std::filesystem::resize_file(path, 100);
  EXPECT_NE(user_error([&] { read_all(reader, 100); }).find("cut short"), std::string::npos);
}

TEST(Binary, NamesWhatIsWrongWithAFile) {
  const Folder folder;
  const Shape shape{.table_rows = {5}};
  std::string bytes = bytes_of(written(folder, shape, random_batch(shape, 3, 7)));
  bytes[8] = 9;
  EXPECT_NE(complaint_of(folder, bytes).find("version 9"), std::string::npos);
  bytes[0] = 'X';
  EXPECT_NE(complaint_of(folder, bytes).find("not OVERDATA"), std::string::npos);
}

TEST(Binary, FoldsIdsWhenAsked) {
  const Folder folder;
  Batch batch;
  clear(batch, {.table_rows = {100, 100}});
  append(batch, TextRow{.ids = {25, 99}});
  const auto path = written(folder, {.table_rows = {100, 100}}, batch);
  const auto ids = [&](const IdOptions& options) {
    const auto reader = open_dataset(path, {.ids = options});
    const Batch read = read_all(*reader);
    return std::pair(reader->shape().table_rows, std::pair(read.tables[0].ids[0], read.tables[1].ids[0]));
  };
  using Rows = std::vector<std::int64_t>;
  EXPECT_EQ(ids({.max_ind_range = 10}), std::pair(Rows({10, 10}), std::pair(5L, 9L)));
  EXPECT_EQ(ids({.table_rows = {20, 50}, .fold = true}), std::pair(Rows({20, 50}), std::pair(5L, 49L)));
  EXPECT_NE(user_error([&] { ids({.table_rows = {20, 50}}); }).find("--fold-ids"), std::string::npos);
}

}  // namespace
}  // namespace overture::data
